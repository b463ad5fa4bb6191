//! A network as a flat list of operations, for executors that run one after another on whole batches:
//! [`nn::cpu`](super::cpu) and [`nn::gpu`](super::gpu).
//!
//! [`Plan::new`] lowers a network: every convolution gets what follows it as an epilogue, so that no
//! operation only adds, norms or activates. Where the trunk goes on, a convolution writes it both as
//! it is and normed and activated for its next reader. Each [`Value`] is written by one operation;
//! [`memory`] lets values that are not needed at the same time share memory.

mod builder;
mod cost;
mod folding;
mod heads;
mod inputs;
mod leela;
pub mod memory;
mod text;
mod transformer;
mod trunk;
mod work;

use super::desc::{Heads, Net};
use super::input_shape::InputShape;
use super::output::{RawOutput, raw_leela};
use crate::go::BoardSize;
use builder::Builder;
pub use cost::{Cost, Products};
pub use inputs::Inputs;
pub use work::{
    Affine, Attention, Bias, Conv, Dense, Gated, Maps, Normed, Residual, RmsNorm, Third, Work,
};

/// Logits of the result, which come before the score outputs.
const RESULTS: usize = 3;

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

/// Values that leave the network.
#[derive(Clone, Copy, Debug)]
pub enum Outputs {
    /// Of KataGo's networks and keima's own.
    KataGo {
        /// Maps of logits.
        policy: ValueId,
        /// Logits of a pass.
        pass: ValueId,
        /// Three logits of the result, then the raw score outputs.
        value: ValueId,
        /// Before tanh.
        ownership: ValueId,
    },
    /// Of Leela Zero's and of those with fully connected heads.
    LeelaZero {
        /// Logits of all points and of a pass, of boards.
        policy: ValueId,
        /// One number before tanh.
        value: ValueId,
    },
}

impl Outputs {
    /// All of them, in the order in which they lie in memory.
    pub fn all(&self) -> Vec<ValueId> {
        match *self {
            Outputs::KataGo {
                policy,
                pass,
                value,
                ownership,
            } => vec![policy, pass, value, ownership],
            Outputs::LeelaZero { policy, value } => vec![policy, value],
        }
    }

    /// The answer for a board, from what each value is there.
    pub fn raw(&self, of: impl Fn(ValueId) -> Vec<f32>) -> RawOutput {
        match *self {
            Outputs::KataGo {
                policy,
                pass,
                value,
                ownership,
            } => {
                let all = of(value);
                let (value, score) = all.split_at(RESULTS);
                RawOutput {
                    policy: of(policy),
                    pass: of(pass),
                    value: [value[0], value[1], value[2]],
                    score: score.to_vec(),
                    ownership: of(ownership),
                }
            }
            Outputs::LeelaZero { policy, value } => raw_leela(of(policy), of(value)[0]),
        }
    }
}

/// A network as operations.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order in which they run.
    pub operations: Vec<Operation>,
    /// How many of them are the trunk's; the heads' follow.
    pub trunk: usize,
    /// Read and written by them.
    pub values: Vec<Value>,
    /// From outside.
    pub inputs: Inputs,
    /// To outside.
    pub outputs: Outputs,
}

impl Plan {
    /// Lowers a network.
    pub fn new(net: &Net) -> Plan {
        let mut builder = Builder::default();
        let inputs = builder.inputs(net.input_version(), InputShape::of(net));
        let tip = builder.trunk(&net.trunk, &inputs);
        let trunk = builder.operations.len();
        let outputs = match &net.heads {
            Heads::Pooled(heads) => {
                let (policy, pass) = builder.policy_head(&heads.policy, tip);
                let (value, ownership) = builder.value_head(&heads.value, tip);
                Outputs::KataGo {
                    policy,
                    pass,
                    value,
                    ownership,
                }
            }
            Heads::Flat(heads) => {
                let area = net.only_size().map_or(0, BoardSize::area);
                Outputs::LeelaZero {
                    policy: builder.flat_head("policy", &heads.policy, tip, area),
                    value: builder.flat_head("value", &heads.value, tip, area),
                }
            }
        };
        builder.plan(trunk, inputs, outputs)
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0]
    }

    /// Whether it pools over chains and empty regions.
    pub fn pools_chains(&self) -> bool {
        let pools = |work: &Work| matches!(work, Work::Conv(conv) if conv.pools_chains);
        self.operations
            .iter()
            .any(|operation| pools(&operation.work))
    }

    /// The operations that read a value, by their indices.
    pub fn readers(&self, id: ValueId) -> impl Iterator<Item = usize> {
        let reads = move |operation: &Operation| operation.work.reads().contains(&id);
        let operations = self.operations.iter().enumerate();
        operations.filter_map(move |(index, operation)| reads(operation).then_some(index))
    }
}
