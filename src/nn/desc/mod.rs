//! Description of a network: its structure and weights, independent of computation.
//!
//! The plan of operations, candle's models, training and file formats share this type. Weights are as in the file;
//! [`BatchNorm::merged`] gives the form for runners. Tensors of activations are `[y][x][channel]`,
//! and in index lists like `[ky][kx][in][out]` the last index varies fastest.
//!
//! Serde serialises a net without its weights, which are empty after reading; [`super::checkpoint`]
//! stores them separately.

use serde::{Deserialize, Serialize};

use crate::go::BoardSize;

mod blocks;
pub mod check;
mod flat;
mod heads;
mod identity;
mod layers;
pub mod leela;
mod presence;
mod tensors;
mod transformer;

pub use blocks::{
    Block, BlockParts, ChainPoolingBlock, GlobalPoolingBlock, NestedBottleneckBlock, OrdinaryBlock,
    PlainBlock, ResidualParts,
};
pub use flat::{FlatHead, FlatHeads, Heads, PooledHeads};
pub use heads::{PassHead, PolicyHead, ValueHead, relative_side};
pub use layers::{Activation, BatchNorm, Bias, Conv, MatMul, NormAct};
pub use tensors::{Tensor, TensorMut};
pub use transformer::{AttentionBlock, FeedForwardBlock, RmsNorm, RmsNormAct, Rope, angles};

/// The only board side of [`InputVersion::Seed`] and [`InputVersion::Hu`].
const SEED_SIDE: usize = 9;

/// A KataGo network, or one built from the same parts. Leela Zero's are [`leela::LeelaNet`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Net {
    /// Name in the file.
    pub name: String,
    /// KataGo's model version, 3 to 17: determines the inputs and the meaning of the outputs.
    pub version: u32,
    /// Factors of raw outputs.
    pub multipliers: Multipliers,
    /// Whether pass-alive areas in its inputs assume that suicide is legal, whatever the rules.
    pub pass_alive_under_suicide: bool,
    /// Its inputs, if it plays another game than Go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_inputs: Option<GameInputs>,
    /// Shared part, from the inputs to both heads.
    pub trunk: Trunk,
    /// Move probabilities, result, and in most nets score and ownership.
    #[serde(flatten)]
    pub heads: Heads,
}

/// What a network for another game than Go reads; the game knows what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameInputs {
    /// Name, with the game's and a number.
    pub name: String,
    /// Number of planes, at least 1.
    pub planes: usize,
    /// Number of global values, at least 1.
    pub values: usize,
}

/// Input versions.
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
    /// The ten planes of [`super::features::SEED_PLANES`], on 9x9 only, without global inputs.
    Seed,
    /// The ten planes of [`super::features::hu`], on 9x9 only, without global inputs.
    Hu,
    /// Those of another game, see [`GameInputs`].
    OfGame {
        /// Number of planes.
        planes: usize,
        /// Number of global values.
        values: usize,
    },
}

impl InputVersion {
    /// The version that a trainer is given: planes of [`InputVersion::Seed`] follow from version 7.
    pub fn in_training(self) -> InputVersion {
        match self {
            InputVersion::Hu | InputVersion::OfGame { .. } => self,
            _ => InputVersion::V7,
        }
    }

    /// Number of planes, and of global values.
    pub fn channels(self) -> (usize, usize) {
        match self {
            InputVersion::V3 | InputVersion::V4 => (22, 14),
            InputVersion::V5 => (13, 12),
            InputVersion::V6 => (22, 16),
            InputVersion::V7 => (22, 19),
            InputVersion::LeelaZero => (leela::PLANES, 0),
            InputVersion::Seed => (super::features::SEED_PLANES.len(), 0),
            InputVersion::Hu => (super::features::hu::PLANES, 0),
            InputVersion::OfGame { planes, values } => (planes, values),
        }
    }
}

