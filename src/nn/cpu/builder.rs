//! What the parts of a plan are built with: arithmetic, buffers, packed layers.

use super::boards::{Boards, Frame};
use super::conv::Conv;
use super::memory::{Slot, Use};
use super::simd::{Isa, Kernels, TileSide, padded};
use super::weights::Arithmetic;
use crate::go::BoardSize;
use crate::nn::desc::{self, MatMul};

/// Builds layers, and hands out buffers.
#[derive(Debug)]
pub struct Builder {
    arithmetic: Arithmetic,
    chosen: Arithmetic,
    slots: Vec<(Use, Frame, usize)>,
    cost: PlanCost,
    only_size: Option<BoardSize>,
}

/// Memory and work of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanCost {
    /// Memory of the packed weights, in bytes; all threads share it.
    pub weight_bytes: usize,
    /// Multiply-adds of the matrix products of 3x3 convolutions, for each place of a transformed
    /// tile.
    pub per_place: usize,
    /// Those of matrix products at each point.
    pub per_point: usize,
}

impl Builder {
    /// With nothing built, for an instruction set that the machine has, and for boards of one size
    /// or of all.
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

    /// How large layers compute.
    pub fn chosen(&self) -> Arithmetic {
        self.chosen
    }

    /// Makes the layers to come compute in floats.
    pub fn compute_exactly(&mut self) {
        self.arithmetic.is_integer = false;
    }

    /// That of the boards, if there is only one.
    pub fn only_size(&self) -> Option<BoardSize> {
        self.only_size
    }

    /// How the layers to come compute.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Of the machine.
    pub fn kernels(&self) -> Kernels {
        self.arithmetic.kernels
    }

    /// Of all layers built.
    pub fn cost(&self) -> PlanCost {
        self.cost
    }

    /// Frame and channels of all buffers.
    pub fn buffers(&self) -> Vec<(Frame, usize)> {
        let buffer = |&(_, frame, channels): &(Use, Frame, usize)| (frame, channels);
        self.slots.iter().map(buffer).collect()
    }

    /// A buffer for so many channels; the same one for the same demands.
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

    /// A convolution that reads such a frame, its outputs multiplied by a scale where there is one.
    pub fn conv(&mut self, conv: &desc::Conv, frame: Frame, scale: Option<&[f32]>) -> Conv {
        let conv = Conv::new(self.arithmetic, conv, frame, scale);
        self.counted(conv)
    }

    /// A 1x1 convolution in floats: for layers that are so small that rounding their inputs costs more
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
