//! The player of self-play, and its record in the folder of games.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::go::Position;
use crate::search::evaluator::Evaluator;

/// Identity of a player in the folder's manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerIdentity {
    /// Name of the folder.
    pub folder: String,
    /// Name in the network's file, or a description.
    pub name: String,
    /// SHA-256 of the network's file, in hexadecimal; empty without a network.
    pub sha256: String,
}

/// A player with its evaluator; its games are a generation.
pub struct Generation {
    /// Identity.
    pub player: PlayerIdentity,
    /// Evaluator.
    pub evaluator: Box<dyn Evaluator<Position>>,
}

/// A source of players.
pub trait Nets: Sync {
    /// The player of the next game.
    fn newest(&self) -> Result<std::sync::Arc<Generation>>;
}

impl PlayerIdentity {
    /// The first eight bytes of the SHA-256; zeros without a network.
    pub fn digest(&self) -> [u8; 8] {
        let number = self.sha256.get(..16).unwrap_or_default();
        u64::from_str_radix(number, 16)
            .unwrap_or_default()
            .to_be_bytes()
    }
}
