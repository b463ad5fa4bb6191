//! Epilogues: steps applied to the results of a layer before they are stored.

use super::boards::{Boards, Frame};
use super::memory::{Memory, Vectors, Work};
use super::simd::{Finish, Output, ResidualMode, Stack, padded};
use crate::nn::desc::Activation;
use crate::nn::plan::{Affine, Bias, Conv, Normed, ValueId};

/// Epilogue of a layer.
#[derive(Clone, Debug)]
pub struct Epilogue {
    /// Padded if constant.
    bias: Bias,
    /// The residual connection, where the sum is stored, and how results are combined with it.
    stack: Option<(ValueId, ResidualMode)>,
    /// Steps after the sum; norms are padded.
    output: Option<Normed>,
}

impl Epilogue {
    /// Of a convolution.
    pub fn of(conv: &Conv) -> Epilogue {
        let outputs = conv.kernel.outputs;
        let mode = |is_rectified| match is_rectified {
            true => ResidualMode::AddsToRelu,
            false => ResidualMode::Adds,
        };
        let residual = conv.residual;
        let residual = residual.map(|residual| (residual.from, mode(residual.is_rectified)));
        Epilogue {
            bias: match &conv.bias {
                None => Bias::Constant(vec![0.0; padded(outputs)]),
                Some(Bias::Constant(bias)) => Bias::Constant(lengthened(bias.clone())),
                Some(Bias::Boards(id)) => Bias::Boards(*id),
            },
            // The sum has the place of the residual.
            stack: residual.or(conv.raw.map(|raw| (raw, ResidualMode::Replaces))),
            output: conv.normed.clone().map(lengthened_norm),
        }
    }

    /// Stores so many results, normed and activated.
    pub fn into(normed: Normed, outputs: usize) -> Epilogue {
        Epilogue {
            bias: Bias::Constant(vec![0.0; padded(outputs)]),
            stack: None,
            output: Some(lengthened_norm(normed)),
        }
    }

    /// Where results are stored as they are, if they are.
    pub fn plain_output(&self) -> Option<ValueId> {
        let has_bias = match &self.bias {
            Bias::Constant(bias) => bias.iter().any(|&bias| bias != 0.0),
            Bias::Boards(_) => true,
        };
        let output = self.output.as_ref();
        let output = output.filter(|output| output.norm.is_none());
        let output = output.filter(|output| output.activation == Activation::Identity);
        match has_bias || self.stack.is_some() {
            true => None,
            false => output.map(|output| output.to),
        }
    }

    /// Stores so many results as they are.
    pub fn plain(to: ValueId, outputs: usize) -> Epilogue {
        let normed = Normed {
            to,
            norm: None,
            activation: Activation::Identity,
        };
        Epilogue::into(normed, outputs)
    }
}

/// Padded with zeros.
pub fn lengthened(mut values: Vec<f32>) -> Vec<f32> {
    values.resize(padded(values.len()), 0.0);
    values
}

fn lengthened_norm(normed: Normed) -> Normed {
    let lengthened = |norm: Affine| Affine {
        scale: lengthened(norm.scale),
        bias: lengthened(norm.bias),
    };
    Normed {
        norm: normed.norm.map(lengthened),
        ..normed
    }
}

/// An epilogue with its buffers resolved.
pub struct EpilogueBuffers<'a> {
    channels: usize,
    epilogue: &'a Epilogue,
    vectors: &'a [Vectors],
    stack: Option<&'a mut [f32]>,
    output: Option<&'a mut [f32]>,
    frame: Frame,
}

impl<'a> EpilogueBuffers<'a> {
    /// For results with this many channels.
    pub fn new(
        channels: usize,
        epilogue: &'a Epilogue,
        memory: &'a mut Memory,
    ) -> (EpilogueBuffers<'a>, &'a mut Work) {
        let to = epilogue.output.as_ref().map(|output| output.to);
        let frame = to.map_or(Frame::Plain, |to| memory.kind(to).frame);
        let parts = memory.for_writing([epilogue.stack.map(|(id, _)| id), to]);
        let [stack, output] = parts.buffers;
        let buffers = EpilogueBuffers {
            channels,
            epilogue,
            vectors: parts.vectors,
            stack,
            output,
            frame,
        };
        (buffers, parts.work)
    }

    /// The epilogue of one board.
    pub fn of_board(&mut self, board: usize, boards: Boards) -> Finish<'_> {
        let channels = self.channels;
        let part = |cells: usize| board * cells * channels..(board + 1) * cells * channels;
        let stack = self.stack.as_deref_mut().zip(self.epilogue.stack);
        let output = self
            .output
            .as_deref_mut()
            .zip(self.epilogue.output.as_ref());
        Finish {
            bias: match &self.epilogue.bias {
                Bias::Constant(bias) => bias,
                Bias::Boards(id) => self.vectors[id.0].padded(board),
            },
            stack: stack.map(|(stack, (_, residual_mode))| Stack {
                values: &mut stack[part(boards.area())],
                residual_mode,
            }),
            output: output.map(|(values, normed)| Output {
                norm: normed
                    .norm
                    .as_ref()
                    .map(|norm| (&norm.scale[..], &norm.bias[..])),
                activation: normed.activation,
                values: &mut values[part(boards.cells(self.frame))],
                layout: boards.layout(self.frame),
            }),
        }
    }
}
