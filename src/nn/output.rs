//! Interpretation of a net's raw outputs.
//!
//! Formulas are those of KataGo's nets of versions 3 to 17, computed in f64 and rounded at the end.
//! Nets evaluate from the point of view of the player to move; [`NetOutput::seen_by`] is the only
//! place where that changes.

use crate::go::{Color, KoRule, Move, Position, Scoring};
use crate::search::evaluator::{Errors, Evaluation};

use super::desc::{Multipliers, Net, input_version_of};
use super::features::known_rules;

mod leela;

pub use leela::{raw_leela, read_leela};

/// Upper limit of the probability of a legal pass, relative to all other moves together, if passing
/// is limited.
const MAX_PASS_WEIGHT: f64 = 19.0;
/// Lower limit of the same.
const MIN_PASS_WEIGHT: f64 = 1e-20;

/// Raw outputs of a net's heads for one position, from the point of view of the player to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawOutput {
    /// Logits `[channel][point]`, points in the order of the inputs.
    pub policy: Vec<f32>,
    /// Logits of a pass, `[channel]`.
    pub pass: Vec<f32>,
    /// Logits of win, loss and no result.
    pub value: [f32; 3],
    /// Raw score outputs; their number and meaning depend on the model version.
    pub score: Vec<f32>,
    /// `[point]`, before tanh.
    pub ownership: Vec<f32>,
}

impl RawOutput {
    /// Whether all values are finite.
    pub fn is_finite(&self) -> bool {
        let points = self.policy.iter().chain(&self.pass).chain(&self.ownership);
        points
            .chain(&self.value)
            .chain(&self.score)
            .all(|value| value.is_finite())
    }
}

/// A network's evaluation of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct NetOutput {
    /// Point of view: the color for which win, points and ownership are positive.
    pub viewpoint: Color,
    /// Probability of each move of the player to move: points row by row from the top left, then
    /// the pass. -1 for illegal moves.
    pub policy: Vec<f32>,
    /// Probability that `viewpoint` wins.
    pub win: f32,
    /// Probability that `viewpoint` loses.
    pub loss: f32,
    /// Probability that the game has no result.
    pub no_result: f32,
    /// Lead in points: the komi change that would make the game even.
    pub lead: f32,
    /// Expected final score in points.
    pub score_mean: f32,
    /// Expected square of the final score.
    pub score_mean_square: f32,
    /// Approximate number of moves until the result is decided; -1 if not known.
    pub variance_time_left: f32,
    /// Expected error of win less loss over the next moves; -1 if not known.
    pub shortterm_win_loss_error: f32,
    /// Expected error of the score over the next moves; -1 if not known.
    pub shortterm_score_error: f32,
    /// Expected ownership of each point, row by row from the top left, in [-1, 1]; empty if it was not asked for.
    pub ownership: Vec<f32>,
}

/// Settings of the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicySettings {
    /// Fraction of the optimistic policy, 0 to 1, in nets that have one.
    pub optimism: f32,
    /// Divisor of logits.
    pub temperature: f32,
    /// Whether the probability of a pass is kept away from 0 and 1.
    pub bound_pass: bool,
}

impl Default for PolicySettings {
    fn default() -> PolicySettings {
        PolicySettings {
            optimism: 0.0,
            temperature: 1.0,
            bound_pass: false,
        }
    }
}

/// Properties of a net needed to interpret its raw outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputFormat {
    version: u32,
    multipliers: Multipliers,
}

impl OutputFormat {
    pub fn of(net: &Net) -> OutputFormat {
        OutputFormat {
            version: net.version,
            multipliers: net.multipliers,
        }
    }

