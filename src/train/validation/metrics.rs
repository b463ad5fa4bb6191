//! Comparison of predictions with labels.

use crate::data::batch::Batch;
use crate::go::Position;
use crate::train::terms::{among_first, best};

use super::diagnosis::{Case, Diagnosis};
use super::errors::ErrorMetrics;
use super::siblings::SiblingMetrics;
use super::stages::{StageMetrics, is_late};
use super::sums::impl_add_assign;

/// Lower limit of probabilities, so that logarithms are finite.
const LEAST: f64 = f32::MIN_POSITIVE as f64;
/// A human move among this many most probable ones counts for `human_top5`.
const FIRST: usize = 5;

/// A prediction for a position, from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Move probabilities; illegal ones are ignored.
    pub policy: Vec<f64>,
    /// Probabilities of human moves, if the net has such a policy.
    pub human: Option<Vec<f64>>,
    /// Probabilities of win, loss and no result.
    pub outcome: [f64; 3],
    /// Lead in points, if known.
    pub lead: Option<f64>,
    /// Expected error of win less loss, if known.
    pub value_error: Option<f64>,
    /// Ownership from -1 to 1; empty if not known.
    pub ownership: Vec<f64>,
}

/// Sums over labels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    labels: f64,
    /// Labels with a policy, with an outcome, with a lead.
    known: Known,
    /// Cross entropy of the policy and entropy of its target.
    policy: f64,
    policy_entropy: f64,
    /// Labels with the same most probable move.
    agreement: f64,
    /// Human moves predicted by the policy.
    human_moves: HumanMetrics,
    /// Human moves predicted by the human policy.
    human_head: HumanMetrics,
    /// Cross entropy of the outcome and entropy of its target.
    outcome: f64,
    outcome_entropy: f64,
    /// Squared error of win less loss.
    value_square: f64,
    /// Absolute error of the lead.
    lead: f64,
    /// Errors of win less loss, expected and actual.
    errors: ErrorMetrics,
    /// Value differences between siblings.
    pub(super) siblings: SiblingMetrics,
    /// Errors by stage of the game.
    stages: StageMetrics,
    /// Diagnosis of ownership.
    diagnosis: Diagnosis,
}

/// Numbers of labels for which targets are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Known {
    policy: f64,
    outcome: f64,
    score: f64,
}

/// Sums over labels with a human move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct HumanMetrics {
    labels: f64,
    cross_entropy: f64,
    first: f64,
    among_first: f64,
}

impl Metrics {
    /// Adds the prediction for a sample, except for the comparison with siblings; returns win less
    /// loss as predicted and as labelled.
    pub fn add(&mut self, answer: &Answer, batch: &Batch, sample: usize) -> [f64; 2] {
        let targets = &batch.targets;
        let area = batch.size.area();
        let row = sample * (area + 1)..(sample + 1) * (area + 1);
        let legal = &targets.legal[row.clone()];
        let policy: Vec<f64> = targets.policy[row].iter().map(|&p| p.into()).collect();
        let weights = targets.weights[sample];
        self.labels += 1.0;
        let divergence = (weights.policy > 0.0).then(|| self.add_policy(answer, &policy, legal));
        if let Some(mv) = targets.human_move[sample] {
            self.add_human(&answer.policy, legal, mv);
            if let Some(human) = &answer.human {
                self.human_head.add(human, legal, mv);
            }
        }
        let outcome = targets.outcome[sample].map(f64::from);
        let value_error = (weights.outcome > 0.0).then(|| self.add_outcome(answer, &outcome));
        if let (true, Some(lead)) = (weights.score > 0.0, answer.lead) {
            self.known.score += 1.0;
            self.lead += (lead - f64::from(targets.lead[sample])).abs();
        }
        let ownership = known_owners(answer, batch, sample).map(|known| {
            let pairs = answer.ownership.iter().zip(&known);
            let square = |(one, other): (&f64, &f64)| ((one - other) / 2.0).powi(2);
            pairs.map(square).sum::<f64>() / area as f64
        });
        self.stages.add(legal, divergence, value_error, ownership);
        [&answer.outcome, &outcome].map(win_less_loss)
    }

    /// Adds a policy and returns its divergence from the target, in nats.
    fn add_policy(&mut self, answer: &Answer, policy: &[f64], legal: &[bool]) -> f64 {
        let crossed = cross_entropy(policy, &answer.policy);
        let entropy = cross_entropy(policy, policy);
        self.known.policy += 1.0;
        self.policy += crossed;
        self.policy_entropy += entropy;
        self.agreement += f64::from(best(&answer.policy, legal) == best(policy, legal));
        crossed - entropy
    }

    /// Adds an outcome and returns the error of win less loss.
    fn add_outcome(&mut self, answer: &Answer, outcome: &[f64; 3]) -> f64 {
        self.known.outcome += 1.0;
        self.outcome += cross_entropy(outcome, &answer.outcome);
        self.outcome_entropy += cross_entropy(outcome, outcome);
        let [own, target] = [&answer.outcome, outcome].map(win_less_loss);
        let error = (own - target).abs();
        self.value_square += error * error;
        if let Some(expected) = answer.value_error {
            self.errors.add(expected, error);
        }
        error
    }

