//! Epilogues: steps applied to the results of a layer before they are stored.

use super::boards::{Boards, Frame};
use super::memory::{Memory, Slot, Work};
use super::simd::{Finish, Output, ResidualMode, Stack};
use crate::nn::desc::Activation;

/// Epilogue of a layer.
#[derive(Clone, Debug)]
pub struct Epilogue {
    /// The residual connection.
    pub stack: Option<Slot>,
    /// How results are combined with it.
    pub residual_mode: ResidualMode,
    /// Steps after the sum.
    pub output: Option<NormedOutput>,
}

impl Epilogue {
    /// No residual connection.
    pub fn into(output: NormedOutput) -> Epilogue {
        Epilogue {
            stack: None,
            residual_mode: ResidualMode::Replaces,
            output: Some(output),
        }
    }
}

/// A norm and an activation, and the buffer of their results.
#[derive(Clone, Debug)]
pub struct NormedOutput {
    /// Scale and shift by channel, padded with zeros.
    pub norm: Option<(Vec<f32>, Vec<f32>)>,
    pub activation: Activation,
    /// Destination.
    pub slot: Slot,
}

/// A bias for every point: one value per channel, the same for all boards or one row each.
#[derive(Clone, Copy, Debug)]
pub enum Biases<'a> {
    /// The same for all boards.
    Common(&'a [f32]),
    /// `[board][channel]`
    PerBoard(&'a [f32]),
}

/// An epilogue with its buffers resolved.
pub struct EpilogueBuffers<'a> {
    channels: usize,
    bias: Biases<'a>,
    epilogue: &'a Epilogue,
    stack: Option<&'a mut [f32]>,
    output: Option<&'a mut [f32]>,
    frame: Frame,
}

impl<'a> EpilogueBuffers<'a> {
    /// For results with this many channels.
    pub fn new(
        channels: usize,
        bias: Biases<'a>,
        epilogue: &'a Epilogue,
        memory: &'a mut Memory,
    ) -> (EpilogueBuffers<'a>, &'a mut Work) {
        let slot = epilogue.output.as_ref().map(|output| output.slot);
        let frame = slot.map_or(Frame::Plain, |slot| memory.frame(slot));
        let ([stack, output], work) = memory.for_writing([epilogue.stack, slot]);
        let buffers = EpilogueBuffers {
            channels,
            bias,
            epilogue,
            stack,
            output,
            frame,
        };
        (buffers, work)
    }

    /// The epilogue of one board.
    pub fn of_board(&mut self, board: usize, boards: Boards) -> Finish<'_> {
        let channels = self.channels;
        let part = |cells: usize| board * cells * channels..(board + 1) * cells * channels;
        let stack = self.stack.as_deref_mut();
        let output = self
            .output
            .as_deref_mut()
            .zip(self.epilogue.output.as_ref());
        Finish {
            bias: match self.bias {
                Biases::Common(bias) => bias,
                Biases::PerBoard(biases) => &biases[board * channels..][..channels],
            },
            stack: stack.map(|stack| Stack {
                values: &mut stack[part(boards.area())],
                residual_mode: self.epilogue.residual_mode,
            }),
            output: output.map(|(values, normed)| Output {
                norm: normed
                    .norm
                    .as_ref()
                    .map(|(scale, shift)| (&scale[..], &shift[..])),
                activation: normed.activation,
                values: &mut values[part(boards.cells(self.frame))],
                layout: boards.layout(self.frame),
            }),
        }
    }
}
