//! Where the results of layers go, and what is made of them on the way.

use super::boards::{Boards, Frame};
use super::memory::{Memory, Slot, Work};
use super::simd::{Finish, Joint, Output, Stack};
use crate::nn::desc::Activation;

/// What becomes of a layer's results.
#[derive(Clone, Debug)]
pub struct Sink {
    /// The residual connection.
    pub stack: Option<Slot>,
    /// What they do to it.
    pub joint: Joint,
    /// What is made of the sum.
    pub then: Option<Then>,
}

impl Sink {
    /// No residual connection.
    pub fn into(then: Then) -> Sink {
        Sink {
            stack: None,
            joint: Joint::Replaces,
            then: Some(then),
        }
    }
}

/// A norm and an activation, and where their results go.
#[derive(Clone, Debug)]
pub struct Then {
    /// Scale and shift by channel, padded with zeros.
    pub norm: Option<(Vec<f32>, Vec<f32>)>,
    /// Last.
    pub activation: Activation,
    /// Where to.
    pub slot: Slot,
}

/// A constant for every point: one value per channel, the same for all boards or one row each.
#[derive(Clone, Copy, Debug)]
pub enum Biases<'a> {
    /// The same for all boards.
    Common(&'a [f32]),
    /// `[board][channel]`
    PerBoard(&'a [f32]),
}

/// A sink with its buffers at hand.
pub struct Ending<'a> {
    channels: usize,
    bias: Biases<'a>,
    sink: &'a Sink,
    stack: Option<&'a mut [f32]>,
    output: Option<&'a mut [f32]>,
    frame: Frame,
}

impl<'a> Ending<'a> {
    /// For results of so many channels.
    pub fn new(
        channels: usize,
        bias: Biases<'a>,
        sink: &'a Sink,
        memory: &'a mut Memory,
    ) -> (Ending<'a>, &'a mut Work) {
        let slot = sink.then.as_ref().map(|then| then.slot);
        let frame = slot.map_or(Frame::Plain, |slot| memory.frame(slot));
        let ([stack, output], work) = memory.for_writing([sink.stack, slot]);
        let ending = Ending {
            channels,
            bias,
            sink,
            stack,
            output,
            frame,
        };
        (ending, work)
    }

    /// What becomes of the results of one board.
    pub fn of_board(&mut self, board: usize, boards: Boards) -> Finish<'_> {
        let channels = self.channels;
        let part = |cells: usize| board * cells * channels..(board + 1) * cells * channels;
        let stack = self.stack.as_deref_mut();
        let output = self.output.as_deref_mut().zip(self.sink.then.as_ref());
        Finish {
            bias: match self.bias {
                Biases::Common(bias) => bias,
                Biases::PerBoard(biases) => &biases[board * channels..][..channels],
            },
            stack: stack.map(|stack| Stack {
                values: &mut stack[part(boards.area())],
                joint: self.sink.joint,
            }),
            output: output.map(|(values, then)| Output {
                norm: then
                    .norm
                    .as_ref()
                    .map(|(scale, shift)| (&scale[..], &shift[..])),
                activation: then.activation,
                values: &mut values[part(boards.cells(self.frame))],
                layout: boards.layout(self.frame),
            }),
        }
    }
}
