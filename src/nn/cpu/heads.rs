//! Policy and value heads.

use super::blocks::{lengthened, normed_output};
use super::boards::{Boards, Frame};
use super::builder::Builder;
use super::conv::Conv;
use super::epilogue::{Biases, Epilogue, NormedOutput};
use super::memory::{Memory, Slot, Use};
use super::pool::{Dense, Layer, pool_for_value, pool_with_max};
use crate::nn::desc::{self, Activation, NormAct, PassHead};
use crate::nn::output::RawOutput;

/// A convolution of the trunk's output, or of a convolution's results, into a plain buffer.
#[derive(Debug)]
pub struct Part {
    source: Slot,
    conv: Conv,
    epilogue: Epilogue,
    slot: Slot,
}

impl Part {
    /// With a norm and activation, or without.
    pub fn new(
        conv: &desc::Conv,
        norm_act: Option<&NormAct>,
        source: Slot,
        purpose: Use,
        builder: &mut Builder,
    ) -> Part {
        let slot = builder.slot(purpose, Frame::Plain, conv.outputs);
        let plain = NormedOutput {
            norm: None,
            activation: Activation::Identity,
            slot,
        };
        Part {
            source,
            conv: builder.conv(conv, Frame::Plain, None),
            epilogue: Epilogue::into(
                norm_act.map_or(plain, |norm_act| normed_output(norm_act, slot)),
            ),
            slot,
        }
    }

    /// Writes the buffer, with biases `[board][channel]` if given.
    pub fn run(&self, biases: Option<&[f32]>, memory: &mut Memory) {
        let bias = biases.map(Biases::PerBoard);
        self.conv.run(self.source, bias, &self.epilogue, memory);
    }

    /// The results of each board, `[point][channel]`.
    pub fn results<'a>(&self, memory: &'a Memory) -> impl Iterator<Item = &'a [f32]> {
        let of_board = memory.boards().area() * self.conv.outputs();
        memory.values(self.slot).chunks_exact(of_board)
    }

    /// A board's results, `[channel][point]`.
    pub fn planes(&self, results: &[f32], channels: usize) -> Vec<f32> {
        let plane = |channel: usize| results[channel..].iter().step_by(self.conv.outputs());
        (0..channels)
            .flat_map(|channel| plane(channel).copied())
            .collect()
    }
}

/// See [`desc::PolicyHead`].
#[derive(Debug)]
pub struct PolicyHead {
    pool: Part,
    pool_matrix: Dense,
    inner: Part,
    output: Part,
    channels: usize,
    pass: Vec<Layer>,
}

impl PolicyHead {
    /// Reads the trunk's output.
    pub fn new(head: &desc::PolicyHead, tip: Slot, builder: &mut Builder) -> PolicyHead {
        let mut part =
            |conv, norm_act, source, purpose| Part::new(conv, norm_act, source, purpose, builder);
        let pool = part(&head.pool_conv, Some(&head.pool_norm), tip, Use::Pooled);
        let inner = part(&head.conv, Some(&head.norm), tip, Use::Input);
        let output = part(&head.conv_out, None, inner.slot, Use::Inner);
        let pass = match &head.pass {
            PassHead::Linear(weights) => vec![Layer::new(weights, None, Activation::Identity)],
            PassHead::Hidden {
                hidden,
                bias,
                activation,
                output,
            } => vec![
                Layer::new(hidden, Some(bias), *activation),
                Layer::new(output, None, Activation::Identity),
            ],
        };
        PolicyHead {
            pool,
            pool_matrix: Dense::new(&head.pool_matmul, None),
            inner,
            output,
            channels: head.conv_out.outputs,
            pass,
        }
    }

    /// Writes the policy of each board.
    pub fn run(&self, memory: &mut Memory, outputs: &mut [RawOutput]) {
        let boards = memory.boards();
        self.pool.run(None, memory);
        let (stride, channels) = (self.pool.conv.outputs(), self.pool_matrix.inputs() / 3);
        let pooled: Vec<_> = self
            .pool
            .results(memory)
            .map(|points| pool_with_max(points, stride, channels, boards))
            .collect();
        let bias = |pooled: &Vec<f32>| {
            let mut bias = vec![0.0; self.pool_matrix.outputs()];
            self.pool_matrix.add_product(pooled, &mut bias);
            lengthened(bias)
        };
        let biases: Vec<f32> = pooled.iter().flat_map(bias).collect();
        self.inner.run(Some(&biases), memory);
        self.output.run(None, memory);
        let results = self.output.results(memory);
        for ((output, results), pooled) in outputs.iter_mut().zip(results).zip(pooled) {
            output.policy = self.output.planes(results, self.channels);
            output.pass = self
                .pass
                .iter()
                .fold(pooled, |values, layer| layer.of(&values));
        }
    }
}

/// See [`desc::ValueHead`].
#[derive(Debug)]
pub struct ValueHead {
    inner: Part,
    channels: usize,
    hidden: Layer,
    value: Layer,
    score: Layer,
    ownership: Part,
}

impl ValueHead {
    /// Reads the trunk's output.
    pub fn new(head: &desc::ValueHead, tip: Slot, builder: &mut Builder) -> ValueHead {
        let inner = Part::new(&head.conv, Some(&head.norm), tip, Use::Input, builder);
        let source = inner.slot;
        let linear = |matmul, bias| Layer::new(matmul, Some(bias), Activation::Identity);
        ValueHead {
            inner,
            channels: head.conv.outputs,
            hidden: Layer::new(
                &head.hidden,
                Some(&head.hidden_bias),
                head.hidden_activation,
            ),
            value: linear(&head.value, &head.value_bias),
            score: linear(&head.score, &head.score_bias),
            ownership: Part::new(&head.ownership, None, source, Use::Inner, builder),
        }
    }

    /// Writes value, score and ownership of each board.
    pub fn run(&self, memory: &mut Memory, outputs: &mut [RawOutput]) {
        let boards: Boards = memory.boards();
        self.inner.run(None, memory);
        self.ownership.run(None, memory);
        let stride = self.inner.conv.outputs();
        let points = self
            .inner
            .results(memory)
            .zip(self.ownership.results(memory));
        for (output, (points, ownership)) in outputs.iter_mut().zip(points) {
            let hidden = self
                .hidden
                .of(&pool_for_value(points, stride, self.channels, boards));
            let value = self.value.of(&hidden);
            output.value = [value[0], value[1], value[2]];
            output.score = self.score.of(&hidden);
            output.ownership = self.ownership.planes(ownership, 1);
        }
    }
}
