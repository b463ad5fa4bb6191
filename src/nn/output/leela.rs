//! Interpretation of a Leela Zero network's outputs.

use crate::go::{Color, Position};

use super::{NetOutput, PolicySettings, RawOutput, policy};

/// The logit of an impossible outcome.
const NEVER: f32 = -1e30;

/// Raw outputs from a policy that ends with the pass, and a value v: (1 + tanh v) / 2 is the
/// fraction of e^v in e^v + e^-v.
pub fn raw_leela(mut policy: Vec<f32>, value: f32) -> RawOutput {
    RawOutput {
        pass: policy.pop().into_iter().collect(),
        policy,
        value: [value, -value, NEVER],
        ..RawOutput::default()
    }
}

/// Interprets the outputs for a position, from the point of view of the player to move. The net has
/// no score or ownership: score values are 0, ownership is empty. `value_is_black` is whether the
/// first value is Black's win. `raw` must be in board order.
pub fn read_leela(
    raw: &RawOutput,
    position: &Position,
    settings: PolicySettings,
    value_is_black: bool,
) -> NetOutput {
    let [first, second, _] = raw.value.map(|logit| logit as f64);
    let share = 1.0 / (1.0 + (second - first).exp());
    let is_turned = value_is_black && position.to_move() == Color::White;
    let win = if is_turned { 1.0 - share } else { share };
    NetOutput {
        viewpoint: position.to_move(),
        policy: policy(raw, position, settings),
        win: win as f32,
        loss: (1.0 - win) as f32,
        no_result: 0.0,
        lead: 0.0,
        score_mean: 0.0,
        score_mean_square: 0.0,
        variance_time_left: -1.0,
        shortterm_win_loss_error: -1.0,
        shortterm_score_error: -1.0,
        ownership: Vec::new(),
    }
}
