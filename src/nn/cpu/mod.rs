//! Networks on the CPU by kernels of our own.
//!
//! [`Plan::new`] folds, transforms and packs a net's weights once. Each search thread then runs the
//! plan by itself, without queue or lock, in memory of its own that it keeps. Activations are
//! `[board][cell][channel]`, channels padded to a multiple of 16. [`simd`] holds the inner loops,
//! [`conv`] the layers made of them; all of it outside `simd` is safe code.

mod aligned;
mod attention;
mod blocks;
mod boards;
mod builder;
mod conv;
mod heads;
mod initial;
mod memory;
mod pool;
pub mod simd;
mod sink;
mod tip;
mod transformer;
mod watch;
mod weights;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::desc;
use super::features::InputBatch;
use super::output::RawOutput;
use blocks::Blocks;
use boards::{Boards, Frame};
use builder::Builder;
pub use builder::Load;
use heads::{PolicyHead, ValueHead};
use initial::Initial;
use memory::{Memory, Use};
use simd::{Isa, Kernels};
use sink::Sink;
use tip::Tip;
pub use watch::{STAGES, Stage};
use weights::Arithmetic;

/// A network ready to compute.
#[derive(Debug)]
pub struct Plan {
    id: u64,
    planes: usize,
    globals: usize,
    initial: Initial,
    entry: Sink,
    blocks: Blocks,
    end: Tip,
    policy_head: PolicyHead,
    value_head: ValueHead,
    load: Load,
    kernels: Kernels,
    is_integer: bool,
    /// Frame and channels of each.
    buffers: Vec<(Frame, usize)>,
}

/// Where the time and memory of evaluations go.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Time of one evaluation.
    pub stages: [(Stage, Duration); STAGES.len()],
    /// Memory that each thread takes, in bytes.
    pub memory_bytes: usize,
}

/// Plans made so far.
static PLANS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// What this thread has run last: the plan's number and its memory.
    static MEMORY: RefCell<Option<(u64, Memory)>> = const { RefCell::new(None) };
}

impl Plan {
    /// Prepares a net for an instruction set that the machine has. With `is_integer`, the large
    /// layers multiply 16-bit integers.
    pub fn new(net: &desc::Net, isa: Isa, is_integer: bool) -> Result<Plan> {
        let kernels = Kernels::new(isa);
        let mut builder = Builder::new(Arithmetic {
            kernels,
            is_integer,
        });
        let trunk = &net.trunk;
        let width = trunk.initial_conv.outputs;
        let tip = builder.slot(Use::Tip, Frame::Plain, width);
        let (end, after) = Tip::new(&trunk.tip, tip, width, &mut builder);
        let mut blocks = Blocks::new(&trunk.blocks, (0, width), after, &mut builder);
        builder.compute_exactly();
        let (planes, globals) = net.input_version().channels();
        Ok(Plan {
            id: PLANS.fetch_add(1, Ordering::Relaxed),
            planes,
            globals,
            initial: Initial::new(kernels, trunk),
            entry: Sink {
                stack: Some(blocks.stack),
                adds: false,
                then: blocks.entry.take(),
            },
            blocks,
            end,
            policy_head: PolicyHead::new(&net.policy_head, tip, &mut builder),
            value_head: ValueHead::new(&net.value_head, tip, &mut builder),
            load: builder.load(),
            kernels,
            is_integer,
            buffers: builder.buffers(),
        })
    }

    /// What it weighs.
    pub fn load(&self) -> Load {
        self.load
    }

    /// Most multiply-adds per second and core, as measured now: of the large layers' kind.
    pub fn peak(&self) -> f64 {
        self.kernels.peak(self.is_integer)
    }

    /// One answer per position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        if batch.global.is_empty() && batch.spatial.is_empty() {
            return Ok(Vec::new());
        }
        self.with_memory(batch, |memory| self.run(batch, memory))
    }

    /// Evaluates a batch several times, and says where the time goes.
    pub fn profile(&self, batch: &InputBatch, times: usize) -> Result<Profile> {
        self.with_memory(batch, |memory| {
            self.run(batch, memory);
            memory.work.watch.start();
            for _ in 0..times {
                self.run(batch, memory);
            }
            let evaluations = (times * memory.boards().count) as u32;
            let stages = memory.work.watch.stop();
            Profile {
                stages: stages.map(|(stage, time)| (stage, time / evaluations)),
                memory_bytes: memory.bytes(),
            }
        })
    }

    /// This thread's memory, kept from the last evaluation if that was of the same kind.
    fn with_memory<T>(&self, batch: &InputBatch, run: impl FnOnce(&mut Memory) -> T) -> Result<T> {
        let boards = Boards {
            size: batch.size,
            count: batch.global.len() / self.globals,
        };
        let planes = boards.count * boards.area() * self.planes;
        ensure!(
            batch.global.len() == boards.count * self.globals && batch.spatial.len() == planes,
            "inputs of the wrong length"
        );
        let metadata = boards.count * self.initial.metadata_len();
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
        self.initial.run(batch, &self.entry, memory);
        self.blocks.run(memory);
        self.end.run(memory);
        self.policy_head.run(memory, &mut outputs);
        self.value_head.run(memory, &mut outputs);
        memory.work.watch.lap(Stage::Others);
        outputs
    }
}
