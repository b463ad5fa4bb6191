//! RMS norms.

use super::epilogue::{Epilogue, EpilogueBuffers};
use super::memory::Memory;
use super::profiler::Stage;
use super::simd::{Kernels, Points, Rows, padded};
use crate::nn::desc::Activation;
use crate::nn::plan::{self, Normed, ValueId};

/// See [`plan::RmsNorm`].
#[derive(Debug)]
pub struct RmsNorm {
    kernels: Kernels,
    source: ValueId,
    channels: usize,
    epsilon: f32,
    is_spatial: bool,
    finish: Finish,
}

/// What follows the division by the root mean square.
#[derive(Debug)]
enum Finish {
    /// Nothing: the results are written at once.
    Nothing(ValueId),
    /// A norm and an activation.
    Normed(Box<Epilogue>),
}

impl RmsNorm {
    /// For values with so many channels.
    pub fn new(kernels: Kernels, norm: plan::RmsNorm, channels: usize) -> RmsNorm {
        let is_finished = !norm.is_spatial && is_plain(&norm.normed);
        RmsNorm {
            kernels,
            source: norm.from,
            channels,
            epsilon: norm.epsilon,
            is_spatial: norm.is_spatial,
            finish: match is_finished {
                true => Finish::Nothing(norm.normed.to),
                false => Finish::Normed(Epilogue::into(norm.normed, channels).into()),
            },
        }
    }

    /// Writes the normed values of all points.
    pub fn run(&self, memory: &mut Memory) {
        match &self.finish {
            Finish::Nothing(to) => {
                let mut normed = memory.take(*to);
                self.norm_points(memory, &mut normed);
                memory.put(*to, normed);
            }
            Finish::Normed(epilogue) => self.run_with(epilogue, memory),
        }
        memory.work.profiler.lap(Stage::Others);
    }

    fn run_with(&self, epilogue: &Epilogue, memory: &mut Memory) {
        let (boards, stride) = (memory.boards(), padded(self.channels));
        let of_board = boards.area() * stride;
        let mut normed = std::mem::take(&mut memory.work.floats);
        normed.grow(boards.count * of_board);
        if self.is_spatial {
            let boards = memory.values(self.source).chunks_exact(of_board);
            for (values, normed) in boards.zip(normed.chunks_exact_mut(of_board)) {
                self.norm_board(values, normed);
            }
        } else {
            self.norm_points(memory, &mut normed);
        }
        let (mut buffers, _) = EpilogueBuffers::new(stride, epilogue, memory);
        let (width, height) = (boards.size.width(), boards.size.height());
        let points = Points {
            width,
            first: 0,
            count: boards.area(),
        };
        for (board, normed) in normed.chunks_exact(of_board).take(boards.count).enumerate() {
            let finish = buffers.of_board(board, boards);
            self.kernels.finish(normed, stride, points, height, finish);
        }
        memory.work.floats = normed;
    }

    /// With a mean for each point.
    fn norm_points(&self, memory: &Memory, normed: &mut [f32]) {
        let boards = memory.boards();
        let rows = Rows {
            values: memory.values(self.source),
            stride: padded(self.channels),
            count: boards.count * boards.area(),
        };
        self.kernels
            .rms_norm(rows, self.channels, self.epsilon, normed);
    }

    /// With one mean for all points of a board.
    fn norm_board(&self, values: &[f32], normed: &mut [f32]) {
        let squares: f64 = values
            .iter()
            .map(|&value| value as f64 * value as f64)
            .sum();
        let count = values.len() / padded(self.channels) * self.channels;
        let mean = squares / count as f64;
        let factor = 1.0 / (mean + self.epsilon as f64).sqrt();
        for (normed, value) in normed.iter_mut().zip(values) {
            *normed = value * factor as f32;
        }
    }
}

/// Whether nothing is left to do.
fn is_plain(normed: &Normed) -> bool {
    normed.norm.is_none() && normed.activation == Activation::Identity
}
