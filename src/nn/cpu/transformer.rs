//! Norms before the matrices of transformer blocks, and gated feed-forward layers.
//!
//! The weights of a norm are merged into the following matrix, so that only the division by the
//! root mean square is left.

use super::aligned::Aligned;
use super::blocks::lengthened;
use super::boards::Frame;
use super::builder::Builder;
use super::conv::Conv;
use super::epilogue::{Epilogue, NormedOutput};
use super::memory::{Memory, Slot, Use};
use super::profiler::Stage;
use super::simd::{Kernels, Rows, padded};
use crate::nn::desc::{self, Activation, MatMul, RmsNorm};

/// Divides by the root mean square, then multiplies by a matrix.
#[derive(Debug)]
pub struct Projection {
    stack: Slot,
    channels: usize,
    epsilon: f32,
    normed: Slot,
    conv: Conv,
    epilogue: Epilogue,
    /// Destination of the products.
    pub results: Slot,
}

impl Projection {
    /// By several matrices side by side, each padded; also returns the first column of each.
    pub fn new(
        norm: &RmsNorm,
        matrices: &[&MatMul],
        stack: Slot,
        builder: &mut Builder,
    ) -> (Projection, Vec<usize>) {
        let channels = norm.weights.len();
        let starts = matrices.iter().scan(0, |next, matrix| {
            let start = *next;
            *next += padded(matrix.outputs);
            Some(start)
        });
        let joined = joined(norm, matrices);
        let results = builder.slot(Use::Inner, Frame::Plain, joined.outputs);
        let projection = Projection {
            stack,
            channels,
            epsilon: norm.epsilon,
            normed: builder.slot(Use::Input, Frame::Plain, channels),
            conv: builder.matrix(&joined),
            epilogue: Epilogue::into(NormedOutput {
                norm: None,
                activation: Activation::Identity,
                slot: results,
            }),
            results,
        };
        (projection, starts.collect())
    }

    /// Width of the products, with padding.
    pub fn outputs(&self) -> usize {
        self.conv.outputs()
    }

    /// Writes the products of all points.
    pub fn run(&self, kernels: Kernels, memory: &mut Memory) {
        let boards = memory.boards();
        let stride = padded(self.channels);
        let mut normed = memory.take(self.normed);
        let rows = Rows {
            values: memory.values(self.stack),
            stride,
            count: boards.count * boards.area(),
        };
        kernels.rms_norm(rows, self.channels, self.epsilon, &mut normed);
        memory.put(self.normed, normed);
        memory.work.profiler.lap(Stage::Others);
        self.conv.run(self.normed, None, &self.epilogue, memory);
    }
}

/// Matrices side by side, the rows multiplied by the weights of a norm, columns padded.
fn joined(norm: &RmsNorm, matrices: &[&MatMul]) -> MatMul {
    let mut weights = Vec::new();
    for (row, factor) in norm.weights.iter().enumerate() {
        for matrix in matrices {
            let row = &matrix.weights[row * matrix.outputs..][..matrix.outputs];
            weights.extend(lengthened(
                row.iter().map(|weight| weight * factor).collect(),
            ));
        }
    }
    MatMul {
        name: String::new(),
        inputs: norm.weights.len(),
        outputs: matrices.iter().map(|matrix| padded(matrix.outputs)).sum(),
        weights,
    }
}

/// See [`desc::FeedForwardBlock`].
#[derive(Debug)]
pub struct FeedForward {
    kernels: Kernels,
    projection: Projection,
    /// First column of the gate.
    gate: usize,
    hidden: Slot,
    output: Conv,
    epilogue: Epilogue,
}

impl FeedForward {
    /// For a residual connection with this epilogue.
    pub fn new(
        block: &desc::FeedForwardBlock,
        stack: Slot,
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> FeedForward {
        let matrices = [&block.inner, &block.gate];
        let (projection, starts) = Projection::new(&block.norm, &matrices, stack, builder);
        FeedForward {
            kernels: builder.kernels(),
            projection,
            gate: starts[1],
            hidden: builder.slot(Use::Input, Frame::Plain, block.output.inputs),
            output: builder.matrix(&block.output),
            epilogue,
        }
    }

    /// Adds the output at each point to the trunk.
    pub fn run(&self, memory: &mut Memory) {
        self.projection.run(self.kernels, memory);
        let mut hidden: Aligned<f32> = memory.take(self.hidden);
        let rows = memory
            .values(self.projection.results)
            .chunks_exact(2 * self.gate);
        for (row, hidden) in rows.zip(hidden.chunks_exact_mut(self.gate)) {
            let (inner, gate) = row.split_at(self.gate);
            self.kernels.gated(inner, gate, hidden);
        }
        memory.put(self.hidden, hidden);
        memory.work.profiler.lap(Stage::Others);
        self.output.run(self.hidden, None, &self.epilogue, memory);
    }
}
