//! What analyzes positions: players for single searches, and what clients are told about them.

use super::params::ServerParams;
pub use crate::player::evaluators::ModelInfo;
use crate::player::search_player::SearchPlayer;

/// Makes a player for one search. All players share networks and stored evaluations, but each has
/// parameters of its own.
pub type MakePlayer = dyn Fn() -> SearchPlayer + Send + Sync;

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
