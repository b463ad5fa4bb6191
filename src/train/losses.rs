//! The losses, their weights, and their sums.
//!
//! Each head has its own loss; training minimises their weighted sum.

use std::ops::AddAssign;

/// A loss that is reported separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Cross entropy of the policy.
    Policy,
    /// The same with both policies to the power of 1/4, which helps to learn rare moves.
    SoftPolicy,
    /// Cross entropy of the opponent's policy.
    Opponent,
    /// Cross entropy of moves in human games.
    Human,
    /// Cross entropy of win, loss and no result.
    Outcome,
    /// Squared error of win less loss, relative to the mean error of the sample's sibling group.
    Siblings,
    Lead,
    ScoreMean,
    ScoreStdev,
    VarianceTime,
    /// Huber loss of the expected error of the outcome: the teacher's own expected error plus the
    /// net's distance from the teacher.
    ShorttermValue,
    /// The same of the score, in points.
    ShorttermScore,
    /// Mean cross entropy of ownership.
    Ownership,
}

impl Head {
    /// All losses, in the order of [`Losses::sums`].
    pub const ALL: [Head; 13] = [
        Head::Policy,
        Head::SoftPolicy,
        Head::Opponent,
        Head::Human,
        Head::Outcome,
        Head::Siblings,
        Head::Lead,
        Head::ScoreMean,
        Head::ScoreStdev,
        Head::VarianceTime,
        Head::ShorttermValue,
        Head::ShorttermScore,
        Head::Ownership,
    ];

    /// Whether networks with fully connected heads have its output, too: they have a policy and a value only.
    pub fn is_of_flat_heads(self) -> bool {
        matches!(self, Head::Policy | Head::Outcome | Head::Siblings)
    }

    /// Name in tables and charts.
    pub fn name(self) -> &'static str {
        match self {
            Head::Policy => "policy",
            Head::SoftPolicy => "soft_policy",
            Head::Opponent => "opponent",
            Head::Human => "human",
            Head::Outcome => "outcome",
            Head::Siblings => "siblings",
            Head::Lead => "lead",
            Head::ScoreMean => "score_mean",
            Head::ScoreStdev => "score_stdev",
            Head::VarianceTime => "variance_time",
            Head::ShorttermValue => "shortterm_value",
            Head::ShorttermScore => "shortterm_score",
            Head::Ownership => "ownership",
        }
    }
}

/// Weight of each loss, in the order of [`Head::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossWeights(pub [f64; Head::ALL.len()]);

impl Default for LossWeights {
    /// After KataGo's training, which has no loss for siblings: in an even game the outcome's cross
    /// entropy is half the square of the value's error, so an error relative to the siblings counts
    /// eight times as much on top. Losses in points or moves have large gradients: with these
    /// weights, the trunk gradient of the lead is about as long as that of the policy early in
    /// training, and that of the others is shorter.
    fn default() -> LossWeights {
        LossWeights([
            1.0, 1.0, 0.15, 0.3, 1.0, 4.0, 0.006, 0.0015, 0.002, 0.0001, 0.5, 0.0005, 1.5,
        ])
    }
}

/// Sums over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Weighted losses in the order of [`Head::ALL`].
    pub sums: [f64; Head::ALL.len()],
    /// Sums of the weights without their signs.
    pub weights: [f64; Head::ALL.len()],
    /// Samples with a policy whose most probable move is the prediction's, by their weights.
    pub hits: f64,
    /// Number of samples.
    pub samples: f64,
}

impl Losses {
    /// The mean loss of a head over the samples with a target; 0 if there are none.
    pub fn of(&self, head: Head) -> f64 {
        let index = head as usize;
        match self.weights[index] {
            weight if weight > 0.0 => self.sums[index] / weight,
            _ => 0.0,
        }
    }

    /// The share of samples with a policy whose most probable move is the prediction's; 0 if there are none.
    pub fn agreement(&self) -> f64 {
        self.hits / self.weights[Head::Policy as usize].max(f64::MIN_POSITIVE)
    }

    /// The total loss: the weighted sum, as a mean over all samples.
    pub fn total(&self, weights: &LossWeights) -> f64 {
        let products = self
            .sums
            .iter()
            .zip(weights.0)
            .map(|(sum, weight)| sum * weight);
        products.sum::<f64>() / self.samples.max(1.0)
    }

    /// Adds the loss of one sample with its weight, which may be negative.
    pub(super) fn count(&mut self, head: Head, loss: f64, weight: f32) {
        self.sums[head as usize] += loss * weight as f64;
        self.weights[head as usize] += weight.abs() as f64;
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        let pairs = self.sums.iter_mut().zip(other.sums);
        pairs.for_each(|(sum, value)| *sum += value);
        let pairs = self.weights.iter_mut().zip(other.weights);
        pairs.for_each(|(sum, value)| *sum += value);
        self.hits += other.hits;
        self.samples += other.samples;
    }
}
