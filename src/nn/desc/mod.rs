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

mod blocks;
pub mod check;
mod heads;
mod identity;
mod layers;
pub mod leela;
mod presence;
mod tensors;
mod transformer;

pub use blocks::{
    Block, ChainPoolingBlock, GlobalPoolingBlock, NestedBottleneckBlock, OrdinaryBlock, PlainBlock,
};
pub use heads::{PassHead, PolicyHead, ValueHead, relative_side};
pub use layers::{Activation, BatchNorm, Bias, Conv, MatMul, NormAct};
pub use tensors::{Tensor, TensorMut};
pub use transformer::{AttentionBlock, FeedForwardBlock, RmsNorm, RmsNormAct, Rope, angles};

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

    /// Whether it pools over chains, which only keima's own do.
    pub fn pools_chains(&self) -> bool {
        fn pools(block: &Block) -> bool {
            matches!(block, Block::ChainPooling(_)) || block.inner().iter().any(pools)
        }
        self.trunk.blocks.iter().any(pools)
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