    /// Interprets the raw outputs for a position, from the point of view of the player to move.
    /// `raw` must be in board order.
    pub fn read(
        &self,
        raw: &RawOutput,
        position: &Position,
        settings: PolicySettings,
    ) -> NetOutput {
        let [win, loss, no_result] = self.outcome(raw.value, position);
        let score = self.score(&raw.score, 1.0 - no_result, position);
        NetOutput {
            viewpoint: position.to_move(),
            policy: policy(raw, position, settings),
            win: win as f32,
            loss: loss as f32,
            no_result: no_result as f32,
            lead: score.lead as f32,
            score_mean: score.mean as f32,
            score_mean_square: score.mean_square as f32,
            variance_time_left: self.variance_time_left(&raw.score),
            shortterm_win_loss_error: self.shortterm_win_loss_error(&raw.score),
            shortterm_score_error: self.shortterm_score_error(&raw.score),
            ownership: raw
                .ownership
                .iter()
                .map(|&value| (value as f64).tanh() as f32)
                .collect(),
        }
    }

    /// No result has a probability only if the rules, as the net knows them, allow such games.
    fn outcome(&self, logits: [f32; 3], position: &Position) -> [f64; 3] {
        let rules = known_rules(input_version_of(self.version), position.rules());
        let decided = rules.ko != KoRule::Simple && rules.scoring == Scoring::Area;
        let mut logits = logits.map(|logit| logit as f64);
        if decided && self.version >= 4 {
            logits[2] = f64::NEG_INFINITY;
        }
        let max = logits.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let weights = logits.map(|logit| (logit - max).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }

    /// `decided` is the probability of a result.
    fn score(&self, raw: &[f32], decided: f64, position: &Position) -> Score {
        let raw = |index: usize| raw[index] as f64;
        if self.version == 3 {
            let mean = 2.0 * (position.size().area() as f64).sqrt() * raw(0).clamp(-1e6, 1e6);
            return Score {
                mean,
                mean_square: mean * mean,
                lead: mean,
            };
        }
        let mean = raw(0) * self.multipliers.score_mean as f64;
        let stdev = softplus(raw(1)) * self.multipliers.score_stdev as f64;
        let lead = match self.version {
            ..8 => mean,
            _ => raw(2) * self.multipliers.lead as f64,
        };
        Score {
            mean: mean * decided,
            mean_square: (mean * mean + stdev * stdev) * decided,
            lead: lead * decided,
        }
    }

    fn variance_time_left(&self, raw: &[f32]) -> f32 {
        match self.version {
            ..9 => -1.0,
            _ => (softplus(raw[3] as f64) * self.multipliers.variance_time as f64) as f32,
        }
    }

    fn shortterm_win_loss_error(&self, raw: &[f32]) -> f32 {
        self.shortterm_error(raw, 4, self.multipliers.shortterm_value_error, 1.0)
    }

    fn shortterm_score_error(&self, raw: &[f32]) -> f32 {
        self.shortterm_error(raw, 5, self.multipliers.shortterm_score_error, 10.0)
    }

    /// The error in this place; `unit` is its unit in networks of version 9.
    fn shortterm_error(&self, raw: &[f32], place: usize, factor: f32, unit: f64) -> f32 {
        let raw = || f64::from(raw[place]);
        let factor = f64::from(factor);
        let error = match self.version {
            ..9 => -1.0,
            9 => softplus(raw()) * unit,
            10..14 => (softplus(raw()) * factor).sqrt(),
            _ => softplus(raw() / 2.0) * factor.sqrt(),
        };
        error as f32
    }
}

struct Score {
    mean: f64,
    mean_square: f64,
    lead: f64,
}

fn softplus(x: f64) -> f64 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

/// Probabilities of all moves in the order of [`NetOutput::policy`].
fn policy(raw: &RawOutput, position: &Position, settings: PolicySettings) -> Vec<f32> {
    let size = position.size();
    let area = size.area();
    let optimism = settings.optimism as f64;
    let logit = |ordinary: &[f32], index: usize, next_channel: usize| {
        let first = ordinary[index] as f64;
        let second = ordinary
            .get(index + next_channel)
            .map_or(first, |&value| value as f64);
        (first + (second - first) * optimism) / settings.temperature as f64
    };
    let mut places = Vec::with_capacity(area + 1);
    let mut weights = Vec::with_capacity(area + 1);
    for mv in position.legal_moves() {
        let (place, logit) = match mv {
            Move::Play(point) => {
                let place = size.index(point);
                (place, logit(&raw.policy, place, area))
            }
            Move::Pass => (area, logit(&raw.pass, 0, 1)),
        };
        places.push(place);
        weights.push(logit);
    }
    let max = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for weight in &mut weights {
        *weight = (*weight - max).exp();
    }
    if settings.bound_pass {
        bound_pass(&mut weights);
    }
    let sum: f64 = weights.iter().sum();
    let mut policy = vec![-1.0; area + 1];
    for (&place, weight) in places.iter().zip(&weights) {
        policy[place] = (weight / sum) as f32;
    }
    policy
}

fn bound_pass(weights: &mut [f64]) {
    if let Some((pass, others)) = weights.split_last_mut() {
        let others: f64 = others.iter().sum();
        *pass = pass.min(others * MAX_PASS_WEIGHT).max(MIN_PASS_WEIGHT);
    }
}

impl NetOutput {
    /// The same from a color's point of view.
    pub fn seen_by(mut self, color: Color) -> NetOutput {
        if color != self.viewpoint {
            self.viewpoint = color;
            std::mem::swap(&mut self.win, &mut self.loss);
            self.lead = -self.lead;
            self.score_mean = -self.score_mean;
            self.ownership.iter_mut().for_each(|value| *value = -*value);
        }
        self
    }

