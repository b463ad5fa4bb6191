//! Networks on the CPU by kernels of our own.
//!
//! [`Plan::new`] folds, transforms and packs a net's weights once. Each search thread then runs the
//! plan by itself, without queue or lock, in memory of its own that it keeps. Activations are
//! `[board][cell][channel]`, channels padded to a multiple of 16. [`simd`] holds the inner loops,
//! [`conv`] the layers made of them; all of it outside `simd` is safe code.

mod aligned;
mod blocks;
mod boards;
mod conv;
mod heads;
mod initial;
mod memory;
mod pool;
pub mod simd;
mod tip;
mod transformer;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};

use super::desc;
use super::features::InputBatch;
use super::output::RawOutput;
use blocks::Blocks;
use boards::{Boards, Frame};
use conv::{Arithmetic, Sink};
use heads::{PolicyHead, ValueHead};
use initial::Initial;
use memory::{Memory, Slots, Use};
use simd::{Isa, Kernels};
use tip::Tip;

/// A network ready to compute.
#[derive(Debug)]
pub struct Plan {
    id: u64,
    planes: usize,
    slots: Slots,
    initial: Initial,
    entry: Sink,
    blocks: Blocks,
    end: Tip,
    policy_head: PolicyHead,
    value_head: ValueHead,
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
        let arithmetic = Arithmetic {
            kernels,
            is_integer,
        };
        let exact = Arithmetic {
            kernels,
            is_integer: false,
        };
        let mut slots = Slots::default();
        let width = net.trunk.initial_conv.outputs;
        let tip = slots.slot(Use::Tip, Frame::Plain, width);
        let (end, after) = Tip::new(kernels, &net.trunk.tip, tip, width, &mut slots);
        let mut blocks = Blocks::new(arithmetic, &net.trunk.blocks, (0, width), after, &mut slots);
        Ok(Plan {
            id: PLANS.fetch_add(1, Ordering::Relaxed),
            planes: net.input_version().channels().0,
            initial: Initial::new(kernels, &net.trunk),
            entry: Sink {
                stack: Some(blocks.stack),
                adds: false,
                then: blocks.entry.take(),
            },
            blocks,
            end,
            policy_head: PolicyHead::new(exact, &net.policy_head, tip, &mut slots),
            value_head: ValueHead::new(exact, &net.value_head, tip, &mut slots),
            slots,
        })
    }

    /// One answer per position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        let of_board = batch.size.area() * self.planes;
        let count = batch.spatial.len() / of_board;
        ensure!(
            batch.spatial.len() == count * of_board,
            "spatial inputs of the wrong length"
        );
        let boards = Boards {
            size: batch.size,
            count,
        };
        MEMORY.with_borrow_mut(|known| {
            let known = match known {
                Some((id, memory)) if *id == self.id && memory.boards() == boards => memory,
                _ => &mut known.insert((self.id, Memory::new(&self.slots, boards))).1,
            };
            Ok(self.run(batch, known))
        })
    }

    fn run(&self, batch: &InputBatch, memory: &mut Memory) -> Vec<RawOutput> {
        let mut outputs = vec![RawOutput::default(); memory.boards().count];
        self.initial.run(batch, &self.entry, memory);
        self.blocks.run(memory);
        self.end.run(memory);
        self.policy_head.run(memory, &mut outputs);
        self.value_head.run(memory, &mut outputs);
        outputs
    }
}
