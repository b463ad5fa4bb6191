//! Which network plays, and what its games say of it.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::go::Position;
use crate::search::evaluator::Evaluator;

/// Who plays, as the games' folder says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerCard {
    /// Name of the folder.
    pub folder: String,
    /// The name its makers gave it, or what it is.
    pub name: String,
    /// Of the network's file, in hexadecimal; empty without a network.
    pub sha256: String,
}

/// A player, whose games make a generation.
pub struct Generation {
    /// Who it is.
    pub card: PlayerCard,
    /// What it goes by.
    pub evaluator: Box<dyn Evaluator<Position>>,
}

/// Where players come from.
pub trait Nets: Sync {
    /// Who plays the next game.
    fn newest(&self) -> Result<std::sync::Arc<Generation>>;
}

impl PlayerCard {
    /// The first eight bytes of the SHA-256; zeros without a network.
    pub fn digest(&self) -> [u8; 8] {
        let number = self.sha256.get(..16).unwrap_or_default();
        u64::from_str_radix(number, 16)
            .unwrap_or_default()
            .to_be_bytes()
    }
}