/// Factors of raw outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multipliers {
    /// Only used in training.
    pub td_score: f32,
    /// Points.
    pub score_mean: f32,
    /// Points.
    pub score_stdev: f32,
    /// Points.
    pub lead: f32,
    /// Moves.
    pub variance_time: f32,
    /// Squares of win-loss.
    pub shortterm_value_error: f32,
    /// Squares of points.
    pub shortterm_score_error: f32,
}

impl Multipliers {
    /// Values for versions below 13, whose files lack them.
    pub const DEFAULT: Multipliers = Multipliers {
        td_score: 20.0,
        score_mean: 20.0,
        score_stdev: 20.0,
        lead: 20.0,
        variance_time: 40.0,
        shortterm_value_error: 0.25,
        shortterm_score_error: 30.0,
    };

    /// With KataGo's names, in the order of its files.
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

/// The part that both heads read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trunk {
    /// From the planes to the trunk's width.
    pub initial_conv: Conv,
    /// From the global inputs to the trunk's width; added at every point. Nets with
    /// [`InputVersion::Seed`] or [`InputVersion::Hu`] have none.
    pub initial_global: Option<MatMul>,
    /// From metadata about the players to the trunk's width, added at every point; in nets that
    /// imitate human players of a given rank.
    pub metadata_encoder: Option<MetadataEncoder>,
    /// In order; each adds to the trunk, or replaces it.
    pub blocks: Vec<Block>,
    /// Norm after the last block.
    pub tip: Tip,
}

/// The norm between the blocks and the heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tip {
    /// A batch norm and an activation.
    Batch(NormAct),
    /// An RMS norm and an activation.
    Rms(RmsNormAct),
}

impl Tip {
    /// The batch norm, unless it is an RMS norm.
    pub fn batch_norm(&self) -> Option<&NormAct> {
        match self {
            Tip::Batch(norm) => Some(norm),
            Tip::Rms(_) => None,
        }
    }
}

/// `output(second(first(metadata)))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetadataEncoder {
    /// From the inputs of [`super::metadata`].
    pub first: DenseLayer,
    /// Between hidden widths.
    pub second: DenseLayer,
    /// To the trunk's width.
    pub output: MatMul,
}

/// `activation(matmul(input) + bias)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseLayer {
    pub matmul: MatMul,
    /// Bias.
    pub bias: Bias,
    pub activation: Activation,
}

impl Net {
    /// Input version.
    pub fn input_version(&self) -> InputVersion {
        if let Some(GameInputs { planes, values, .. }) = self.game_inputs {
            return InputVersion::OfGame { planes, values };
        }
        match self.trunk.initial_global {
            Some(_) => input_version_of(self.version),
            None if self.heads.are_flat() => InputVersion::Hu,
            None => InputVersion::Seed,
        }
    }

    /// The only board size it supports, if limited.
    pub fn only_size(&self) -> Option<BoardSize> {
        let is_limited = self.trunk.initial_global.is_none() || self.heads.are_flat();
        is_limited.then(|| BoardSize::square(SEED_SIDE))
    }

    /// Final channels of the trunk, which the heads read.
    pub fn tip_channels(&self) -> usize {
        let width = self.trunk.initial_conv.outputs;
        self.trunk
            .blocks
            .iter()
            .fold(width, |width, block| block.outputs(width))
    }

    /// Whether it has chain pooling, which is specific to keima.
    pub fn pools_chains(&self) -> bool {
        fn pools(block: &Block) -> bool {
            matches!(block, Block::ChainPooling(_)) || block.inner().iter().any(pools)
        }
        self.trunk.blocks.iter().any(pools)
    }

    /// Whether it has inputs about the players.
    pub fn wants_metadata(&self) -> bool {
        self.trunk.metadata_encoder.is_some()
    }

    /// Logits per point: 1, 2 or 4.
    pub fn policy_channels(&self) -> usize {
        let pooled = self.heads.pooled();
        pooled.map_or(1, |heads| heads.policy.conv_out.outputs)
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
