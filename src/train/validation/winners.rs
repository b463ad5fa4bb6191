//! How often networks name the winner of positions where it is known.

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Networks, request};
use crate::data::won_positions::WonPosition;
use crate::nn::features::MAX_HISTORY;

/// What networks say of the winners of some positions, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Winners {
    /// One for each position.
    pub chances: Vec<Chance>,
}

/// What a network says of the winner of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Chance {
    /// The file, and the line of a table.
    pub place: String,
    /// Probability that the winner wins.
    pub win: f64,
}

/// Asks networks about positions, each on its boards and in so many symmetries (1 to 8), of which
/// the answers are averaged. `watch` is told of positions by their number.
pub fn of_positions(
    networks: &Networks,
    symmetries: usize,
    positions: &[WonPosition],
    watch: &(dyn Fn(usize) + Sync),
) -> Result<Winners> {
    let chance = |asked: &WonPosition| {
        let network = networks(asked.position.size())?;
        let answer = network.average_output(&asked.position, &request(MAX_HISTORY), symmetries);
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
    /// How many winners are named.
    pub fn named(&self) -> usize {
        self.chances
            .iter()
            .filter(|chance| chance.is_named())
            .count()
    }

    /// The same as an object.
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
    /// Whether the winner is likelier to win than not.
    pub fn is_named(&self) -> bool {
        self.win > 0.5
    }
}
