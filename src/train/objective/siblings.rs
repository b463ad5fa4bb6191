//! Values of siblings, positions after different moves from one position. A search chooses between
//! them, so only their differences matter: an error that all share is harmless.

use std::ops::Range;

use crate::data::batch::Targets;
use crate::train::heads::Prediction;
use crate::train::terms::softmax;

/// Error of win less loss.
pub(super) fn error(prediction: &Prediction, targets: &Targets, sample: usize) -> f64 {
    let own = softmax(&prediction.value, |_| true);
    let [win, loss, _] = targets.outcome[sample].map(f64::from);
    own[0] - own[1] - (win - loss)
}

/// Errors of samples less the weighted mean of their sibling group; none without siblings.
pub(super) fn errors(
    predictions: &[Prediction],
    targets: &Targets,
    samples: Range<usize>,
) -> Vec<Option<f64>> {
    let pairs = predictions.iter().zip(samples.clone());
    let own: Vec<f64> = pairs.map(|(it, at)| error(it, targets, at)).collect();
    let known = targets.weights[samples.clone()].iter();
    let weights: Vec<f64> = known.map(|weights| weights.outcome.into()).collect();
    let mut among_siblings = Vec::with_capacity(own.len());
    for sibling_group in targets.sibling_group[samples].chunk_by(|one, other| one == other) {
        let members = among_siblings.len()..among_siblings.len() + sibling_group.len();
        let (own, weights) = (&own[members.clone()], &weights[members]);
        let is_alone = weights.iter().filter(|weight| **weight > 0.0).count() < 2;
        let products = own
            .iter()
            .zip(weights)
            .map(|(error, weight)| error * weight);
        let mean = products.sum::<f64>() / weights.iter().sum::<f64>();
        among_siblings.extend(own.iter().map(|error| (!is_alone).then_some(error - mean)));
    }
    among_siblings
}

/// The square of such an error. Adds `factor` times its gradient with respect to the logits of win,
/// loss and no result. The errors of a sibling group have the mean 0, so the gradient of that mean
/// vanishes.
pub(super) fn square(error: f64, logits: &[f64], gradient: &mut [f64], factor: f64) -> f64 {
    let p = softmax(logits, |_| true);
    let value = p[0] - p[1];
    for ((slope, p), utility) in gradient.iter_mut().zip(&p).zip([1.0, -1.0, 0.0]) {
        *slope += 2.0 * error * p * (utility - value) * factor;
    }
    error * error
}
