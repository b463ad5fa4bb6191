//! The memory of an evaluation, allocated once per thread and board size.

use super::aligned::Aligned;
use super::boards::{Boards, Frame};
use super::profiler::Profiler;
use super::simd::padded;
use crate::nn::plan::memory::Slots;
use crate::nn::plan::{Extent, Value, ValueId};
use crate::nn::regions::Regions;

/// Layout of values of points, and their padded channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub frame: Frame,
    pub channels: usize,
}

/// Values, and temporary memory of layers.
#[derive(Debug)]
pub struct Memory {
    boards: Boards,
    slots: Slots<Kind>,
    /// Of each slot.
    buffers: Vec<Aligned<f32>>,
    /// Values of boards and maps, by value; empty for others.
    vectors: Vec<Vectors>,
    /// Temporary memory.
    pub work: Work,
}

/// One vector for each board.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    len: usize,
    /// Of vectors; those that may be a bias are padded with zeros.
    stride: usize,
    values: Vec<f32>,
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
    /// Results of chain pooling for each point.
    pub of_points: Aligned<f32>,
    /// Chains and empty regions of the boards, for networks with chain pooling.
    pub regions: Regions,
    /// The profiler, inactive by default.
    pub profiler: Profiler,
    /// Output of the stem for constant planes; empty at first.
    pub of_constants: Aligned<f32>,
}

/// Parts that are used together.
pub struct Parts<'a> {
    /// Two buffers for writing.
    pub buffers: [Option<&'a mut [f32]>; 2],
    /// By value.
    pub vectors: &'a [Vectors],
    /// Temporary memory.
    pub work: &'a mut Work,
}

impl Vectors {
    fn new(value: &Value, boards: Boards) -> Vectors {
        let (len, stride) = match value.extent {
            Extent::Points => (0, 0),
            Extent::Boards => (value.channels, padded(value.channels)),
            Extent::Maps => (
                value.channels * boards.area(),
                value.channels * boards.area(),
            ),
        };
        Vectors {
            len,
            stride,
            values: vec![0.0; boards.count * stride],
        }
    }

    /// The vector of a board.
    pub fn of(&self, board: usize) -> &[f32] {
        &self.values[board * self.stride..][..self.len]
    }

    /// The vector of a board, with its padding.
    pub fn padded(&self, board: usize) -> &[f32] {
        &self.values[board * self.stride..][..self.stride]
    }

    /// The vector of a board, for writing.
    pub fn of_mut(&mut self, board: usize) -> &mut [f32] {
        &mut self.values[board * self.stride..][..self.len]
    }
}

impl Memory {
    /// For values with these slots.
    pub fn new(slots: &Slots<Kind>, values: &[Value], boards: Boards) -> Memory {
        let buffer =
            |kind: &Kind| Aligned::zeroed(boards.count * boards.cells(kind.frame) * kind.channels);
        let vectors = values.iter().map(|value| Vectors::new(value, boards));
        Memory {
            boards,
            slots: slots.clone(),
            buffers: slots.kinds.iter().map(buffer).collect(),
            vectors: vectors.collect(),
            work: Work::default(),
        }
    }

    /// The boards that it was made for.
    pub fn boards(&self) -> Boards {
        self.boards
    }

    /// # Panics
    ///
    /// Panics for values that are not of points.
    fn slot(&self, id: ValueId) -> usize {
        self.slots.of(id).expect("values of points have a slot")
    }

    /// Layout and channels of values of points.
    pub fn kind(&self, id: ValueId) -> Kind {
        self.slots.kinds[self.slot(id)]
    }

    /// Values of points, `[board][cell][channel]`.
    pub fn values(&self, id: ValueId) -> &[f32] {
        &self.buffers[self.slot(id)]
    }

    /// Values of points, and the temporary memory.
    pub fn with_work(&mut self, id: ValueId) -> (&[f32], &mut Work) {
        let slot = self.slot(id);
        (&self.buffers[slot], &mut self.work)
    }

    /// Up to two values of points for writing, which have different slots, and what else there is.
    pub fn for_writing(&mut self, ids: [Option<ValueId>; 2]) -> Parts<'_> {
        let slots = ids.map(|id| id.map(|id| self.slot(id)));
        let mut found = [None, None];
        for (index, buffer) in self.buffers.iter_mut().enumerate() {
            if let Some(place) = slots.iter().position(|slot| *slot == Some(index)) {
                found[place] = Some(&mut **buffer);
            }
        }
        Parts {
            buffers: found,
            vectors: &self.vectors,
            work: &mut self.work,
        }
    }

    /// Takes values of points out, to be put back.
    pub fn take(&mut self, id: ValueId) -> Aligned<f32> {
        let slot = self.slot(id);
        std::mem::take(&mut self.buffers[slot])
    }

    /// Puts values of points back.
    pub fn put(&mut self, id: ValueId, values: Aligned<f32>) {
        let slot = self.slot(id);
        self.buffers[slot] = values;
    }

    /// Values of boards or maps.
    pub fn vectors(&self, id: ValueId) -> &Vectors {
        &self.vectors[id.0]
    }

    /// Writes values of boards or maps, given the rest of the memory.
    pub fn write(&mut self, id: ValueId, mut of_board: impl FnMut(&Memory, usize, &mut [f32])) {
        let mut vectors = std::mem::take(&mut self.vectors[id.0]);
        for board in 0..self.boards.count {
            of_board(self, board, vectors.of_mut(board));
        }
        self.vectors[id.0] = vectors;
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        let buffers: usize = self.buffers.iter().map(|buffer| buffer.len()).sum();
        let vectors: usize = self.vectors.iter().map(|all| all.values.len()).sum();
        let work = &self.work;
        let floats = buffers + vectors + work.floats.len() + work.scales.len() + work.tile.len();
        4 * (floats + work.products.len() + work.of_constants.len()) + 2 * work.integers.len()
    }
}
