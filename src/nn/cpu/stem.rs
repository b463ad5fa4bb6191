//! The stem: the convolution that reads the planes.

use super::aligned::Aligned;
use super::epilogue::{Biases, Epilogue, EpilogueBuffers};
use super::memory::Memory;
use super::pool::{Dense, Layer};
use super::profiler::Stage;
use super::simd::{Kernels, Points, padded};
use super::sparse_inputs::{KernelShape, SparseInputs};
use crate::go::BoardSize;
use crate::nn::desc::{self, Activation};
use crate::nn::features::InputBatch;

/// The plane of ones on the board: the first of all input versions except Leela Zero's.
const ON_BOARD: usize = 0;

/// From planes and global inputs to the trunk.
#[derive(Debug)]
pub struct Stem {
    kernels: Kernels,
    /// Constant value of each plane, else 0.
    constants: Vec<f32>,
    /// Bias, padded.
    shape: KernelShape,
    /// See [`KernelShape`].
    weights: Aligned<f32>,
    bias: Vec<f32>,
    global: Option<Dense>,
    metadata: Vec<Layer>,
}

impl Stem {
    /// Copies the weights of a trunk.
    pub fn new(kernels: Kernels, trunk: &desc::Trunk) -> Stem {
        let encoder = trunk.metadata_encoder.as_ref();
        let metadata = encoder.map_or_else(Vec::new, |encoder| {
            let layer = |layer: &desc::DenseLayer| {
                Layer::new(&layer.matmul, Some(&layer.bias), layer.activation)
            };
            let last = Layer::new(&encoder.output, None, Activation::Identity);
            vec![layer(&encoder.first), layer(&encoder.second), last]
        });
        let of_planes = Stem::of_planes(kernels, &trunk.initial_conv, None);
        let mut constants = of_planes.constants.clone();
        constants[ON_BOARD] = 1.0;
        Stem {
            constants,
            global: trunk
                .initial_global
                .as_ref()
                .map(|global| Dense::new(global, None)),
            metadata,
            ..of_planes
        }
    }

    /// Copies the weights of a convolution without global inputs, its outputs scaled and shifted.
    pub fn of_planes(kernels: Kernels, conv: &desc::Conv, norm: Option<(&[f32], &[f32])>) -> Stem {
        let scale = |output: usize| norm.map_or(1.0, |(scale, _)| scale[output]);
        let shape = KernelShape {
            height: conv.kernel_height,
            width: conv.kernel_width,
            planes: conv.inputs,
            channels: padded(conv.outputs),
        };
        let mut weights = Aligned::zeroed(shape.count());
        let rows = conv.weights.chunks_exact(conv.outputs);
        for (to, row) in weights.chunks_exact_mut(shape.channels).zip(rows) {
            for (output, weight) in row.iter().enumerate() {
                to[output] = weight * scale(output);
            }
        }
        let bias = norm.map_or_else(Vec::new, |(_, shift)| shift.to_vec());
        Stem {
            kernels,
            constants: vec![0.0; shape.planes],
            shape,
            weights,
            bias,
            global: None,
            metadata: Vec::new(),
        }
    }

    /// Number of inputs about the players.
    pub fn metadata_len(&self) -> usize {
        self.metadata.first().map_or(0, Layer::inputs)
    }

    /// Writes the trunk, and the input of the first block.
    pub fn run(&self, inputs: &InputBatch, epilogue: &Epilogue, memory: &mut Memory) {
        let boards = memory.boards();
        let (width, height) = (boards.size.width(), boards.size.height());
        let everywhere = self.everywhere(inputs, boards.count);
        let sparse = SparseInputs::new(&inputs.spatial, &self.constants, boards.size, self.shape);
        let channels = self.shape.channels;
        let biases = Biases::PerBoard(&everywhere);
        let (mut buffers, work) = EpilogueBuffers::new(channels, biases, epilogue, memory);
        if work.of_constants.is_empty() {
            work.of_constants = self.of_constants(boards.size);
        }
        let of_line = width * channels;
        work.floats.grow(of_line);
        let line = &mut work.floats[..of_line];
        for (board, y) in (0..boards.count).flat_map(|b| (0..height).map(move |y| (b, y))) {
            line.copy_from_slice(&work.of_constants[y * of_line..][..of_line]);
            self.add_line(&sparse, (board, y), line);
            let points = Points {
                width,
                first: y * width,
                count: width,
            };
            let finish = buffers.of_board(board, boards);
            self.kernels.finish(line, channels, points, height, finish);
        }
        work.profiler.lap(Stage::Stem);
    }

    /// Output for planes with their constant values, `[point][channel]`.
    fn of_constants(&self, size: BoardSize) -> Aligned<f32> {
        let (planes, of_line) = (self.shape.planes, size.width() * self.shape.channels);
        let constants = self.constants.repeat(size.area());
        let sparse = SparseInputs::new(&constants, &vec![0.0; planes], size, self.shape);
        let mut sums = Aligned::zeroed(size.height() * of_line);
        for (y, line) in sums.chunks_exact_mut(of_line).enumerate() {
            self.add_line(&sparse, (0, y), line);
        }
        sums
    }

    fn add_line(&self, sparse: &SparseInputs, (board, y): (usize, usize), line: &mut [f32]) {
        let mut terms = Vec::new();
        for (x, sums) in line.chunks_exact_mut(self.shape.channels).enumerate() {
            sparse.around(board, (x, y), &mut terms);
            self.kernels.add_terms(sums, &self.weights, &terms);
        }
    }

    /// The bias of every point by global inputs, `[board][channel]`.
    fn everywhere(&self, inputs: &InputBatch, boards: usize) -> Vec<f32> {
        let metadata_len = self.metadata_len();
        let of_board = |board: usize| {
            let mut sums = self.bias.clone();
            sums.resize(self.shape.channels, 0.0);
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
