//! The memory of an evaluation, allocated once per thread and board size.

use super::aligned::Aligned;
use super::boards::{Boards, Frame};
use super::profiler::Profiler;
use crate::nn::regions::Regions;

/// A buffer of activations, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub(super) usize);

/// What is kept in a buffer. Two things that are alive at the same time have different uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The residual connection of blocks this deeply nested.
    Stack(usize),
    /// What a convolution reads before it writes anything.
    Input,
    /// What is made of that.
    Inner,
    /// What is pooled.
    Pooled,
    /// The end of the trunk.
    Tip,
}

/// Activations, and what layers need between reading and writing them.
#[derive(Debug)]
pub struct Memory {
    boards: Boards,
    buffers: Vec<Buffer>,
    /// What layers need.
    pub work: Work,
}

#[derive(Debug)]
struct Buffer {
    frame: Frame,
    values: Aligned<f32>,
}

/// Operands and results of one layer. Its parts only grow.
#[derive(Debug, Default)]
pub struct Work {
    /// Operands.
    pub floats: Aligned<f32>,
    /// Operands.
    pub integers: Aligned<i16>,
    /// Of the integers' rows.
    pub scales: Aligned<f32>,
    /// One transformed tile.
    pub tile: Aligned<f32>,
    /// Results.
    pub products: Aligned<f32>,
    /// Chains and empty regions of the boards, for networks that pool over them.
    pub regions: Regions,
    /// Where the time goes, if somebody wants to know.
    pub profiler: Profiler,
    /// What the stem convolution makes of the constant values of its planes; empty at first.
    pub of_constants: Aligned<f32>,
}

impl Memory {
    /// For buffers of so many channels, padded, and these frames.
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

    /// The boards it is for.
    pub fn boards(&self) -> Boards {
        self.boards
    }

    /// How the cells of a buffer are arranged.
    pub fn frame(&self, slot: Slot) -> Frame {
        self.buffers[slot.0].frame
    }

    /// A buffer, `[board][cell][channel]`.
    pub fn values(&self, slot: Slot) -> &[f32] {
        &self.buffers[slot.0].values
    }

    /// A buffer, and the work memory beside it.
    pub fn with_work(&mut self, slot: Slot) -> (&[f32], &mut Work) {
        (&self.buffers[slot.0].values, &mut self.work)
    }

    /// Up to two different buffers for writing, and the work memory beside them.
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

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        let buffers: usize = self.buffers.iter().map(|buffer| buffer.values.len()).sum();
        let work = &self.work;
        let floats = buffers + work.floats.len() + work.scales.len() + work.tile.len();
        4 * (floats + work.products.len() + work.of_constants.len()) + 2 * work.integers.len()
    }
}
