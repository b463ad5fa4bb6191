//! Labels of a game: for positions with thorough searches. Also the game as a record.
//!
//! Policies are those of the searches. Values are a mix of the result and an average over the
//! searches from the position on, whose weights decay with the moves between, the remaining weight
//! going to the result. Ownership is that of the final position. The standard deviation of the
//! score is estimated from one game: the distance of its score from the one that the search
//! expects, times the square root of pi/2, which is unbiased for normal errors. The time until the result is decided
//! is the sum over the rest of the game of how open it is, 1 for an even position and 0 for a
//! decided one.
//!
//! Positions occur in proportion to their weight, which depends in part on surprise; fractions are
//! rounded at random (KataGo's policy surprise weighting).

use std::f64::consts::PI;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::label::{Label, LabelValues};
use crate::data::sampler::set_moves;
use crate::data::shard::{LabelledLine, LineKind};
use crate::data::variety;
use crate::go::result::GameResult;
use crate::go::{Color, GameRecord, PerColor, Position};
use crate::nn::output::NetOutput;

use super::game::{GameValue, Played, PolicyTarget, Turn};
use super::params::SelfplayParams;

/// Board area for which horizons are stated.
const USUAL_AREA: f64 = 361.0;

/// Targets from the game after a turn.
#[derive(Clone, Copy, Debug)]
struct Future {
    /// Average of the searches and the result.
    average: GameValue,
    /// Moves until the result is decided.
    open: f64,
}

/// The line of a game with its labels.
pub fn labelled(played: &Played, params: &SelfplayParams, rng: &mut ChaCha8Rng) -> LabelledLine {
    let area = played.line.size.area() as f64;
    let futures = futures(played, params.horizon * area / USUAL_AREA);
    let weights = weights(&played.turns, params);
    let mut line = played.line.clone();
    line.moves.truncate(played.proper);
    let mut labels = Vec::new();
    for ((turn, future), weight) in played.turns.iter().zip(&futures).zip(weights) {
        let Some(policy_target) = &turn.policy_target else {
            continue;
        };
        let mixed = mixed(&future.average, &played.end, params.result_share);
        let output = output(turn, policy_target, &mixed, future, played);
        let mut label = Label {
            ply: turn.ply as u16,
            side_line: Vec::new(),
            rules: played.start.rules,
            komi: played.start.komi,
            history: variety::history(rng) as u8,
            next: None,
            reply: None,
            is_human: false,
            values: LabelValues::of(&output, true),
        };
        set_moves(&mut label, &line, turn.to_move);
        let more = rng.random_bool(weight.fract());
        labels.extend(std::iter::repeat_n(
            label,
            weight as usize + usize::from(more),
        ));
    }
    LabelledLine {
        source: 0,
        kind: LineKind::SelfPlay,
        winner: winner(&played.end),
        decided_for: played.decided.map(|(_, color)| color),
        line,
        labels,
    }
}

fn winner(end: &GameValue) -> Option<Color> {
    match end.win_loss {
        x if x > 0.0 => Some(Color::Black),
        x if x < 0.0 => Some(Color::White),
        _ => None,
    }
}

/// The weighted average of two values; `share` is the second one's weight.
fn mixed(one: &GameValue, other: &GameValue, share: f64) -> GameValue {
    let mix = |one: f64, other: f64| one + share * (other - one);
    GameValue {
        win_loss: mix(one.win_loss, other.win_loss),
        no_result: mix(one.no_result, other.no_result),
        score: mix(one.score, other.score),
        lead: mix(one.lead, other.lead),
    }
}

/// For each turn, with this mean horizon in moves.
fn futures(played: &Played, horizon: f64) -> Vec<Future> {
    let next_share = 1.0 - 1.0 / (1.0 + horizon);
    let mut future = Future {
        average: played.end,
        open: 0.0,
    };
    let mut futures: Vec<Future> = Vec::new();
    for turn in played.turns.iter().rev() {
        future = Future {
            average: mixed(&turn.value, &future.average, next_share),
            open: future.open + 1.0 - turn.value.win_loss.powi(2),
        };
        futures.push(future);
    }
    futures.reverse();
    futures
}