    /// Adds a sample to the diagnosis of ownership, if its ownership is known.
    pub fn diagnose(&mut self, position: &Position, answer: &Answer, batch: &Batch, sample: usize) {
        let Some(known) = known_owners(answer, batch, sample) else {
            return;
        };
        let targets = &batch.targets;
        let moves = batch.size.area() + 1;
        let outcome = targets.outcome[sample].map(f64::from);
        let case = Case {
            position,
            ownership: &answer.ownership,
            known: &known,
            is_expectation: targets.is_expectation[sample],
            value_error: (win_less_loss(&answer.outcome) - win_less_loss(&outcome)).abs(),
        };
        let legal = &targets.legal[sample * moves..][..moves];
        self.diagnosis.add(&case, is_late(legal));
    }

    /// The diagnosis of ownership, if any is known.
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        Some(&self.diagnosis).filter(|diagnosis| !diagnosis.is_empty())
    }

    /// Adds a policy's prediction of a human move.
    pub fn add_human(&mut self, policy: &[f64], legal: &[bool], mv: usize) {
        self.human_moves.add(policy, legal, mv);
    }

    /// Named means; unknown ones are left out.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        let Known {
            policy,
            outcome,
            score,
        } = self.known;
        let mut values = vec![("labels", self.labels)];
        let divergence = self.policy - self.policy_entropy;
        let excess = self.outcome - self.outcome_entropy;
        values.extend([
            ("policy_cross_entropy", self.policy / policy),
            ("policy_kl", divergence / policy),
            ("policy_agreement", self.agreement / policy),
            ("outcome_cross_entropy", self.outcome / outcome),
            ("outcome_excess", excess / outcome),
            ("value_square_error", self.value_square / outcome),
            ("lead_error", self.lead / score),
        ]);
        // Without labels there is no mean.
        values.retain(|(_, value)| value.is_finite() && self.labels > 0.0);
        values.extend(self.errors.values());
        values.extend(self.siblings.values());
        values.extend(self.stages.values());
        if self.human_moves.labels > 0.0 {
            values.push(("human_labels", self.human_moves.labels));
        }
        let moves = ["human_top1", "human_top5", "human_cross_entropy"];
        values.extend(self.human_moves.values(moves));
        let head = [
            "human_head_top1",
            "human_head_top5",
            "human_head_cross_entropy",
        ];
        values.extend(self.human_head.values(head));
        values
    }
}

impl HumanMetrics {
    fn add(&mut self, policy: &[f64], legal: &[bool], mv: usize) {
        let legal = policy.iter().zip(legal).filter(|(_, legal)| **legal);
        let share = among_first(legal.map(|(&p, _)| p), policy[mv]);
        self.labels += 1.0;
        self.cross_entropy -= policy[mv].max(LEAST).ln();
        self.first += share(1);
        self.among_first += share(FIRST);
    }

    /// The shares of first and of top five moves and the cross entropy under these names; nothing without labels.
    fn values(&self, names: [&'static str; 3]) -> Vec<(&'static str, f64)> {
        if self.labels == 0.0 {
            return Vec::new();
        }
        let sums = [self.first, self.among_first, self.cross_entropy];
        let means = sums.map(|sum| sum / self.labels);
        names.into_iter().zip(means).collect()
    }
}

impl_add_assign!(
    Metrics: labels, known, value_square, policy, policy_entropy, agreement, human_moves, human_head, outcome,
    outcome_entropy, lead, errors, siblings, stages, diagnosis
);

impl_add_assign!(Known: policy, outcome, score);
impl_add_assign!(HumanMetrics: labels, cross_entropy, first, among_first);

/// Labelled and predicted ownership of a sample, if both are known.
fn known_owners(answer: &Answer, batch: &Batch, sample: usize) -> Option<Vec<f64>> {
    let targets = &batch.targets;
    let has_owners = targets.weights[sample].ownership > 0.0 && !answer.ownership.is_empty();
    let area = batch.size.area();
    let owners = targets.ownership[sample * area..][..area].iter();
    has_owners.then(|| owners.map(|&owner| owner.into()).collect())
}

fn win_less_loss(outcome: &[f64; 3]) -> f64 {
    outcome[0] - outcome[1]
}

/// Cross entropy in nats.
fn cross_entropy(target: &[f64], answer: &[f64]) -> f64 {
    let pairs = target.iter().zip(answer).filter(|(p, _)| **p > 0.0);
    pairs.map(|(p, q)| -p * q.max(LEAST).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_moves_share_their_places() {
        let policy = [0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9];
        let legal = [true, true, true, true, true, true, true, true, false];
        let ranks = |played: usize| {
            let mut metrics = HumanMetrics::default();
            metrics.add(&policy, &legal, played);
            (metrics.first, metrics.among_first)
        };
        assert_eq!(ranks(0), (1.0, 1.0));
        assert_eq!(ranks(3), (0.0, 4.0 / 7.0));
    }
}
