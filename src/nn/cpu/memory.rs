//! The memory of an evaluation, allocated once per thread and board size.

use super::aligned::Aligned;
use super::boards::{Boards, Frame};
use super::profiler::Profiler;
use crate::nn::regions::Regions;

/// Number of a buffer of activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub(super) usize);

/// Use of a buffer. Buffers in use at the same time have different uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Residual connection of blocks at this nesting depth.
    Stack(usize),
    /// Input of a convolution before any output is written.
    Input,
    /// Output of that.
    Inner,
    /// Input of pooling.
    Pooled,
    /// Output of the trunk.
    Tip,
}

/// Activations, and temporary memory of layers.
#[derive(Debug)]
pub struct Memory {
    boards: Boards,
    buffers: Vec<Buffer>,
    /// Temporary memory.
    pub work: Work,
}

#[derive(Debug)]
struct Buffer {
    frame: Frame,
    values: Aligned<f32>,
}

/// Operands and results of one layer. Buffers only grow.
#[derive(Debug, Default)]
pub struct Work {
    /// Float operands.
    pub floats: Aligned<f32>,
    /// Integer operands.
    pub integers: Aligned<i16>,
    /// Scales of integer rows.
    pub scales: Aligned<f32>,
    /// One transformed tile.
    pub tile: Aligned<f32>,
    /// Results.
    pub products: Aligned<f32>,
    /// Chains and empty regions of the boards, for networks with chain pooling.
    pub regions: Regions,
    /// The profiler, inactive by default.
    pub profiler: Profiler,
    /// Output of the stem for constant planes; empty at first.
    pub of_constants: Aligned<f32>,
}

impl Memory {
    /// For buffers with these padded channels and layouts.
    pub fn new(buffers: impl Iterator<Item = (Frame, usize)>, boards: Boards) -> Memory {
        let buffer = |(frame, channels)| Buffer {
            frame,
            values: Aligned::zeroed(boards.count * boards.cells(frame) * channels),
        };
        Memory {
            boards,
            buffers: buffers.map(buffer).collect(),
            work: Work::default(),
        }
    }

    /// The boards that it was made for.
    pub fn boards(&self) -> Boards {
        self.boards
    }

    /// The layout of a buffer's cells.
    pub fn frame(&self, slot: Slot) -> Frame {
        self.buffers[slot.0].frame
    }

    /// A buffer, `[board][cell][channel]`.
    pub fn values(&self, slot: Slot) -> &[f32] {
        &self.buffers[slot.0].values
    }

    /// A buffer, and the temporary memory.
    pub fn with_work(&mut self, slot: Slot) -> (&[f32], &mut Work) {
        (&self.buffers[slot.0].values, &mut self.work)
    }

    /// Up to two different buffers for writing, and the temporary memory.
    ///
    /// # Panics
    ///
    /// Panics if the two are the same.
    pub fn for_writing(
        &mut self,
        slots: [Option<Slot>; 2],
    ) -> ([Option<&mut [f32]>; 2], &mut Work) {
        let mut found = [None, None];
        for (index, buffer) in self.buffers.iter_mut().enumerate() {
            for (found, slot) in found.iter_mut().zip(slots) {
                if slot == Some(Slot(index)) && found.is_none() {
                    *found = Some(&mut *buffer.values);
                    break;
                }
            }
        }
        (found, &mut self.work)
    }

    /// Takes a buffer out, to be put back.
    pub fn take(&mut self, slot: Slot) -> Aligned<f32> {
        std::mem::take(&mut self.buffers[slot.0].values)
    }

    /// Puts a buffer back.
    pub fn put(&mut self, slot: Slot, values: Aligned<f32>) {
        self.buffers[slot.0].values = values;
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        let buffers: usize = self.buffers.iter().map(|buffer| buffer.values.len()).sum();
        let work = &self.work;
        let floats = buffers + work.floats.len() + work.scales.len() + work.tile.len();
        4 * (floats + work.products.len() + work.of_constants.len()) + 2 * work.integers.len()
    }
}
