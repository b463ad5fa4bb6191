//! Networks on the CPU, by own kernels.
//!
//! [`Plan::new`] folds, transforms and packs a net's weights once. Each search thread then runs the
//! plan independently, without locks, in memory of its own that it reuses. Activations are
//! `[board][cell][channel]`, channels padded to a multiple of 16. [`simd`] has the inner loops,
//! [`conv`] the layers built on them; all code outside `simd` is safe.

mod aligned;
mod attention;
mod blocks;
mod boards;
mod builder;
mod chain_pooling;
mod conv;
mod epilogue;
mod heads;
mod leela;
mod memory;
mod pool;
mod profiler;
pub mod simd;
pub mod sparse_inputs;
mod stem;
mod tip;
mod transformer;
mod weights;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::desc::leela::{LeelaNet, SIDE};
use super::desc::{self, InputVersion};
use super::features::InputBatch;
use super::output::RawOutput;
use super::regions::Regions;
use crate::go::BoardSize;
use blocks::{Blocks, Residual};
use boards::{Boards, Frame};
use builder::Builder;
pub use builder::PlanCost;
use epilogue::Epilogue;
use heads::{PolicyHead, ValueHead};
use leela::LeelaHeads;
use memory::{Memory, Use};
pub use profiler::{STAGES, Stage};
use simd::{Isa, Kernels, ResidualMode};
use stem::Stem;
use tip::Tip;
use weights::Arithmetic;

/// A network ready to compute.
#[derive(Debug)]
pub struct Plan {
    id: u64,
    planes: usize,
    globals: usize,
    pools_chains: bool,
    only_size: Option<BoardSize>,
    stem: Stem,
    entry: Epilogue,
    tower: Tower,
    cost: PlanCost,
    kernels: Kernels,
    is_integer: bool,
    /// Layout and channels of each buffer.
    buffers: Vec<(Frame, usize)>,
}

/// The step after the stem.
#[derive(Debug)]
enum Tower {
    KataGo {
        blocks: Blocks,
        end: Tip,
        policy: Box<PolicyHead>,
        value: Box<ValueHead>,
    },
    LeelaZero {
        blocks: Vec<Residual>,
        heads: Box<LeelaHeads>,
    },
}

/// Time and memory of evaluations.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Time of one evaluation.
    pub stages: [(Stage, Duration); STAGES.len()],
    /// Memory per thread, in bytes.
    pub memory_bytes: usize,
}

/// Number of plans made so far.
static PLANS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The plan that this thread has run last, by number, with its memory.
    static MEMORY: RefCell<Option<(u64, Memory)>> = const { RefCell::new(None) };
}

impl Plan {
    /// Prepares a net for an instruction set of the machine. With `is_integer`, large layers
    /// multiply 16-bit integers.
    pub fn new(net: &desc::Net, isa: Isa, is_integer: bool) -> Plan {
        let mut builder = Builder::for_machine(isa, is_integer, net.only_size());
        let trunk = &net.trunk;
        let width = net.tip_channels();
        let tip = builder.slot(Use::Tip, Frame::Plain, width);
        let (end, after) = Tip::new(&trunk.tip, tip, width, &mut builder);
        let mut blocks = Blocks::new(&trunk.blocks, (0, width), after, &mut builder);
        let entry = Epilogue {
            stack: Some(blocks.stack),
            residual_mode: ResidualMode::Replaces,
            output: blocks.entry.take(),
        };
        let stem = Stem::new(builder.kernels(), trunk);
        builder.compute_exactly();
        let tower = Tower::KataGo {
            blocks,
            end,
            policy: PolicyHead::new(&net.policy_head, tip, &mut builder).into(),
            value: ValueHead::new(&net.value_head, tip, &mut builder).into(),
        };
        Plan {
            pools_chains: net.pools_chains(),
            ..Plan::of_parts(net.input_version(), (stem, entry, tower), builder)
        }
    }

