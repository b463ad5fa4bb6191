//! What operations do.

use super::ValueId;
use crate::nn::desc::{self, Activation, MatMul, Rope};

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Work {
    /// The input planes as values of points.
    Planes {
        /// Written.
        to: ValueId,
    },
    /// A convolution with its epilogue.
    Conv(Box<Conv>),
    /// An RMS norm.
    RmsNorm(Box<RmsNorm>),
    /// Self-attention over all points.
    Attention(Box<Attention>),
    /// The product of two layers, one of them activated.
    Gated(Box<Gated>),
    /// Global pooling: of each channel the mean, the mean times a tenth of
    /// [`relative_side`](desc::relative_side), and a third value.
    Pool {
        /// Values of points.
        from: ValueId,
        /// Three times the channels, of boards.
        to: ValueId,
        /// The third value.
        third: Third,
    },
    /// All values of a board, `[channel][y][x]`, as channels of the board. For boards of one size.
    Flatten {
        /// Values of points.
        from: ValueId,
        /// Values of boards.
        to: ValueId,
    },
    /// A layer for values of boards.
    Dense(Box<Dense>),
    /// A convolution that leaves the network.
    Maps(Box<Maps>),
}

/// The third pooled value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Third {
    /// The maximum, not below -1.
    Maximum,
    /// The mean times (a hundredth of the square of the relative side, less 0.1).
    Square,
}

/// A convolution. `x = conv(input) * scale + bias + residual` is written to `raw`,
/// `activation(norm(x))` to `normed`.
#[derive(Clone, Debug)]
pub struct Conv {
    /// Values of points.
    pub input: ValueId,
    /// Whether each point reads, instead of its own values, what is pooled over its chain or empty
    /// region: mean, mean by size and maximum of each channel, see
    /// [`regions`](super::super::regions). The kernel is 1x1, so that one product for each region
    /// suffices.
    pub pools_chains: bool,
    /// Kernel size, channels and weights.
    pub kernel: desc::Conv,
    /// One factor per output.
    pub scale: Option<Vec<f32>>,
    /// Added at all points.
    pub bias: Option<Bias>,
    /// Added. No later operation reads it.
    pub residual: Option<Residual>,
    /// Gets the sum.
    pub raw: Option<ValueId>,
    /// Gets the activated sum.
    pub normed: Option<Normed>,
}

/// A bias for all points of a board.
#[derive(Clone, Debug)]
pub enum Bias {
    /// One value per channel.
    Constant(Vec<f32>),
    /// Values of boards.
    Boards(ValueId),
}

/// What a convolution adds to.
#[derive(Clone, Copy, Debug)]
pub struct Residual {
    /// Values of points.
    pub from: ValueId,
    /// Whether their ReLU is added.
    pub is_rectified: bool,
}

/// An activated result.
#[derive(Clone, Debug)]
pub struct Normed {
    /// Written.
    pub to: ValueId,
    /// Applied first.
    pub norm: Option<Affine>,
    /// Applied last.
    pub activation: Activation,
}

/// `x * scale + bias`, each with one value per channel.
#[derive(Clone, Debug)]
pub struct Affine {
    /// Factors.
    pub scale: Vec<f32>,
    /// Added.
    pub bias: Vec<f32>,
}

/// `activation(norm(from / sqrt(mean of squares + epsilon)))`, the mean over all channels of a point.
#[derive(Clone, Debug)]
pub struct RmsNorm {
    /// Values of points.
    pub from: ValueId,
    /// Above 0.
    pub epsilon: f32,
    /// Whether the mean is over all channels of all points of the board.
    pub is_spatial: bool,
    /// The result.
    pub normed: Normed,
}

