//! What analyzes positions: players for single searches, and what clients are told about them.

use serde::Serialize;

use super::params::ServerParams;
use crate::player::search_player::SearchPlayer;

/// Makes a player for one search. All players share networks and stored evaluations, but each has
/// parameters of its own.
pub type MakePlayer = dyn Fn() -> SearchPlayer + Send + Sync;

/// A network, as the action `query_models` describes it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Its file, or its name if it is built in.
    pub name: String,
    /// The name its makers gave it.
    pub internal_name: String,
    /// Positions evaluated in one batch.
    pub max_batch_size: usize,
    /// Whether it needs to be told whom to play like.
    #[serde(rename = "usesHumanSLProfile")]
    pub uses_human_sl_profile: bool,
    /// Version of its format.
    pub version: u32,
    /// Whether it is computed in 16-bit floating point numbers: `true`, `false` or `auto`.
    #[serde(rename = "usingFP16")]
    pub using_fp16: String,
}

/// What analyzes positions.
pub struct Engine {
    /// Makes players.
    pub make_player: Box<MakePlayer>,
    /// The networks.
    pub models: Vec<ModelInfo>,
    /// The answer to `query_version`, by which clients decide what they may ask.
    pub version: String,
    /// How many positions at once.
    pub params: ServerParams,
}
