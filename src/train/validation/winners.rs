//! Accuracy on positions with a known winner.

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Networks, request};
use crate::data::won_positions::WonPosition;
use crate::nn::features::MAX_HISTORY;

/// Predictions for some positions, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Winners {
    pub predictions: Vec<WinnerPrediction>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WinnerPrediction {
    /// File and line of the position.
    pub place: String,
    /// Predicted win probability of the known winner.
    pub win: f64,
}

/// Evaluates networks on positions, each on its boards, averaging over this many symmetries (1 to
/// 8). `progress` is called with the positions done.
pub fn of_positions(
    networks: &Networks,
    symmetries: usize,
    positions: &[WonPosition],
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Winners> {
    let predict = |position: &WonPosition| {
        let network = networks(position.position.size())?;
        let answer = network.average_output(&position.position, &request(MAX_HISTORY), symmetries);
        let answer = answer.with_context(|| position.place.clone())?;
        progress(1);
        Ok(WinnerPrediction {
            place: position.place.clone(),
            win: answer.seen_by(position.winner).win.into(),
        })
    };
    let predictions: Result<_> = positions.par_iter().map(predict).collect();
    Ok(Winners {
        predictions: predictions?,
    })
}

impl Winners {
    /// Number of positions with the right winner.
    pub fn named(&self) -> usize {
        self.predictions.iter().filter(|it| it.is_named()).count()
    }

    /// As a JSON object.
    pub fn to_json(&self) -> Value {
        let predictions = self.predictions.iter();
        let predictions = predictions.map(|it| json!({"place": it.place, "win": it.win}));
        json!({
            "positions": self.predictions.len(),
            "winners_named": self.named(),
            "win_probabilities": predictions.collect::<Vec<_>>(),
        })
    }
}

impl WinnerPrediction {
    /// Whether the known winner is predicted to win.
    pub fn is_named(&self) -> bool {
        self.win > 0.5
    }
}
