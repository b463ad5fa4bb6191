//! Work and memory of plans.

use std::iter::Sum;
use std::ops::Add;

use super::memory::{Slots, padded};
use super::{Extent, Operation, Plan, ValueId, Work};
use crate::go::BoardSize;
use crate::nn::desc::MatMul;

/// Multiply-adds of the convolutions and matrix products of one evaluation. Norms, activations and
/// pooling, a few percent, are not counted, and the board's edges are counted like its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Products {
    /// Per pair of points, in attention.
    pub per_pair: usize,
    /// Per point of the board.
    pub per_point: usize,
    /// Per board.
    pub per_board: usize,
}

/// Work and memory of an operation, for one board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications of the network as it is defined.
    pub multiplications: usize,
    /// Bytes of activations read and written, each once.
    pub bytes: usize,
    /// Bytes of weights.
    pub weights: usize,
}

impl Products {
    /// For one position on a board of this size.
    pub fn multiply_adds(self, size: BoardSize) -> u64 {
        self.on(size.area()) as u64
    }

    /// Floating-point operations in billions, two per multiply-add.
    pub fn gflop(self, size: BoardSize) -> f64 {
        2e-9 * self.multiply_adds(size) as f64
    }

    fn on(self, area: usize) -> usize {
        (self.per_pair * area + self.per_point) * area + self.per_board
    }
}

impl Add for Products {
    type Output = Products;

    fn add(self, other: Products) -> Products {
        Products {
            per_pair: self.per_pair + other.per_pair,
            per_point: self.per_point + other.per_point,
            per_board: self.per_board + other.per_board,
        }
    }
}

impl Sum for Products {
    fn sum<I: Iterator<Item = Products>>(all: I) -> Products {
        all.fold(Products::default(), Products::add)
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            multiplications: self.multiplications + other.multiplications,
            bytes: self.bytes + other.bytes,
            weights: self.weights + other.weights,
        }
    }
}

impl Work {
    /// The matrices that are multiplied by the channels of each point.
    fn matrices(&self) -> Vec<&MatMul> {
        match self {
            Work::Attention(attention) => vec![&attention.query, &attention.key, &attention.value],
            Work::Gated(gated) => vec![&gated.inner, &gated.gate],
            _ => vec![],
        }
    }

    /// Its multiply-adds.
    fn products(&self) -> Products {
        let of_points = self
            .matrices()
            .iter()
            .map(|matrix| matrix.weights.len())
            .sum();
        let mut products = Products {
            per_point: of_points,
            ..Products::default()
        };
        match self {
            Work::Conv(conv) => products.per_point = conv.kernel.weights.len(),
            Work::Maps(maps) => products.per_point = maps.kernel.weights.len(),
            Work::Dense(dense) => products.per_board = dense.matrix.weights.len(),
            Work::Attention(attention) => {
                let widths = attention.key_width + attention.value_width;
                products.per_pair = attention.heads * widths;
            }
            _ => {}
        }
        products
    }

    /// Bytes of weights, where those of points have this many bytes each and are padded.
    fn weight_bytes(&self, value_bytes: usize) -> usize {
        match self {
            Work::Conv(conv) => {
                let kernel = &conv.kernel;
                let taps = kernel.kernel_height * kernel.kernel_width;
                padded(kernel.inputs) * padded(kernel.outputs) * taps * value_bytes
            }
            Work::Maps(maps) => size_of_val(&maps.kernel.weights[..]),
            Work::Dense(dense) => size_of_val(&dense.matrix.weights[..]),
            _ => {
                let matrices = self.matrices().into_iter();
                let size = |matrix: &MatMul| padded(matrix.inputs) * padded(matrix.outputs);
                matrices.map(size).sum::<usize>() * value_bytes
            }
        }
    }
}

impl Plan {
    /// Multiply-adds of all operations.
    pub fn products(&self) -> Products {
        let operations = self.operations.iter();
        operations.map(|operation| operation.work.products()).sum()
    }

    /// The cost of an operation for a board of this area; values of points have this many bytes.
    pub fn cost(&self, operation: &Operation, area: usize, value_bytes: usize) -> Cost {
        let size = |id: ValueId| {
            let value = self.value(id);
            match value.extent {
                Extent::Points => padded(value.channels) * area * value_bytes,
                Extent::Boards => value.channels * size_of::<f32>(),
                Extent::Maps => value.channels * area * size_of::<f32>(),
            }
        };
        let work = &operation.work;
        let values = work.reads().into_iter().chain(work.writes());
        Cost {
            multiplications: work.products().on(area),
            bytes: values.map(size).sum(),
            weights: work.weight_bytes(value_bytes),
        }
    }

    /// The cost of all operations.
    pub fn total(&self, area: usize, value_bytes: usize) -> Cost {
        let costs = self.operations.iter();
        let costs = costs.map(|operation| self.cost(operation, area, value_bytes));
        costs.fold(Cost::default(), Cost::add)
    }

    /// Bytes of all values of points at once, for one board.
    pub fn activation_bytes(&self, area: usize, value_bytes: usize) -> usize {
        let channels: usize = Slots::new(self).kinds.iter().sum();
        channels * area * value_bytes
    }
}