    /// The average of several evaluations of one position from the same point of view. None if
    /// empty.
    pub fn average(outputs: &[NetOutput]) -> Option<NetOutput> {
        let mut average = outputs.first()?.clone();
        let mean = |value: &dyn Fn(&NetOutput) -> f32| {
            let sum: f64 = outputs.iter().map(|output| value(output) as f64).sum();
            (sum / outputs.len() as f64) as f32
        };
        for (index, value) in average.policy.iter_mut().enumerate() {
            *value = mean(&|output| output.policy[index]);
        }
        for (index, value) in average.ownership.iter_mut().enumerate() {
            *value = mean(&|output| output.ownership[index]);
        }
        average.win = mean(&|output| output.win);
        average.loss = mean(&|output| output.loss);
        average.no_result = mean(&|output| output.no_result);
        average.lead = mean(&|output| output.lead);
        average.score_mean = mean(&|output| output.score_mean);
        average.score_mean_square = mean(&|output| output.score_mean_square);
        average.variance_time_left = mean(&|output| output.variance_time_left);
        average.shortterm_win_loss_error = mean(&|output| output.shortterm_win_loss_error);
        average.shortterm_score_error = mean(&|output| output.shortterm_score_error);
        Some(average)
    }

    /// Standard deviation of the final score in points.
    pub fn score_stdev(&self) -> f32 {
        (self.score_mean_square - self.score_mean * self.score_mean)
            .max(0.0)
            .sqrt()
    }

    /// Converts to a search's evaluation. The viewpoint must be the player to move.
    pub fn into_evaluation(self) -> Evaluation {
        Evaluation {
            guide: Vec::new(),
            is_certain: false,
            win_loss: self.win - self.loss,
            no_result: self.no_result,
            score_mean: self.score_mean,
            score_stdev: self.score_stdev(),
            lead: self.lead,
            errors: (self.shortterm_win_loss_error >= 0.0).then_some(Errors {
                win_loss: self.shortterm_win_loss_error,
                score: self.shortterm_score_error,
                time_left: self.variance_time_left,
            }),
            policy: self
                .policy
                .into_iter()
                .filter(|&probability| probability >= 0.0)
                .collect(),
            ownership: self.ownership,
            games: Vec::new(),
        }
    }
}
