//! The convolution that reads the planes. Most of their values are 0, so each other value adds its
//! weights to the points around it.

use super::aligned::Aligned;
use super::boards::Boards;
use super::memory::Memory;
use super::pool::{Dense, Layer};
use super::simd::{Kernels, Points, padded};
use super::sink::{Biases, Ending, Sink};
use super::watch::Stage;
use crate::nn::desc::{self, Activation};
use crate::nn::features::InputBatch;

/// The plane that tells which cells are on the board, 1 everywhere: the first of all kinds of inputs
/// but Leela Zero's.
const ON_BOARD: usize = 0;

/// From planes and global inputs to the stack.
#[derive(Debug)]
pub struct Initial {
    kernels: Kernels,
    planes: usize,
    height: usize,
    width: usize,
    /// Padded.
    outputs: usize,
    /// `[plane][ky][kx][output]`, turned by 180 degrees: where a value's shares go.
    weights: Aligned<f32>,
    /// A plane that is 1 everywhere.
    constant: Option<usize>,
    bias: Vec<f32>,
    global: Option<Dense>,
    metadata: Vec<Layer>,
}

impl Initial {
    /// Copies the weights of a trunk.
    pub fn new(kernels: Kernels, trunk: &desc::Trunk) -> Initial {
        let encoder = trunk.metadata_encoder.as_ref();
        let metadata = encoder.map_or_else(Vec::new, |encoder| {
            let layer = |layer: &desc::DenseLayer| {
                Layer::new(&layer.matmul, Some(&layer.bias), layer.activation)
            };
            let last = Layer::new(&encoder.output, None, Activation::Identity);
            vec![layer(&encoder.first), layer(&encoder.second), last]
        });
        Initial {
            constant: Some(ON_BOARD),
            global: trunk
                .initial_global
                .as_ref()
                .map(|global| Dense::new(global, None)),
            metadata,
            ..Initial::of_planes(kernels, &trunk.initial_conv, None)
        }
    }

    /// Copies the weights of a convolution that reads nothing but planes, its outputs multiplied
    /// by a scale and moved by a shift.
    pub fn of_planes(
        kernels: Kernels,
        conv: &desc::Conv,
        norm: Option<(&[f32], &[f32])>,
    ) -> Initial {
        let scale = |output: usize| norm.map_or(1.0, |(scale, _)| scale[output]);
        let (height, width, outputs) =
            (conv.kernel_height, conv.kernel_width, padded(conv.outputs));
        let mut weights = Aligned::zeroed(conv.inputs * height * width * outputs);
        let taps = conv
            .weights
            .chunks_exact(conv.inputs * conv.outputs)
            .rev()
            .enumerate();
        for (tap, of_planes) in taps {
            for (plane, row) in of_planes.chunks_exact(conv.outputs).enumerate() {
                let start = (plane * height * width + tap) * outputs;
                for (output, weight) in row.iter().enumerate() {
                    weights[start + output] = weight * scale(output);
                }
            }
        }
        let bias = norm.map_or_else(Vec::new, |(_, shift)| shift.to_vec());
        Initial {
            kernels,
            planes: conv.inputs,
            height,
            width,
            outputs,
            weights,
            constant: None,
            bias,
            global: None,
            metadata: Vec::new(),
        }
    }

    /// How much it must be told of the players.
    pub fn metadata_len(&self) -> usize {
        self.metadata.first().map_or(0, Layer::inputs)
    }

    /// Writes the stack, and what the first block makes of it.
    pub fn run(&self, inputs: &InputBatch, sink: &Sink, memory: &mut Memory) {
        let boards = memory.boards();
        let everywhere = self.everywhere(inputs, boards.count);
        let mut sums = std::mem::take(&mut memory.work.floats);
        let row = boards.size.width() + self.width - 1;
        let cells = row * (boards.size.height() + self.height - 1);
        let of_board = boards.area() * self.planes;
        let (mut ending, work) =
            Ending::new(self.outputs, Biases::PerBoard(&everywhere), sink, memory);
        for (board, planes) in inputs.spatial.chunks_exact(of_board).enumerate() {
            if work.constant.is_empty() {
                work.constant.grow(cells * self.outputs);
                for (point, plane) in (0..boards.area()).flat_map(|p| self.constant.map(|c| (p, c)))
                {
                    self.scatter(boards, point, plane, 1.0, &mut work.constant);
                }
            }
            sums.grow(cells * self.outputs);
            sums[..cells * self.outputs].copy_from_slice(&work.constant);
            for (point, values) in planes.chunks_exact(self.planes).enumerate() {
                for (plane, &value) in values.iter().enumerate() {
                    let rest = if Some(plane) == self.constant {
                        value - 1.0
                    } else {
                        value
                    };
                    if rest != 0.0 {
                        self.scatter(boards, point, plane, rest, &mut sums);
                    }
                }
            }
            self.finish(&sums, board, boards, &mut ending);
        }
        memory.work.floats = sums;
        memory.work.watch.lap(Stage::Initial);
    }

    /// Adds a value's share to the points around it. The sums have a margin for points off the
    /// board.
    fn scatter(&self, boards: Boards, point: usize, plane: usize, value: f32, sums: &mut [f32]) {
        let (x, y) = (point % boards.size.width(), point / boards.size.width());
        let row = (boards.size.width() + self.width - 1) * self.outputs;
        let line = self.width * self.outputs;
        let weights = &self.weights[plane * self.height * line..][..self.height * line];
        for (ky, weights) in weights.chunks_exact(line).enumerate() {
            let to = &mut sums[(y + ky) * row + x * self.outputs..][..line];
            self.kernels.add_multiple(to, weights, value);
        }
    }

    fn finish(&self, sums: &[f32], board: usize, boards: Boards, ending: &mut Ending) {
        let (width, height) = (boards.size.width(), boards.size.height());
        let row = width + self.width - 1;
        for y in 0..height {
            let first = (y + self.height / 2) * row + self.width / 2;
            let points = Points {
                width,
                first: y * width,
                count: width,
            };
            let results = &sums[first * self.outputs..][..width * self.outputs];
            let finish = ending.of_board(board, boards);
            self.kernels
                .finish(results, self.outputs, points, height, finish);
        }
    }

    /// What is added at every point, `[board][channel]`.
    fn everywhere(&self, inputs: &InputBatch, boards: usize) -> Vec<f32> {
        let metadata_len = self.metadata_len();
        let of_board = |board: usize| {
            let mut sums = self.bias.clone();
            sums.resize(self.outputs, 0.0);
            if let Some(matrix) = &self.global {
                let globals = &inputs.global[board * matrix.inputs()..][..matrix.inputs()];
                matrix.add_product(globals, &mut sums);
            }
            if let Some((first, others)) = self.metadata.split_first() {
                let metadata = &inputs.metadata[board * metadata_len..][..metadata_len];
                let encode = |values: Vec<f32>, layer: &Layer| layer.of(&values);
                let encoded = others.iter().fold(first.of(metadata), encode);
                sums.iter_mut()
                    .zip(encoded)
                    .for_each(|(sum, value)| *sum += value);
            }
            sums
        };
        (0..boards).flat_map(of_board).collect()
    }
}
