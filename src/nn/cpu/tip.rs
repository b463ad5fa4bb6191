//! The end of the trunk.

use super::blocks::{lengthened, normed_output};
use super::boards::Frame;
use super::builder::Builder;
use super::epilogue::{Biases, Epilogue, EpilogueBuffers, NormedOutput};
use super::memory::{Memory, Slot, Use};
use super::simd::{Kernels, Points, Rows, padded};
use crate::nn::desc::{self, RmsNormAct};

/// The step from the trunk to the heads' input.
#[derive(Debug)]
pub enum Tip {
    /// Done by the last layer that writes the trunk.
    Batch,
    /// An RMS norm.
    Rms(Box<RmsTip>),
}

/// See [`desc::RmsNormAct`].
#[derive(Debug)]
pub struct RmsTip {
    kernels: Kernels,
    stack: Slot,
    channels: usize,
    epsilon: f32,
    is_spatial: bool,
    no_bias: Vec<f32>,
    epilogue: Epilogue,
}

impl Tip {
    /// With the epilogue of the last block.
    pub fn new(
        tip: &desc::Tip,
        slot: Slot,
        channels: usize,
        builder: &mut Builder,
    ) -> (Tip, Option<NormedOutput>) {
        match tip {
            desc::Tip::Batch(norm_act) => (Tip::Batch, Some(normed_output(norm_act, slot))),
            desc::Tip::Rms(tip) => {
                let stack = builder.slot(Use::Stack(0), Frame::Plain, channels);
                (
                    Tip::Rms(RmsTip::new(builder.kernels(), tip, stack, slot).into()),
                    None,
                )
            }
        }
    }

    /// Writes the heads' input.
    pub fn run(&self, memory: &mut Memory) {
        if let Tip::Rms(tip) = self {
            tip.run(memory);
        }
    }
}

impl RmsTip {
    fn new(kernels: Kernels, tip: &RmsNormAct, stack: Slot, slot: Slot) -> RmsTip {
        let channels = tip.norm.weights.len();
        RmsTip {
            kernels,
            stack,
            channels,
            epsilon: tip.norm.epsilon,
            is_spatial: tip.is_spatial,
            no_bias: vec![0.0; padded(channels)],
            epilogue: Epilogue::into(NormedOutput {
                norm: Some((
                    lengthened(tip.norm.weights.clone()),
                    lengthened(tip.bias.clone()),
                )),
                activation: tip.activation,
                slot,
            }),
        }
    }

    fn run(&self, memory: &mut Memory) {
        let (boards, stride) = (memory.boards(), padded(self.channels));
        let of_board = boards.area() * stride;
        let mut normed = std::mem::take(&mut memory.work.floats);
        normed.grow(boards.count * of_board);
        let stack = memory.values(self.stack);
        if self.is_spatial {
            for (stack, normed) in stack
                .chunks_exact(of_board)
                .zip(normed.chunks_exact_mut(of_board))
            {
                self.norm_board(stack, normed, boards.area());
            }
        } else {
            let rows = Rows {
                values: stack,
                stride,
                count: boards.count * boards.area(),
            };
            self.kernels
                .rms_norm(rows, self.channels, self.epsilon, &mut normed);
        }
        let bias = Biases::Common(&self.no_bias);
        let (mut buffers, _) = EpilogueBuffers::new(stride, bias, &self.epilogue, memory);
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

    /// With one mean for all points.
    fn norm_board(&self, stack: &[f32], normed: &mut [f32], area: usize) {
        let squares: f64 = stack.iter().map(|&value| value as f64 * value as f64).sum();
        let mean = squares / (area * self.channels) as f64;
        let factor = 1.0 / (mean + self.epsilon as f64).sqrt();
        for (normed, value) in normed.iter_mut().zip(stack) {
            *normed = value * factor as f32;
        }
    }
}
