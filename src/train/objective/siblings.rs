//! Values of siblings, positions after different moves from one, between which a search has to choose: what
//! all have too much of does no harm there, what sets them apart does.

use std::ops::Range;

use crate::train::batch::Targets;
use crate::train::heads::Prediction;
use crate::train::terms::softmax;

/// By how much win less loss is too large.
pub(super) fn error(prediction: &Prediction, targets: &Targets, sample: usize) -> f64 {
    let own = softmax(&prediction.value, |_| true);
    let [win, loss, _] = targets.outcome[sample].map(f64::from);
    own[0] - own[1] - (win - loss)
}

/// By how much the errors of samples differ from the means of their families, each sample counting by its
/// weight; none of those that are alone.
pub(super) fn errors(
    predictions: &[Prediction],
    targets: &Targets,
    samples: Range<usize>,
) -> Vec<Option<f64>> {
    let family = &targets.family[samples.clone()];
    let mut errors = Vec::new();
    let mut left = samples;
    for siblings in family.chunk_by(|one, other| one == other) {
        let them: Vec<usize> = left.by_ref().take(siblings.len()).collect();
        let known = |sample: &&usize| targets.weights[**sample].outcome > 0.0;
        if them.iter().filter(known).count() < 2 {
            errors.extend(them.iter().map(|_| None));
            continue;
        }
        let predictions = &predictions[errors.len()..];
        let pairs = predictions.iter().zip(&them);
        let own: Vec<f64> = pairs
            .map(|(it, &sample)| error(it, targets, sample))
            .collect();
        let weights = them
            .iter()
            .map(|&sample| f64::from(targets.weights[sample].outcome));
        let sum: f64 = weights.clone().sum();
        let mean = own
            .iter()
            .zip(weights)
            .map(|(error, weight)| error * weight)
            .sum::<f64>()
            / sum;
        errors.extend(own.iter().map(|error| Some(error - mean)));
    }
    errors
}

/// The square of such an error. Adds `factor` times its gradient with respect to the logits of win, loss and
/// no result; since the errors of a family have the mean 0, what they have in common has no part in it.
pub(super) fn square(error: f64, logits: &[f64], gradient: &mut [f64], factor: f64) -> f64 {
    let p = softmax(logits, |_| true);
    let value = p[0] - p[1];
    for ((slope, p), worth) in gradient.iter_mut().zip(&p).zip([1.0, -1.0, 0.0]) {
        *slope += 2.0 * error * p * (worth - value) * factor;
    }
    error * error
}