/// How many labels each turn gets: on average its weight.
fn weights(turns: &[Turn], params: &SelfplayParams) -> Vec<f64> {
    let target =
        |turn: &Turn, of: fn(&PolicyTarget) -> f64| turn.policy_target.as_ref().map_or(0.0, of);
    let weight = |turn: &Turn| target(turn, |target| target.weight);
    let surprise = |turn: &Turn| target(turn, |target| target.surprise);
    let value = |turn: &Turn| (turn.value.win_loss - turn.raw.win_loss).abs();
    let sum = |of: &dyn Fn(&Turn) -> f64| turns.iter().map(|t| weight(t) * of(t)).sum::<f64>();
    let total = sum(&|_| 1.0);
    let (surprises, values) = (sum(&surprise), sum(&value));
    let part = |share: f64, one: f64, all: f64| match all > 0.0 {
        true => share * total * one / all,
        false => share,
    };
    let even = 1.0 - params.surprise - params.value_surprise;
    let shared = |turn: &Turn| {
        let by_policy = part(params.surprise, surprise(turn), surprises);
        let by_value = part(params.value_surprise, value(turn), values);
        weight(turn) * (even + by_policy + by_value)
    };
    turns.iter().map(shared).collect()
}

/// A policy target as a network's output, from the point of view of the player to move.
fn output(
    turn: &Turn,
    policy_target: &PolicyTarget,
    value: &GameValue,
    future: &Future,
    played: &Played,
) -> NetOutput {
    let decided = 1.0 - value.no_result;
    // The search's expectation: mixtures with the result would be too near to it.
    let stdev = (PI / 2.0).sqrt() * (played.end.score - turn.value.score).abs();
    let owner = |owner: &Option<Color>| owner.map_or(0.0, |color| f32::from(color.sign()));
    let seen_by_black = NetOutput {
        viewpoint: Color::Black,
        policy: policy_target.policy.clone(),
        win: ((decided + value.win_loss) / 2.0) as f32,
        loss: ((decided - value.win_loss) / 2.0) as f32,
        no_result: value.no_result as f32,
        lead: value.lead as f32,
        score_mean: value.score as f32,
        score_mean_square: (value.score * value.score + stdev * stdev) as f32,
        variance_time_left: future.open as f32,
        shortterm_win_loss_error: (turn.raw.win_loss - future.average.win_loss).abs() as f32,
        shortterm_score_error: (turn.raw.score - future.average.score).abs() as f32,
        ownership: played.ownership.iter().map(owner).collect(),
    };
    // Policies are always those of the player to move.
    seen_by_black.seen_by(turn.to_move)
}

/// The game as SGF, without the clean-up phases.
pub fn record(played: &Played, player: &str) -> GameRecord {
    let start = &played.start;
    let empty = || Position::new(played.line.size, start.rules, start.komi);
    let before = played.line.start(start.rules, start.komi);
    let mut record = GameRecord::of(&before.unwrap_or_else(|_| empty()));
    let size = played.line.size;
    let moves = played.line.moves[..played.proper].iter();
    let mv = moves.filter_map(|code| Some((code.color(), code.decode(size)?)));
    record.moves = mv.collect();
    record.names = PerColor([Some(player.to_owned()), Some(player.to_owned())]);
    record.result = Some(match played.end.no_result > 0.0 {
        true => GameResult::Void,
        false => GameResult::from_lead(played.end.score as f32),
    });
    let mut say = |ply: usize, text: String| {
        let comment = record.comments.entry(ply.min(played.proper)).or_default();
        if !comment.is_empty() {
            comment.push('\n');
        }
        *comment += &text;
    };
    let opening = start.line.moves.len();
    if opening > 0 {
        say(opening, "the first search comes now".to_owned());
    }
    if let Some((ply, color)) = played.decided {
        say(ply, format!("decided for {color}"));
    }
    let cleaning = played.line.moves.len() - played.proper;
    if played.is_cut {
        say(
            played.proper,
            "broken off and counted as it stands".to_owned(),
        );
    } else if cleaning > 0 {
        say(
            played.proper,
            format!("{cleaning} more moves showed what is dead"),
        );
    }
    record
}
