//! What a network is: its blocks and weights, with no way of computing them.
//!
//! Every runner (candle, the fast CPU path) and every file format reads or writes this. Weights
//! stay as the file has them; [`BatchNorm::merged`] gives the form runners want. Tensors of
//! activations are `[y][x][channel]`, and in index lists like `[ky][kx][in][out]` the last index
//! varies fastest.
//!
//! As serde sees it, a net is all but its weights, which are empty when it comes back;
//! [`super::checkpoint`] stores them beside it.

use serde::{Deserialize, Serialize};

use crate::go::BoardSize;

pub mod check;
mod identity;
pub mod leela;
mod presence;
mod tensors;
mod transformer;

pub use tensors::{Tensor, TensorMut};
pub use transformer::{AttentionBlock, FeedForwardBlock, RmsNorm, RmsNormAct, Rope};

/// The side of the only boards of [`InputVersion::Seed`].
const SEED_SIDE: usize = 9;

/// A KataGo network, or one of the same parts. Those of Leela Zero are [`leela::LeelaNet`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Net {
    /// The name its makers gave it.
    pub name: String,
    /// KataGo's model version, 3 to 17: decides the inputs and the meaning of the outputs.
    pub version: u32,
    /// Factors from raw outputs to points and probabilities.
    pub multipliers: Multipliers,
    /// Whether pass-alive areas in its inputs suppose that suicide is allowed, whatever the rules.
    pub pass_alive_under_suicide: bool,
    /// Inputs to the features both heads read.
    pub trunk: Trunk,
    /// Move probabilities.
    pub policy_head: PolicyHead,
    /// Result, score and ownership.
    pub value_head: ValueHead,
}

/// The kinds of inputs that nets were trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputVersion {
    /// Model versions 3 and 4.
    V3,
    /// Model version 5.
    V4,
    /// Model version 6.
    V5,
    /// Model version 7.
    V6,
    /// Model versions 8 and later.
    V7,
    /// Leela Zero's nets.
    LeelaZero,
    /// The ten planes of [`super::features::SEED_PLANES`], on 9x9 only: nets whose trunk reads no
    /// global inputs.
    Seed,
}

impl InputVersion {
    /// Planes, and values of the whole position.
    pub fn channels(self) -> (usize, usize) {
        match self {
            InputVersion::V3 | InputVersion::V4 => (22, 14),
            InputVersion::V5 => (13, 12),
            InputVersion::V6 => (22, 16),
            InputVersion::V7 => (22, 19),
            InputVersion::LeelaZero => (leela::PLANES, 0),
            InputVersion::Seed => (super::features::SEED_PLANES.len(), 0),
        }
    }
}

/// Factors from raw outputs to points and probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multipliers {
    /// Used in training only.
    pub td_score: f32,
    /// To points.
    pub score_mean: f32,
    /// To points.
    pub score_stdev: f32,
    /// To points.
    pub lead: f32,
    /// To moves.
    pub variance_time: f32,
    /// To a square of win-loss.
    pub shortterm_value_error: f32,
    /// To a square of points.
    pub shortterm_score_error: f32,
}

impl Multipliers {
    /// What versions below 13, whose files do not have them, use.
    pub const DEFAULT: Multipliers = Multipliers {
        td_score: 20.0,
        score_mean: 20.0,
        score_stdev: 20.0,
        lead: 20.0,
        variance_time: 40.0,
        shortterm_value_error: 0.25,
        shortterm_score_error: 30.0,
    };

    /// With the names that KataGo gives them, in the order of its files.
    pub fn named(&self) -> [(&'static str, f32); 7] {
        [
            ("tdScore", self.td_score),
            ("scoreMean", self.score_mean),
            ("scoreStdev", self.score_stdev),
            ("lead", self.lead),
            ("varianceTime", self.variance_time),
            ("shorttermValueError", self.shortterm_value_error),
            ("shorttermScoreError", self.shortterm_score_error),
        ]
    }
}

/// The part of the net that both heads read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trunk {
    /// From the planes to the trunk's width.
    pub initial_conv: Conv,
    /// From the global inputs to the trunk's width; added at every point. Nets that read planes
    /// alone, those of [`InputVersion::Seed`], have none.
    pub initial_global: Option<MatMul>,
    /// From what is known of the players to the trunk's width, added at every point; in nets that
    /// imitate people of a given rank.
    pub metadata_encoder: Option<MetadataEncoder>,
    /// In order; each adds to the stack it is given, or makes another of it.
    pub blocks: Vec<Block>,
    /// After the last block.
    pub tip: Tip,
}

