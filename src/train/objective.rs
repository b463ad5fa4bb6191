//! Losses of predictions and their gradients.
//!
//! Computed in f64, sample by sample. Raw outputs of the heads mean what they mean in
//! [`crate::nn::output`].

use std::ops::Range;

use crate::nn::desc::Multipliers;

use super::heads::{EXTRA_POLICIES, Prediction, SCORE_MEAN};
use super::losses::{Head, LossWeights, Losses};
use super::terms::{cross_entropy, hits, huber, ignored, shortterm_error, softened, softplus};
use crate::data::batch::{SampleWeights, Targets};

mod siblings;

/// Where the Huber losses become linear, in the order of the score outputs: mean, deviation, lead, time, short-term
/// errors of value and score.
pub const SCORE_DELTAS: [f64; 6] = [12.0, 10.0, 8.0, 50.0, 1.0, 10.0];

/// Fraction of its expected error that a net learns to output: for the value about its distance
/// from the teacher, without the teacher's own error. A search weights leaves by 0.25 over this
/// output, a constant chosen for larger nets; with the full error of a small net the search spreads
/// too far (`docs/training.md`, "Choices").
pub const ERROR_TOLD: f64 = 0.68;

/// Settings of the losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    pub weights: LossWeights,
    pub multipliers: Multipliers,
    pub version: u32,
}

impl Objective {
    /// The losses of some samples; their predictions are replaced by `scale` times the gradients of
    /// the weighted sums. Sibling groups are compared as far as they are among the samples.
    pub fn differentiate(
        &self,
        predictions: &mut [Prediction],
        targets: &Targets,
        samples: Range<usize>,
        scale: f64,
    ) -> Losses {
        let errors = siblings::errors(predictions, targets, samples.clone());
        let mut losses = Losses::default();
        for ((prediction, sample), error) in predictions.iter_mut().zip(samples).zip(errors) {
            losses += self.sample(prediction, (targets, sample, error), scale);
        }
        losses
    }

    /// One sample, with its error relative to its sibling group, if it has siblings.
    fn sample(
        &self,
        prediction: &mut Prediction,
        (targets, sample, among_siblings): (&Targets, usize, Option<f64>),
        scale: f64,
    ) -> Losses {
        let mut losses = Losses {
            samples: 1.0,
            ..Losses::default()
        };
        let own = targets.weights[sample];
        let errors = self.errors(prediction, targets, sample);
        self.policies(prediction, (targets, sample, own), scale, &mut losses);
        let values = prediction.value.clone();
        self.outcome(prediction, (targets, sample, own), scale, &mut losses);
        if let Some(error) = among_siblings {
            let factor = self.factor(Head::Siblings, own.outcome, scale);
            let loss = siblings::square(error, &values, &mut prediction.value, factor);
            losses.count(Head::Siblings, loss, own.outcome);
        }
        let with_errors = (targets, errors, sample, own);
        self.scores(prediction, with_errors, scale, &mut losses);
        self.ownership(prediction, (targets, sample, own), scale, &mut losses);
        losses
    }

    /// Targets of the short-term errors of value and score: the teacher's expected error plus the
    /// net's distance from the teacher, times [`ERROR_TOLD`]. Constants, so that no gradient
    /// rewards the net for being wrong by the expected amount.
    fn errors(&self, prediction: &Prediction, targets: &Targets, sample: usize) -> [f64; 2] {
        let errors = [
            targets.shortterm_value_error[sample] as f64,
            targets.shortterm_score_error[sample] as f64,
        ];
        if !targets.is_expectation[sample] {
            return errors;
        }
        let (score, _) = linear(prediction.score[SCORE_MEAN], self.multipliers.score_mean);
        let value = siblings::error(prediction, targets, sample);
        let score = score - targets.score_mean[sample] as f64;
        [errors[0].hypot(value), errors[1].hypot(score)].map(|error| error * ERROR_TOLD)
    }

    fn factor(&self, head: Head, own: f32, scale: f64) -> f64 {
        self.weights.0[head as usize] * own as f64 * scale
    }

