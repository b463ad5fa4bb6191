//! Builder of plans: buffers and packed layers.

use super::boards::{Boards, Frame};
use super::conv::Conv;
use super::memory::{Slot, Use};
use super::simd::{Isa, Kernels, TileSide, padded};
use super::weights::Arithmetic;
use crate::go::BoardSize;
use crate::nn::desc::{self, MatMul};

/// Builds layers, and assigns buffers.
#[derive(Debug)]
pub struct Builder {
    arithmetic: Arithmetic,
    chosen: Arithmetic,
    slots: Vec<(Use, Frame, usize)>,
    cost: PlanCost,
    only_size: Option<BoardSize>,
}

/// Memory and operations of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanCost {
    /// Memory of the packed weights in bytes, shared by all threads.
    pub weight_bytes: usize,
    /// Multiply-adds of the matrix products of 3x3 convolutions, per place of a transformed tile.
    pub per_place: usize,
    /// Multiply-adds of other matrix products, per point.
    pub per_point: usize,
}

impl Builder {
    /// For an instruction set of the machine, and for boards of one size or of all.
    pub fn for_machine(isa: Isa, is_integer: bool, only_size: Option<BoardSize>) -> Builder {
        let side = |size| Boards { size, count: 1 }.tiles(0).side;
        let arithmetic = Arithmetic {
            kernels: Kernels::new(isa),
            is_integer,
            tile_sides: only_size.map_or(&TileSide::ALL, |size| side(size).alone()),
        };
        Builder {
            arithmetic,
            chosen: arithmetic,
            slots: Vec::new(),
            cost: PlanCost::default(),
            only_size,
        }
    }

    /// Arithmetic of large layers.
    pub fn chosen(&self) -> Arithmetic {
        self.chosen
    }

    /// Makes the following layers compute in floats.
    pub fn compute_exactly(&mut self) {
        self.arithmetic.is_integer = false;
    }

    /// The size of the boards, if there is only one.
    pub fn only_size(&self) -> Option<BoardSize> {
        self.only_size
    }

    /// Arithmetic of the following layers.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Kernels of the machine.
    pub fn kernels(&self) -> Kernels {
        self.arithmetic.kernels
    }

    /// Memory and operations of the layers built so far.
    pub fn cost(&self) -> PlanCost {
        self.cost
    }

    /// Layout and channels of all buffers.
    pub fn buffers(&self) -> Vec<(Frame, usize)> {
        let buffer = |&(_, frame, channels): &(Use, Frame, usize)| (frame, channels);
        self.slots.iter().map(buffer).collect()
    }

    /// A buffer for this many channels; equal requests get the same one.
    pub fn slot(&mut self, purpose: Use, frame: Frame, channels: usize) -> Slot {
        // Winograd's transform reads all of its input before anything is written.
        let purpose = match (purpose, frame) {
            (Use::Inner, Frame::Padded) => Use::Input,
            _ => purpose,
        };
        let wanted = (purpose, frame, padded(channels));
        let known = self.slots.iter().position(|&slot| slot == wanted);
        Slot(known.unwrap_or_else(|| {
            self.slots.push(wanted);
            self.slots.len() - 1
        }))
    }

    /// A convolution that reads this layout, its outputs scaled if scales are given.
    pub fn conv(&mut self, conv: &desc::Conv, frame: Frame, scale: Option<&[f32]>) -> Conv {
        let conv = Conv::new(self.arithmetic, conv, frame, scale);
        self.counted(conv)
    }

    /// A 1x1 convolution in floats: for layers so small that rounding their inputs would cost more
    /// than it saves.
    pub fn exact_conv(&mut self, conv: &desc::Conv) -> Conv {
        let arithmetic = Arithmetic {
            is_integer: false,
            ..self.arithmetic
        };
        let conv = Conv::new(arithmetic, conv, Frame::Plain, None);
        self.counted(conv)
    }

    /// A matrix product at each point.
    pub fn matrix(&mut self, matrix: &MatMul) -> Conv {
        let conv = Conv::of_matrix(self.arithmetic, matrix);
        self.counted(conv)
    }

    fn counted(&mut self, conv: Conv) -> Conv {
        self.cost.weight_bytes += conv.bytes();
        match conv.frame() {
            Frame::Padded => self.cost.per_place += conv.multiply_adds(),
            Frame::Plain => self.cost.per_point += conv.multiply_adds(),
        }
        conv
    }
}
