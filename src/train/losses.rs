//! What losses there are, how much each counts, and their sums.
//!
//! Each head has a loss of its own; their weighted sum is what training makes small.

use std::ops::AddAssign;

/// What losses are counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Cross entropy of the policy.
    Policy,
    /// The same of the policy to the power of 1/4, by which rare moves are learned sooner.
    SoftPolicy,
    /// Cross entropy of the opponent's policy.
    Opponent,
    /// Cross entropy of the moves of people.
    Human,
    /// Cross entropy of win, loss and no result.
    Outcome,
    /// Square of how far win less loss is off, beyond what its siblings are on average.
    Siblings,
    /// Huber loss in points.
    Lead,
    /// Huber loss in points.
    ScoreMean,
    /// Huber loss in points.
    ScoreStdev,
    /// Huber loss in moves.
    VarianceTime,
    /// Huber loss of how far the outcome is from what comes next: a teacher's own error and the
    /// net's distance from the teacher together.
    ShorttermValue,
    /// The same of the score, in points.
    ShorttermScore,
    /// Mean cross entropy of whose each point is.
    Ownership,
}

impl Head {
    /// All of them, in the order of [`Losses::of`].
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

    /// In tables and charts.
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

/// How much the loss of each head counts, in the order of [`Head::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossWeights(pub [f64; Head::ALL.len()]);

impl Default for LossWeights {
    /// After KataGo's training, which does not compare siblings: in an even game the outcome's cross
    /// entropy is half the square of the value's error, so that what is a sibling's own counts eight
    /// times as much besides. Figures in points or moves have long gradients: with these weights that
    /// of the lead in the trunk is about as long as the policy's early in training, and no other's is
    /// longer.
    fn default() -> LossWeights {
        LossWeights([
            1.0, 1.0, 0.15, 0.3, 1.0, 4.0, 0.006, 0.0015, 0.002, 0.0001, 0.5, 0.0005, 1.5,
        ])
    }
}

/// Sums over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Of each head in the order of [`Head::ALL`], times the samples' own weights.
    pub sums: [f64; Head::ALL.len()],
    /// These weights.
    pub weights: [f64; Head::ALL.len()],
    /// Samples whose most probable move is the target's.
    pub hits: f64,
    /// All samples.
    pub samples: f64,
}

impl Losses {
    /// The mean loss of a head over the samples where its target is known; 0 of none.
    pub fn of(&self, head: Head) -> f64 {
        let index = head as usize;
        match self.weights[index] {
            weight if weight > 0.0 => self.sums[index] / weight,
            _ => 0.0,
        }
    }

    /// What training makes small: the weighted sum, as a mean over all samples.
    pub fn total(&self, weights: &LossWeights) -> f64 {
        let products = self
            .sums
            .iter()
            .zip(weights.0)
            .map(|(sum, weight)| sum * weight);
        products.sum::<f64>() / self.samples.max(1.0)
    }

    /// Adds a loss of a head with its sample's own weight.
    pub(super) fn count(&mut self, head: Head, loss: f64, weight: f32) {
        self.sums[head as usize] += loss * weight as f64;
        self.weights[head as usize] += weight as f64;
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