    fn policies(
        &self,
        prediction: &mut Prediction,
        (targets, sample, own): (&Targets, usize, SampleWeights),
        scale: f64,
        losses: &mut Losses,
    ) {
        let moves = prediction.ownership.len() + 1;
        let row = sample * moves..(sample + 1) * moves;
        let legal = &targets.legal[row.clone()];
        let wide = |values: &[f32]| values.iter().map(|p| *p as f64).collect::<Vec<_>>();
        let policy = wide(&targets.policy[row.clone()]);
        let first_extra = prediction.policy.len() - EXTRA_POLICIES;
        losses.hits += f64::from(own.policy) * hits(&prediction.policy[0], &policy, legal);
        for unused in &mut prediction.policy[1..first_extra] {
            unused.fill(0.0);
        }
        let mut learn = |channel: usize, target: &[f64], legal: &[bool], head, own| {
            let factor = self.factor(head, own, scale);
            let logits = &mut prediction.policy[channel];
            let loss = match own {
                0.0 => ignored(logits),
                _ => cross_entropy(logits, target, |mv| legal[mv], factor),
            };
            losses.count(head, loss, own);
        };
        learn(0, &policy, legal, Head::Policy, own.policy);
        let soft = softened(&policy, legal);
        learn(first_extra, &soft, legal, Head::SoftPolicy, own.soft_policy);
        // The mask of the opponent's reply is not known; illegal moves are learned with the policy.
        let all = vec![true; moves];
        let opponent = wide(&targets.opponent_policy[row]);
        learn(
            first_extra + 1,
            &opponent,
            &all,
            Head::Opponent,
            own.opponent,
        );
        let mut human = vec![0.0; moves];
        let mut weight = 0.0;
        if let Some(mv) = targets.human_move[sample] {
            human[mv] = 1.0;
            weight = own.human;
        }
        learn(first_extra + 2, &human, legal, Head::Human, weight);
    }

    fn outcome(
        &self,
        prediction: &mut Prediction,
        (targets, sample, own): (&Targets, usize, SampleWeights),
        scale: f64,
        losses: &mut Losses,
    ) {
        let target = targets.outcome[sample].map(|p| p as f64);
        let factor = self.factor(Head::Outcome, own.outcome, scale);
        let loss = match own.outcome {
            0.0 => ignored(&mut prediction.value),
            _ => cross_entropy(&mut prediction.value, &target, |_| true, factor),
        };
        losses.count(Head::Outcome, loss, own.outcome);
    }

    fn scores(
        &self,
        prediction: &mut Prediction,
        (targets, errors, sample, own): (&Targets, [f64; 2], usize, SampleWeights),
        scale: f64,
        losses: &mut Losses,
    ) {
        let m = &self.multipliers;
        let (value_factor, score_factor) = (m.shortterm_value_error, m.shortterm_score_error);
        let error = |raw: f64, factor: f32| shortterm_error(self.version, raw, factor.into());
        let of = |values: &[f32]| values[sample] as f64;
        let values: [(Head, f64, f32, ScoreValue); 6] = [
            (
                Head::ScoreMean,
                of(&targets.score_mean),
                own.score,
                &|raw| linear(raw, m.score_mean),
            ),
            (
                Head::ScoreStdev,
                of(&targets.score_stdev),
                own.stdev,
                &|raw| positive(raw, m.score_stdev),
            ),
            (Head::Lead, of(&targets.lead), own.score, &|raw| {
                linear(raw, m.lead)
            }),
            (
                Head::VarianceTime,
                of(&targets.variance_time),
                own.shortterm,
                &|raw| positive(raw, m.variance_time),
            ),
            (Head::ShorttermValue, errors[0], own.shortterm, &|raw| {
                error(raw, value_factor)
            }),
            (Head::ShorttermScore, errors[1], own.shortterm, &|raw| {
                error(raw, score_factor)
            }),
        ];
        let heads = values.into_iter().zip(SCORE_DELTAS);
        for (raw, ((head, target, own, interpret), delta)) in prediction.score.iter_mut().zip(heads)
        {
            if own == 0.0 {
                *raw = 0.0;
                continue;
            }
            let (value, slope) = interpret(*raw);
            let (loss, direction) = huber(value - target, delta);
            *raw = direction * slope * self.factor(head, own, scale);
            losses.count(head, loss, own);
        }
    }

    fn ownership(
        &self,
        prediction: &mut Prediction,
        (targets, sample, own): (&Targets, usize, SampleWeights),
        scale: f64,
        losses: &mut Losses,
    ) {
        if own.ownership == 0.0 {
            ignored(&mut prediction.ownership);
            return;
        }
        let area = prediction.ownership.len();
        let targets = &targets.ownership[sample * area..][..area];
        let factor = self.factor(Head::Ownership, own.ownership, scale) / area as f64;
        let mut sum = 0.0;
        for (raw, target) in prediction.ownership.iter_mut().zip(targets) {
            // The probability (tanh(x) + 1) / 2 is the logistic function of 2x.
            let (p, z) = ((*target as f64 + 1.0) / 2.0, 2.0 * *raw);
            let (positive, slope) = softplus(z);
            sum += positive - p * z;
            *raw = 2.0 * (slope - p) * factor;
        }
        losses.count(Head::Ownership, sum / area as f64, own.ownership);
    }
}

/// A value computed from a raw output, and its derivative.
type ScoreValue<'a> = &'a dyn Fn(f64) -> (f64, f64);

fn linear(raw: f64, factor: f32) -> (f64, f64) {
    (raw * factor as f64, factor as f64)
}

fn positive(raw: f64, factor: f32) -> (f64, f64) {
    let (value, slope) = softplus(raw);
    (value * factor as f64, slope * factor as f64)
}