/// `softmax(query(from) * key(from)) * value(from)` for each head, where `from` are all points of a board:
/// see [`desc::AttentionBlock`]. Queries are divided by the root of their width.
#[derive(Clone, Debug)]
pub struct Attention {
    /// Values of points.
    pub from: ValueId,
    /// Values of points, `[head][value_width]`.
    pub to: ValueId,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; divides `heads`.
    pub kv_heads: usize,
    /// Channels of each query and key.
    pub key_width: usize,
    /// Channels of each value.
    pub value_width: usize,
    /// To `[head][key_width]`.
    pub query: MatMul,
    /// To `[kv_head][key_width]`.
    pub key: MatMul,
    /// To `[kv_head][value_width]`.
    pub value: MatMul,
    /// Rotation of queries and keys.
    pub rope: Option<Rope>,
}

/// `silu(from * inner) * (from * gate)` at each point.
#[derive(Clone, Debug)]
pub struct Gated {
    /// Values of points.
    pub from: ValueId,
    /// Values of points.
    pub to: ValueId,
    /// Activated.
    pub inner: MatMul,
    /// Not activated.
    pub gate: MatMul,
}

/// `activation(from * matrix + bias + plus)`.
#[derive(Clone, Debug)]
pub struct Dense {
    /// Values of boards.
    pub from: ValueId,
    /// The weights.
    pub matrix: MatMul,
    /// One value per output.
    pub bias: Option<Vec<f32>>,
    /// Values of boards that are added.
    pub plus: Option<ValueId>,
    /// Applied last.
    pub activation: Activation,
    /// Written.
    pub to: ValueId,
}

/// A convolution that leaves the network.
#[derive(Clone, Debug)]
pub struct Maps {
    /// Values of points.
    pub from: ValueId,
    /// Maps.
    pub to: ValueId,
    /// Kernel size, channels and weights.
    pub kernel: desc::Conv,
}

impl Conv {
    /// To which nothing is added, and of which nothing is written so far.
    pub fn of(kernel: &desc::Conv, input: ValueId) -> Conv {
        Conv {
            input,
            pools_chains: false,
            kernel: kernel.clone(),
            scale: None,
            bias: None,
            residual: None,
            raw: None,
            normed: None,
        }
    }

    /// Whether there is a norm after the sum.
    pub fn has_norm(&self) -> bool {
        self.normed
            .as_ref()
            .is_some_and(|normed| normed.norm.is_some())
    }

    /// Values of boards that are added at all points.
    pub fn board_bias(&self) -> Option<ValueId> {
        match self.bias {
            Some(Bias::Boards(id)) => Some(id),
            _ => None,
        }
    }
}

impl Work {
    /// Values that it reads.
    pub fn reads(&self) -> Vec<ValueId> {
        match self {
            Work::Planes { .. } => vec![],
            Work::Conv(conv) => {
                let residual = conv.residual.map(|residual| residual.from);
                let others = conv.board_bias().into_iter().chain(residual);
                [conv.input].into_iter().chain(others).collect()
            }
            Work::RmsNorm(norm) => vec![norm.from],
            Work::Attention(attention) => vec![attention.from],
            Work::Gated(gated) => vec![gated.from],
            Work::Pool { from, .. } | Work::Flatten { from, .. } => vec![*from],
            Work::Dense(dense) => [dense.from].into_iter().chain(dense.plus).collect(),
            Work::Maps(maps) => vec![maps.from],
        }
    }

    /// Values that it writes.
    pub fn writes(&self) -> Vec<ValueId> {
        match self {
            Work::Planes { to } | Work::Pool { to, .. } | Work::Flatten { to, .. } => vec![*to],
            Work::Conv(conv) => {
                let normed = conv.normed.as_ref().map(|normed| normed.to);
                conv.raw.into_iter().chain(normed).collect()
            }
            Work::RmsNorm(norm) => vec![norm.normed.to],
            Work::Attention(attention) => vec![attention.to],
            Work::Gated(gated) => vec![gated.to],
            Work::Dense(dense) => vec![dense.to],
            Work::Maps(maps) => vec![maps.to],
        }
    }
}
