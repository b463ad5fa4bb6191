//! Networks on the CPU, by own kernels: the executor of a [`Plan`].
//!
//! [`Executor::new`] prepares the operations of a plan once ([`preparation`]): it folds, transforms and
//! packs weights, and chooses layouts and arithmetic. Each search thread then runs the steps ([`step`])
//! one after another, without locks, in memory of its own that it reuses. Activations are
//! `[board][cell][channel]`, channels padded to a multiple of 16. [`simd`] has the inner loops,
//! [`conv`] the layers built on them; all code outside `simd` is safe.

mod aligned;
mod attention;
mod boards;
mod chain_pooling;
mod conv;
mod epilogue;
mod memory;
mod norm;
mod preparation;
mod profiler;
pub mod simd;
pub mod sparse_inputs;
mod stem;
mod step;
mod vectors;
mod weights;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;

use super::features::InputBatch;
use super::output::RawOutput;
use super::plan::Plan;
use super::plan::memory::Slots;
use super::regions::Regions;
use boards::Boards;
use memory::{Kind, Memory};
pub use preparation::Cost;
use preparation::Preparation;
pub use profiler::{STAGES, Stage};
use simd::{Isa, Kernels};
use step::Step;

/// A network ready to compute.
#[derive(Debug)]
pub struct Executor {
    id: u64,
    /// Without its operations, which are the steps.
    plan: Plan,
    pools_chains: bool,
    steps: Vec<Step>,
    slots: Slots<Kind>,
    cost: Cost,
    kernels: Kernels,
    is_integer: bool,
}

/// Time and memory of evaluations.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Time of one evaluation.
    pub stages: [(Stage, Duration); STAGES.len()],
    /// Memory per thread, in bytes.
    pub memory_bytes: usize,
}

/// Number of executors made so far.
static EXECUTORS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The executor that this thread has run last, by number, with its memory.
    static MEMORY: RefCell<Option<(u64, Memory)>> = const { RefCell::new(None) };
}

impl Executor {
    /// Prepares a plan for an instruction set of the machine. With `is_integer`, large layers
    /// multiply 16-bit integers.
    pub fn new(mut plan: Plan, isa: Isa, is_integer: bool) -> Executor {
        let pools_chains = plan.pools_chains();
        let prepared = Preparation::of(&mut plan, isa, is_integer);
        Executor {
            id: EXECUTORS.fetch_add(1, Ordering::Relaxed),
            plan,
            pools_chains,
            slots: prepared.slots(),
            steps: prepared.steps,
            cost: prepared.cost,
            kernels: Kernels::new(isa),
            is_integer,
        }
    }

    /// What it runs, without operations.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Memory and operations of its layers.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Peak multiply-adds per second and core in the arithmetic of large layers, measured now.
    pub fn peak(&self) -> f64 {
        self.kernels.peak(self.is_integer)
    }

    /// One output per position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        match self.plan.inputs.shape.boards(batch)? {
            0 => Ok(Vec::new()),
            count => Ok(self.with_memory(batch, count, |memory| self.run(batch, memory))),
        }
    }

    /// Evaluates a batch several times with the profiler.
    pub fn profile(&self, batch: &InputBatch, times: usize) -> Result<Profile> {
        let count = self.plan.inputs.shape.boards(batch)?;
        Ok(self.with_memory(batch, count, |memory| {
            self.run(batch, memory);
            memory.work.profiler.start();
            for _ in 0..times {
                self.run(batch, memory);
            }
            let evaluations = (times * count) as u32;
            let stages = memory.work.profiler.stop();
            Profile {
                stages: stages.map(|(stage, time)| (stage, time / evaluations)),
                memory_bytes: memory.bytes(),
            }
        }))
    }

    /// This thread's memory, reused if the last evaluation had the same network and boards.
    fn with_memory<T>(
        &self,
        batch: &InputBatch,
        count: usize,
        run: impl FnOnce(&mut Memory) -> T,
    ) -> T {
        let size = batch.size;
        let boards = Boards { size, count };
        let memory = || Memory::new(&self.slots, &self.plan.values, boards);
        MEMORY.with_borrow_mut(|known| match known {
            Some((id, memory)) if *id == self.id && memory.boards() == boards => run(memory),
            _ => run(&mut known.insert((self.id, memory())).1),
        })
    }

    fn run(&self, batch: &InputBatch, memory: &mut Memory) -> Vec<RawOutput> {
        if self.pools_chains {
            let planes = self.plan.inputs.shape.planes;
            memory.work.regions = Regions::new(&batch.spatial, planes, batch.size);
        }
        for (id, values) in self.plan.board_inputs(batch) {
            let channels = self.plan.value(id).channels;
            memory.write(id, |_, board, to| {
                to.copy_from_slice(&values[board * channels..][..channels]);
            });
        }
        for step in &self.steps {
            step.run(batch, memory);
        }
        let outputs = &self.plan.outputs;
        let output = |board| outputs.raw(|id| memory.vectors(id).of(board).to_vec());
        let outputs = (0..memory.boards().count).map(output).collect();
        memory.work.profiler.lap(Stage::Others);
        outputs
    }
}
