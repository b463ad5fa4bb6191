//! Steps that read or write values of whole boards: global pooling, layers, and what leaves the network.

use super::memory::Memory;
use super::profiler::Stage;
use crate::nn::desc::{self, Activation};
use crate::nn::plan::{Dense, Third, ValueId};

/// Global pooling.
#[derive(Debug)]
pub struct Pool {
    pub from: ValueId,
    pub to: ValueId,
    /// Pooled channels.
    pub channels: usize,
    pub third: Third,
}

impl Pool {
    /// Writes the pooled values of each board.
    pub fn run(&self, memory: &mut Memory) {
        let boards = memory.boards();
        let stride = memory.kind(self.from).channels;
        let (of_board, channels) = (boards.area() * stride, self.channels);
        let (area, side) = (
            boards.area() as f32,
            desc::relative_side(boards.size) as f32,
        );
        memory.write(self.to, |memory, board, pooled| {
            let points = &memory.values(self.from)[board * of_board..][..of_board];
            let (sums, greatest) = sum_and_max(points, stride);
            for channel in 0..channels {
                let mean = sums[channel] / area;
                pooled[channel] = mean;
                pooled[channels + channel] = mean * side * 0.1;
                pooled[2 * channels + channel] = match self.third {
                    Third::Maximum => greatest[channel].max(-1.0),
                    Third::Square => mean * (side * side * 0.01 - 0.1),
                };
            }
        });
        memory.work.profiler.lap(Stage::Others);
    }
}

/// Sum and maximum over all points of one board, `[point][stride]`.
fn sum_and_max(points: &[f32], stride: usize) -> (Vec<f32>, Vec<f32>) {
    let mut sums = vec![0.0; stride];
    let mut greatest = vec![f32::NEG_INFINITY; stride];
    for point in points.chunks_exact(stride) {
        for ((sum, greatest), &value) in sums.iter_mut().zip(&mut greatest).zip(point) {
            *sum += value;
            *greatest = if value > *greatest { value } else { *greatest };
        }
    }
    (sums, greatest)
}

/// Writes the points of each board, `[point][channel]`, as `[channel][point]`.
#[derive(Debug)]
pub struct Turn {
    pub from: ValueId,
    pub to: ValueId,
}

impl Turn {
    /// Writes the vectors.
    pub fn run(&self, memory: &mut Memory) {
        let area = memory.boards().area();
        let stride = memory.kind(self.from).channels;
        memory.write(self.to, |memory, board, to| {
            let points = &memory.values(self.from)[board * area * stride..][..area * stride];
            for (channel, to) in to.chunks_exact_mut(area).enumerate() {
                let from = points[channel..].iter().step_by(stride);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        });
    }
}

/// Computes a layer for each board.
pub fn run_dense(dense: &Dense, memory: &mut Memory) {
    memory.write(dense.to, |memory, board, sums| {
        match &dense.bias {
            Some(bias) => sums.copy_from_slice(bias),
            None => sums.fill(0.0),
        }
        let inputs = memory.vectors(dense.from).of(board);
        let rows = dense.matrix.weights.chunks_exact(dense.matrix.outputs);
        for (input, row) in inputs.iter().zip(rows) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += input * weight;
            }
        }
        if let Some(plus) = dense.plus {
            let plus = memory.vectors(plus).of(board);
            sums.iter_mut()
                .zip(plus)
                .for_each(|(sum, plus)| *sum += plus);
        }
        sums.iter_mut()
            .for_each(|sum| *sum = activated(*sum, dense.activation));
    });
    memory.work.profiler.lap(Stage::Others);
}

/// An activation of one value.
fn activated(x: f32, activation: Activation) -> f32 {
    match activation {
        Activation::Identity => x,
        // As in the kernels, infinite values give NaN.
        Activation::Relu => x.max(0.0) + 0.0 * x,
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Mish => {
            let e = x.min(20.0).exp();
            let n = e * (e + 2.0);
            x * n / (n + 2.0)
        }
    }
}