/// What stands between the blocks and the heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tip {
    /// A batch norm and an activation.
    Batch(NormAct),
    /// An RMS norm and an activation.
    Rms(RmsNormAct),
}

/// `output(second(first(metadata)))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetadataEncoder {
    /// From the values of [`super::metadata`].
    pub first: DenseLayer,
    /// Between hidden widths.
    pub second: DenseLayer,
    /// To the trunk's width.
    pub output: MatMul,
}

/// `activation(matmul(input) + bias)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseLayer {
    /// First.
    pub matmul: MatMul,
    /// Second.
    pub bias: Bias,
    /// Last.
    pub activation: Activation,
}

/// A residual block, `stack += f(stack)`; but for the plain ones, `stack = f(stack)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Two convolutions.
    Ordinary(Box<OrdinaryBlock>),
    /// Two convolutions with figures of the whole board added between them.
    GlobalPooling(Box<GlobalPoolingBlock>),
    /// Blocks of a smaller width between two convolutions.
    NestedBottleneck(Box<NestedBottleneckBlock>),
    /// Points that look at each other.
    Attention(Box<AttentionBlock>),
    /// Two layers at each point.
    FeedForward(Box<FeedForwardBlock>),
    /// One convolution, whose results replace the stack. Not on inner stacks.
    Plain(Box<PlainBlock>),
}

/// `conv_b(mid(conv_a(pre(stack))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdinaryBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// First convolution.
    pub conv_a: Conv,
    /// Second norm and activation.
    pub mid: NormAct,
    /// Second convolution.
    pub conv_b: Conv,
}

/// `conv(pre(stack))`, perhaps of another width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainBlock {
    /// Norm and activation.
    pub pre: NormAct,
    /// Of 3x3 points.
    pub conv: Conv,
}

/// `u = pre(stack)`, then `conv_b(mid(conv_a(u) + pooled(pool_norm(pool_conv(u))) * pool_matmul))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalPoolingBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// The regular convolution.
    pub conv_a: Conv,
    /// The convolution whose results are pooled.
    pub pool_conv: Conv,
    /// Before pooling.
    pub pool_norm: NormAct,
    /// From mean, scaled mean and maximum of the pooled channels to those of `conv_a`.
    pub pool_matmul: MatMul,
    /// Second norm and activation.
    pub mid: NormAct,
    /// Last convolution.
    pub conv_b: Conv,
}

/// `conv_out(post(blocks(conv_in(pre(stack)))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NestedBottleneckBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// To the inner width.
    pub conv_in: Conv,
    /// Residual on the inner stack.
    pub blocks: Vec<Block>,
    /// After the inner blocks.
    pub post: NormAct,
    /// Back to the outer width.
    pub conv_out: Conv,
}

/// `conv_out(norm(conv(tip) + pooled * pool_matmul))`, and the pass from `pooled` alone, where
/// `pooled` is of `pool_norm(pool_conv(tip))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyHead {
    /// From the trunk's width to the head's.
    pub conv: Conv,
    /// From the trunk's width to the channels that are pooled.
    pub pool_conv: Conv,
    /// Before pooling.
    pub pool_norm: NormAct,
    /// From the pooled figures to the head's width.
    pub pool_matmul: MatMul,
    /// After the pooled figures are added.
    pub norm: NormAct,
    /// To 1, 2 or 4 logits a point: ordinary, optimistic, and two that are not move probabilities.
    pub conv_out: Conv,
    /// The logits of a pass.
    pub pass: PassHead,
}

/// From the pooled figures of the policy head to the logits of a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassHead {
    /// Versions below 15.
    Linear(MatMul),
    /// `output(activation(hidden(pooled) + bias))`.
    Hidden {
        /// To the hidden width.
        hidden: MatMul,
        /// Added to it.
        bias: Bias,
        /// Between the two.
        activation: Activation,
        /// To the logits.
        output: MatMul,
    },
}

