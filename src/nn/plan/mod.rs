//! A network as a flat list of operations, for executors that run one after another on whole batches.
//!
//! [`Plan::new`] lowers a [`Net`]: every convolution gets what follows it as an epilogue, so that no
//! operation only adds, norms or activates. Where the trunk goes on, a convolution writes it both as
//! it is and normed and activated for its next reader. Each [`Value`] is written by one operation;
//! [`memory`] lets values that are not needed at the same time share memory.

mod builder;
mod heads;
pub mod memory;
pub mod text;
mod trunk;

use anyhow::Result;

use super::desc::{self, Activation, MatMul, Net};
use super::metadata::VALUES;
use crate::go::BoardSize;
use builder::Builder;

/// Index of a value in [`Plan::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub usize);

/// What there is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Channels of each point, `[board][y][x][channel]`, in the format of the executor.
    Points,
    /// Channels of each board, `[board][channel]`, in f32.
    Boards,
    /// Channels of points as they leave the network, `[board][channel][y][x]`, in f32.
    Maps,
}

/// What operations read and write.
#[derive(Clone, Debug)]
pub struct Value {
    /// For display.
    pub name: String,
    /// What there is one of.
    pub extent: Extent,
    /// Number of channels.
    pub channels: usize,
}

/// A step of the network.
#[derive(Clone, Debug)]
pub struct Operation {
    /// For display: the part of the network.
    pub name: String,
    /// What is done.
    pub work: Work,
}

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
    /// A layer for values of boards.
    Dense(Box<Dense>),
    /// A 1x1 convolution that leaves the network.
    Maps {
        /// Values of points.
        from: ValueId,
        /// Maps.
        to: ValueId,
        /// `[output][channel]`.
        weights: Vec<f32>,
    },
}

/// The third pooled value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Third {
    /// The maximum, not below -1.
    Maximum,
    /// The mean times (a hundredth of the square of the relative side, less 0.1).
    Square,
}

/// A convolution. `x = conv(input) + board_bias + residual` is written to `raw`,
/// `activation(x * scale + bias)` to `normed`.
#[derive(Clone, Debug)]
pub struct Conv {
    /// Values of points.
    pub input: ValueId,
    /// Kernel size, channels and weights.
    pub kernel: desc::Conv,
    /// Added at all points of a board.
    pub board_bias: Option<ValueId>,
    /// Added.
    pub residual: Option<ValueId>,
    /// Gets the sum.
    pub raw: Option<ValueId>,
    /// Gets the activated sum.
    pub normed: Option<Normed>,
}

/// The second result of a convolution.
#[derive(Clone, Debug)]
pub struct Normed {
    /// Written.
    pub to: ValueId,
    /// One factor per channel.
    pub scale: Vec<f32>,
    /// One value per channel.
    pub bias: Vec<f32>,
    /// Applied last.
    pub activation: Activation,
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

/// Values that come from outside.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    /// Number of planes, read by [`Work::Planes`].
    pub planes: usize,
    /// Global values, if the network has such inputs.
    pub globals: Option<ValueId>,
    /// Values about the players, likewise.
    pub metadata: Option<ValueId>,
}

/// Values that leave the network.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// Logits of points.
    pub policy: ValueId,
    /// Logits of a pass.
    pub pass: ValueId,
    /// Three logits of the result, then the raw score outputs.
    pub value: ValueId,
    /// Before tanh.
    pub ownership: ValueId,
}

impl Outputs {
    /// All of them, in the order in which they lie in memory.
    pub fn all(&self) -> [ValueId; 4] {
        [self.policy, self.pass, self.value, self.ownership]
    }
}

/// A network as operations.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order in which they run.
    pub operations: Vec<Operation>,
    /// Read and written by them.
    pub values: Vec<Value>,
    /// From outside.
    pub inputs: Inputs,
    /// To outside.
    pub outputs: Outputs,
    /// The only boards that the network is for, if it is not for all.
    pub only_size: Option<BoardSize>,
}

impl Plan {
    /// Lowers a network. An error names the part that has no operation: transformers, chain
    /// pooling, kernels above 5x5.
    pub fn new(net: &Net) -> Result<Plan> {
        let mut builder = Builder::default();
        let (planes, globals) = net.input_version().channels();
        let globals = (globals > 0).then(|| builder.value("globals", Extent::Boards, globals));
        let metadata = net.wants_metadata();
        let metadata = metadata.then(|| builder.value("metadata", Extent::Boards, VALUES));
        let inputs = Inputs {
            planes,
            globals,
            metadata,
        };
        let tip = builder.trunk(&net.trunk, &inputs)?;
        let (policy, pass) = builder.policy_head(&net.policy_head, tip)?;
        let (value, ownership) = builder.value_head(&net.value_head, tip)?;
        Ok(Plan {
            operations: builder.operations,
            values: builder.values,
            inputs,
            outputs: Outputs {
                policy,
                pass,
                value,
                ownership,
            },
            only_size: net.only_size(),
        })
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0]
    }
}

impl Operation {
    /// Values that it reads.
    pub fn reads(&self) -> Vec<ValueId> {
        match &self.work {
            Work::Planes { .. } => vec![],
            Work::Conv(conv) => {
                let others = [conv.board_bias, conv.residual];
                [Some(conv.input)]
                    .into_iter()
                    .chain(others)
                    .flatten()
                    .collect()
            }
            Work::Pool { from, .. } | Work::Maps { from, .. } => vec![*from],
            Work::Dense(dense) => [Some(dense.from), dense.plus]
                .into_iter()
                .flatten()
                .collect(),
        }
    }

    /// Values that it writes.
    pub fn writes(&self) -> Vec<ValueId> {
        match &self.work {
            Work::Planes { to } | Work::Pool { to, .. } | Work::Maps { to, .. } => vec![*to],
            Work::Conv(conv) => {
                let normed = conv.normed.as_ref().map(|normed| normed.to);
                conv.raw.into_iter().chain(normed).collect()
            }
            Work::Dense(dense) => vec![dense.to],
        }
    }
}
