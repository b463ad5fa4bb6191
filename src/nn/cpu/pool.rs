//! Global pooling, and matrix products of single vectors.

use super::boards::Boards;
use crate::nn::desc::{self, Activation};

/// Sum and maximum over all points of one board, `[point][stride]`, of the first channels.
fn sum_and_max(points: &[f32], stride: usize, channels: usize) -> (Vec<f32>, Vec<f32>) {
    let mut sums = vec![0.0; stride];
    let mut greatest = vec![f32::NEG_INFINITY; stride];
    for point in points.chunks_exact(stride) {
        for ((sum, greatest), &value) in sums.iter_mut().zip(&mut greatest).zip(point) {
            *sum += value;
            *greatest = if value > *greatest { value } else { *greatest };
        }
    }
    sums.truncate(channels);
    greatest.truncate(channels);
    (sums, greatest)
}

/// Mean, mean times side, and maximum (not below -1) of each channel.
pub fn pool_with_max(points: &[f32], stride: usize, channels: usize, boards: Boards) -> Vec<f32> {
    let (sums, greatest) = sum_and_max(points, stride, channels);
    let area = boards.area() as f32;
    let means = sums.iter().map(|sum| sum / area);
    let side = desc::relative_side(boards.size) as f32;
    let by_side = means.clone().map(|mean| mean * side * 0.1);
    let greatest = greatest.iter().map(|value| value.max(-1.0));
    means.clone().chain(by_side).chain(greatest).collect()
}

/// Mean, mean times side, and mean times square of side, of each channel.
pub fn pool_for_value(points: &[f32], stride: usize, channels: usize, boards: Boards) -> Vec<f32> {
    let (sums, _) = sum_and_max(points, stride, channels);
    let area = boards.area() as f32;
    let side = desc::relative_side(boards.size) as f32;
    let means = sums.iter().map(|sum| sum / area);
    let by_side = means.clone().map(|mean| mean * side * 0.1);
    let by_square = means.clone().map(|mean| mean * (side * side * 0.01 - 0.1));
    means.clone().chain(by_side).chain(by_square).collect()
}

/// A matrix for single vectors.
#[derive(Clone, Debug)]
pub struct Dense {
    outputs: usize,
    /// `[in][out]`
    weights: Vec<f32>,
}

impl Dense {
    /// Copies a matrix, its outputs scaled if scales are given.
    pub fn new(matmul: &desc::MatMul, scale: Option<&[f32]>) -> Dense {
        let rows = matmul.weights.chunks_exact(matmul.outputs);
        let scaled = |row: &[f32]| -> Vec<f32> {
            let scale = |output: usize| scale.map_or(1.0, |scale| scale[output]);
            row.iter()
                .enumerate()
                .map(|(o, weight)| weight * scale(o))
                .collect()
        };
        Dense {
            outputs: matmul.outputs,
            weights: rows.flat_map(scaled).collect(),
        }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.weights.len() / self.outputs
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// `sums += inputs * weights`, for the first of the sums.
    pub fn add_product(&self, inputs: &[f32], sums: &mut [f32]) {
        for (input, row) in inputs.iter().zip(self.weights.chunks_exact(self.outputs)) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += input * weight;
            }
        }
    }
}

/// `activation(inputs * matrix + bias)`.
#[derive(Clone, Debug)]
pub struct Layer {
    matrix: Dense,
    bias: Vec<f32>,
    activation: Activation,
}

impl Layer {
    /// With a bias, or without.
    pub fn new(matmul: &desc::MatMul, bias: Option<&desc::Bias>, activation: Activation) -> Layer {
        let bias = bias.map_or_else(|| vec![0.0; matmul.outputs], |bias| bias.weights.clone());
        Layer {
            matrix: Dense::new(matmul, None),
            bias,
            activation,
        }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.matrix.inputs()
    }

    /// Computes the layer for one vector.
    pub fn of(&self, inputs: &[f32]) -> Vec<f32> {
        let mut sums = self.bias.clone();
        self.matrix.add_product(inputs, &mut sums);
        sums.iter_mut()
            .for_each(|sum| *sum = activated(*sum, self.activation));
        sums
    }
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