/// Figures from the player to move's point of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueHead {
    /// From the trunk's width.
    pub conv: Conv,
    /// What is pooled, and read by `ownership`.
    pub norm: NormAct,
    /// From the pooled figures (mean, and two multiples of it by board size) to the hidden width.
    pub hidden: MatMul,
    /// Added to it.
    pub hidden_bias: Bias,
    /// Of the hidden width.
    pub hidden_activation: Activation,
    /// Logits of win, loss and no result.
    pub value: MatMul,
    /// Added to it.
    pub value_bias: Bias,
    /// Raw score figures; their number depends on the version.
    pub score: MatMul,
    /// Added to it.
    pub score_bias: Bias,
    /// One channel, before tanh.
    pub ownership: Conv,
}

/// A convolution that keeps the board's size, without bias: the output at (x, y) is the sum over
/// `ky`, `kx` of the input at `(x + kx - kernel_width / 2, y + ky - kernel_height / 2)` times the
/// weights, zero outside the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conv {
    /// For messages.
    pub name: String,
    /// Odd.
    pub kernel_height: usize,
    /// Odd.
    pub kernel_width: usize,
    /// Channels read.
    pub inputs: usize,
    /// Channels written.
    pub outputs: usize,
    /// `[ky][kx][in][out]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// `outputs = inputs * weights`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatMul {
    /// For messages.
    pub name: String,
    /// Values read.
    pub inputs: usize,
    /// Values written.
    pub outputs: usize,
    /// `[in][out]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A constant vector to add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    /// For messages.
    pub name: String,
    /// One value per channel.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A batch norm and the activation that follows. The result is 0 off the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormAct {
    /// First.
    pub norm: BatchNorm,
    /// Second.
    pub activation: Activation,
}

/// `(input - mean) / sqrt(variance + epsilon) * scale + bias`, by channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchNorm {
    /// For messages.
    pub name: String,
    /// Above 0.
    pub epsilon: f32,
    /// One value per channel.
    #[serde(skip)]
    pub mean: Vec<f32>,
    /// One value per channel.
    #[serde(skip)]
    pub variance: Vec<f32>,
    /// One value per channel; 1 where there is none.
    #[serde(with = "presence")]
    pub scale: Option<Vec<f32>>,
    /// One value per channel; 0 where there is none.
    #[serde(with = "presence")]
    pub bias: Option<Vec<f32>>,
}

/// A function of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `x`.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x tanh(ln(1 + e^x))`.
    Mish,
    /// `x / (1 + e^-x)`.
    Silu,
}

impl BatchNorm {
    /// Scale and bias such that the norm is `input * scale + bias`.
    pub fn merged(&self) -> (Vec<f32>, Vec<f32>) {
        let channels = 0..self.mean.len();
        let scale = |c: usize| {
            let own = self.scale.as_ref().map_or(1.0, |scale| scale[c]);
            own / (self.variance[c] + self.epsilon).sqrt()
        };
        let bias = |c: usize| {
            let own = self.bias.as_ref().map_or(0.0, |bias| bias[c]);
            own - scale(c) * self.mean[c]
        };
        (
            channels.clone().map(scale).collect(),
            channels.map(bias).collect(),
        )
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.mean.len()
    }
}

impl Net {
    /// What it wants to be told about a position.
    pub fn input_version(&self) -> InputVersion {
        match self.trunk.initial_global {
            Some(_) => input_version_of(self.version),
            None => InputVersion::Seed,
        }
    }

    /// The only boards that it is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        (self.input_version() == InputVersion::Seed).then(|| BoardSize::square(SEED_SIDE))
    }

    /// Channels of the last stack, which the heads read.
    pub fn tip_channels(&self) -> usize {
        let width = self.trunk.initial_conv.outputs;
        self.trunk
            .blocks
            .iter()
            .fold(width, |width, block| block.outputs(width))
    }

    /// Whether it must be told who plays.
    pub fn wants_metadata(&self) -> bool {
        self.trunk.metadata_encoder.is_some()
    }

    /// Logits per point: 1, 2 or 4.
    pub fn policy_channels(&self) -> usize {
        self.policy_head.conv_out.outputs
    }
}

impl Block {
    /// Channels of the stack after the block, of so many before.
    pub fn outputs(&self, width: usize) -> usize {
        match self {
            Block::Plain(block) => block.conv.outputs,
            _ => width,
        }
    }
}

/// The inputs of a model version from 3 to 17 in KataGo's files.
pub fn input_version_of(version: u32) -> InputVersion {
    match version {
        ..=4 => InputVersion::V3,
        5 => InputVersion::V4,
        6 => InputVersion::V5,
        7 => InputVersion::V6,
        _ => InputVersion::V7,
    }
}