    /// Prepares a Leela Zero net, for 19x19 boards only.
    pub fn of_leela(net: &LeelaNet, isa: Isa, is_integer: bool) -> Plan {
        let size = BoardSize::square(SIDE);
        let mut builder = Builder::for_machine(isa, is_integer, Some(size));
        let tip = builder.slot(Use::Tip, Frame::Plain, net.input.conv.outputs);
        let (stem, entry) = leela::entry(net, tip, &mut builder);
        let blocks = leela::blocks(net, tip, &mut builder);
        builder.compute_exactly();
        let heads = LeelaHeads::new(net, tip, &mut builder).into();
        let tower = Tower::LeelaZero { blocks, heads };
        Plan::of_parts(InputVersion::LeelaZero, (stem, entry, tower), builder)
    }

    fn of_parts(
        version: InputVersion,
        (stem, entry, tower): (Stem, Epilogue, Tower),
        builder: Builder,
    ) -> Plan {
        let (planes, globals) = version.channels();
        let Arithmetic {
            kernels,
            is_integer,
            ..
        } = builder.chosen();
        Plan {
            id: PLANS.fetch_add(1, Ordering::Relaxed),
            planes,
            globals,
            pools_chains: false,
            only_size: builder.only_size(),
            stem,
            entry,
            tower,
            cost: builder.cost(),
            kernels,
            is_integer,
            buffers: builder.buffers(),
        }
    }

    /// Memory and operations of its layers.
    pub fn cost(&self) -> PlanCost {
        self.cost
    }

    /// Peak multiply-adds per second and core in the arithmetic of large layers, measured now.
    pub fn peak(&self) -> f64 {
        self.kernels.peak(self.is_integer)
    }

    /// One output per position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        if batch.global.is_empty() && batch.spatial.is_empty() {
            return Ok(Vec::new());
        }
        self.with_memory(batch, |memory| self.run(batch, memory))
    }

    /// Evaluates a batch several times with the profiler.
    pub fn profile(&self, batch: &InputBatch, times: usize) -> Result<Profile> {
        self.with_memory(batch, |memory| {
            self.run(batch, memory);
            memory.work.profiler.start();
            for _ in 0..times {
                self.run(batch, memory);
            }
            let evaluations = (times * memory.boards().count) as u32;
            let stages = memory.work.profiler.stop();
            Profile {
                stages: stages.map(|(stage, time)| (stage, time / evaluations)),
                memory_bytes: memory.bytes(),
            }
        })
    }

    /// This thread's memory, reused if the last evaluation had the same plan and boards.
    fn with_memory<T>(&self, batch: &InputBatch, run: impl FnOnce(&mut Memory) -> T) -> Result<T> {
        if let Some(size) = self.only_size {
            ensure!(
                batch.size == size,
                "this network plays on {size} only, not on {}",
                batch.size
            );
        }
        let boards = Boards {
            size: batch.size,
            count: batch.spatial.len() / (batch.size.area() * self.planes),
        };
        let planes = boards.count * boards.area() * self.planes;
        ensure!(
            batch.global.len() == boards.count * self.globals && batch.spatial.len() == planes,
            "inputs of the wrong length"
        );
        let metadata = boards.count * self.stem.metadata_len();
        ensure!(
            batch.metadata.len() == metadata,
            "metadata of the wrong length"
        );
        MEMORY.with_borrow_mut(|known| {
            let known = match known {
                Some((id, memory)) if *id == self.id && memory.boards() == boards => memory,
                _ => &mut known.insert((self.id, self.memory(boards))).1,
            };
            Ok(run(known))
        })
    }

    fn memory(&self, boards: Boards) -> Memory {
        Memory::new(self.buffers.iter().copied(), boards)
    }

    fn run(&self, batch: &InputBatch, memory: &mut Memory) -> Vec<RawOutput> {
        let mut outputs = vec![RawOutput::default(); memory.boards().count];
        if self.pools_chains {
            memory.work.regions = Regions::new(&batch.spatial, self.planes, batch.size);
        }
        self.stem.run(batch, &self.entry, memory);
        match &self.tower {
            Tower::KataGo {
                blocks,
                end,
                policy,
                value,
            } => {
                blocks.run(memory);
                end.run(memory);
                policy.run(memory, &mut outputs);
                value.run(memory, &mut outputs);
            }
            Tower::LeelaZero { blocks, heads } => {
                blocks.iter().for_each(|block| block.run(memory));
                heads.run(memory, &mut outputs);
            }
        }
        memory.work.profiler.lap(Stage::Others);
        outputs
    }
}
