//! Accuracy on positions with a known winner.

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Networks, question};
use crate::data::won_positions::WonPosition;
use crate::nn::features::MAX_HISTORY;

/// Predictions for some positions, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Winners {
    pub chances: Vec<Chance>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chance {
    /// File and line of the position.
    pub place: String,
    /// Predicted win probability of the known winner.
    pub win: f64,
}

/// Evaluates networks on positions, each on its boards, averaging over this many symmetries (1 to
/// 8). `watch` is called with the positions done.
pub fn of_positions(
    networks: &Networks,
    symmetries: usize,
    positions: &[WonPosition],
    watch: &(dyn Fn(usize) + Sync),
) -> Result<Winners> {
    let chance = |asked: &WonPosition| {
        let network = networks(asked.position.size())?;
        let answer = network.ask_turned(&asked.position, &question(MAX_HISTORY), symmetries);
        let answer = answer.with_context(|| asked.place.clone())?;
        watch(1);
        Ok(Chance {
            place: asked.place.clone(),
            win: answer.seen_by(asked.winner).win.into(),
        })
    };
    let chances: Result<_> = positions.par_iter().map(chance).collect();
    Ok(Winners { chances: chances? })
}

impl Winners {
    /// Number of positions with the right winner.
    pub fn named(&self) -> usize {
        self.chances
            .iter()
            .filter(|chance| chance.is_named())
            .count()
    }

    /// As a JSON object.
    pub fn to_json(&self) -> Value {
        let chances = self.chances.iter();
        let chances = chances.map(|it| json!({"place": it.place, "win": it.win}));
        json!({
            "positions": self.chances.len(),
            "winners_named": self.named(),
            "chances": chances.collect::<Vec<_>>(),
        })
    }
}

impl Chance {
    /// Whether the known winner is predicted to win.
    pub fn is_named(&self) -> bool {
        self.win > 0.5
    }
}
