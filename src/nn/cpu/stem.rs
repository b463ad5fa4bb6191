//! The stem: the convolution that reads the planes.

use super::aligned::Aligned;
use super::epilogue::{Epilogue, EpilogueBuffers};
use super::memory::Memory;
use super::profiler::Stage;
use super::simd::{Kernels, Points, padded};
use super::sparse_inputs::{KernelShape, SparseInputs};
use crate::go::BoardSize;
use crate::nn::desc;
use crate::nn::features::InputBatch;

/// From planes to the trunk.
#[derive(Debug)]
pub struct Stem {
    kernels: Kernels,
    /// Constant value of each plane, else 0.
    constants: Vec<f32>,
    shape: KernelShape,
    /// See [`KernelShape`].
    weights: Aligned<f32>,
    epilogue: Epilogue,
}

impl Stem {
    /// Copies the weights, multiplied by the output's scale if scales are given. `ones` is a plane that is
    /// 1 at all points.
    pub fn new(
        kernels: Kernels,
        conv: &desc::Conv,
        ones: Option<usize>,
        scale: Option<&[f32]>,
        epilogue: Epilogue,
    ) -> Stem {
        let scale = |output: usize| scale.map_or(1.0, |scale| scale[output]);
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
        let mut constants = vec![0.0; shape.planes];
        ones.into_iter().for_each(|plane| constants[plane] = 1.0);
        Stem {
            kernels,
            constants,
            shape,
            weights,
            epilogue,
        }
    }

    /// Writes the trunk, and the input of the first block.
    pub fn run(&self, inputs: &InputBatch, memory: &mut Memory) {
        let boards = memory.boards();
        let (width, height) = (boards.size.width(), boards.size.height());
        let sparse = SparseInputs::new(&inputs.spatial, &self.constants, boards.size, self.shape);
        let channels = self.shape.channels;
        let (mut buffers, work) = EpilogueBuffers::new(channels, &self.epilogue, memory);
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
}
