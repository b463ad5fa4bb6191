//! Texel's method (Österlund 2014): weights whose evaluations of quiet positions predict the results of their
//! games best, by the mean of (r - 1 / (1 + 10^(-K e / 400)))^2 over positions with result r and evaluation e. The
//! scale K is fitted first, for the start weights; then Adam (Kingma and Ba 2015) goes down the gradient of weights and
//! scale. With a scale that stays, weights would grow as they predict better, beside what counts in an evaluation and is no
//! weight, such as a man at draughts.
//!
//! Weights that few games say something about stay near the start: it is taken for the mean of a normal distribution of the
//! right weights, each game for one observation with the error of the start, and the most probable weights are looked for.

use std::f64::consts::LN_10;

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::genome::Genome;
use crate::games::weighted::Features;

/// Decay of Adam's averages, and the number that keeps it from dividing by zero.
const BETA: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;
/// Samples whose errors and gradients one task adds up.
const CHUNK: usize = 4_096;
/// Range in which K is searched, and steps of the search.
const SCALES: (f64, f64) = (0.05, 5.0);
const STEPS: usize = 50;
/// The scale takes steps of hundredths, as weights are hundredths of a pawn.
const HUNDREDTH: f64 = 0.01;

/// A position with the result of its game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// From the first side's view.
    pub features: Features,
    /// The first side's point, of one.
    pub result: f64,
}

/// Mean errors after an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Of the samples that weights are fitted to.
    pub training: f64,
    /// Of those that are held out.
    pub held_out: f64,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The scale K of these weights.
    pub scale: f64,
    /// The weights with the least error on held-out samples.
    pub weights: Genome,
    /// Errors of the start weights, then after each epoch.
    pub course: Vec<Errors>,
}

fn predicted(evaluation: f64, scale: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-scale * evaluation / 400.0))
}

/// The mean error of weights.
pub fn error(samples: &[Sample], weights: &[f64], scale: f64) -> f64 {
    let error = |sample: &Sample| {
        let predicted = predicted(sample.features.value(weights), scale);
        (sample.result - predicted).powi(2)
    };
    let sums = samples.par_chunks(CHUNK);
    // Added in their order, so that the sum does not depend on threads.
    let sums: Vec<f64> = sums
        .map(|chunk| chunk.iter().map(error).sum::<f64>())
        .collect();
    sums.into_iter().sum::<f64>() / samples.len().max(1) as f64
}

/// The scale with the least error, by golden section: the error falls up to it, then rises.
pub fn best_scale(samples: &[Sample], weights: &[f64]) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = SCALES;
    for _ in 0..STEPS {
        let inner = [high - ratio * (high - low), low + ratio * (high - low)];
        let [left, right] = inner.map(|scale| error(samples, weights, scale));
        if left < right {
            high = inner[1];
        } else {
            low = inner[0];
        }
    }
    (low + high) / 2.0
}

/// How weights are fitted.
#[derive(Clone, Copy, Debug)]
pub struct FitPlan {
    /// Steps.
    pub epochs: usize,
    /// Largest change of a weight in a step, about.
    pub rate: f64,
    /// Standard deviation of the right weights from the start; infinite if nothing is known.
    pub prior: f64,
    /// Games that the samples are of.
    pub games: usize,
}

/// Fits weights to samples.
pub fn fit(
    samples: &[Sample],
    held_out: &[Sample],
    start: &Genome,
    plan: FitPlan,
    mut tell: impl FnMut(usize, Errors) -> Result<()>,
) -> Result<Fit> {
    let mut scale = best_scale(samples, start);
    let errors = |weights: &[f64], scale| Errors {
        training: error(samples, weights, scale),
        held_out: error(held_out, weights, scale),
    };
    let mut weights = start.clone();
    let (mut mean, mut square) = (vec![0.0; start.len() + 1], vec![0.0; start.len() + 1]);
    let mut course = vec![errors(start, scale)];
    let mut best = (start.clone(), scale);
    let mut least = course[0].held_out;
    // Twice the error of the start over that of the prior and over the games.
    let pull = 2.0 * course[0].training / (plan.prior * plan.prior * plan.games.max(1) as f64);
    for epoch in 1..=plan.epochs {
        let mut gradient = gradient(samples, &weights, scale);
        for (slope, (weight, start)) in gradient.iter_mut().zip(weights.iter().zip(start)) {
            *slope += pull * (weight - start);
        }
        let correction = [BETA.0, BETA.1].map(|beta: f64| 1.0 - beta.powi(epoch as i32));
        let mut step = |index: usize, slope: f64| {
            mean[index] = BETA.0 * mean[index] + (1.0 - BETA.0) * slope;
            square[index] = BETA.1 * square[index] + (1.0 - BETA.1) * slope * slope;
            let step = mean[index] / correction[0];
            plan.rate * step / ((square[index] / correction[1]).sqrt() + EPSILON)
        };
        for (index, (weight, slope)) in weights.iter_mut().zip(&gradient).enumerate() {
            *weight -= step(index, *slope);
        }
        let slope = gradient[start.len()];
        scale = (scale - HUNDREDTH * step(start.len(), slope)).clamp(SCALES.0, SCALES.1);
        let errors = errors(&weights, scale);
        if errors.held_out < least {
            (best, least) = ((weights.clone(), scale), errors.held_out);
        }
        course.push(errors);
        tell(epoch, errors)?;
    }
    let (weights, scale) = best;
    Ok(Fit {
        scale,
        weights,
        course,
    })
}

/// The gradient of the mean error by weights and, at the end, by the scale in hundredths.
fn gradient(samples: &[Sample], weights: &[f64], scale: f64) -> Vec<f64> {
    let factor = 2.0 * LN_10 / 400.0 / samples.len().max(1) as f64;
    let of_chunk = |chunk: &[Sample]| {
        let mut gradient = vec![0.0; weights.len() + 1];
        for sample in chunk {
            let value = sample.features.value(weights);
            let predicted = predicted(value, scale);
            let slope = factor * (predicted - sample.result) * predicted * (1.0 - predicted);
            for &(index, count) in &sample.features.counts {
                gradient[index] += slope * scale * f64::from(count);
            }
            gradient[weights.len()] += slope * value * HUNDREDTH;
        }
        gradient
    };
    let parts: Vec<Vec<f64>> = samples.par_chunks(CHUNK).map(of_chunk).collect();
    let mut gradient = vec![0.0; weights.len() + 1];
    for part in parts {
        for (sum, slope) in gradient.iter_mut().zip(part) {
            *sum += slope;
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Samples whose results follow these weights.
    fn samples(count: usize, weights: &[f64], seed: u64) -> Vec<Sample> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let sample = |_| {
            let counts = (0..weights.len()).map(|index| (index, random.random_range(-3.0..3.0f32)));
            let features = Features {
                counts: counts.collect(),
                constant: 0.0,
            };
            let win = predicted(features.value(weights), 1.0);
            let result = if random.random_bool(win) { 1.0 } else { 0.0 };
            Sample { features, result }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn gradient_is_that_of_the_error() {
        let samples = samples(50, &[100.0, -50.0, 20.0], 1);
        let weights = vec![80.0, 10.0, 0.0];
        for (index, slope) in gradient(&samples, &weights, 1.3).into_iter().enumerate() {
            let at = |change: f64| {
                let (mut weights, mut scale) = (weights.clone(), 1.3);
                match weights.get_mut(index) {
                    Some(weight) => *weight += change,
                    None => scale += change * HUNDREDTH,
                }
                error(&samples, &weights, scale)
            };
            let measured = (at(0.01) - at(-0.01)) / 0.02;
            assert!((slope - measured).abs() < 1e-9, "{slope}, not {measured}");
        }
    }

    #[test]
    fn weights_behind_the_results_are_found() {
        let truth = [100.0, -50.0, 20.0];
        let (training, held_out) = (samples(20_000, &truth, 2), samples(2_000, &truth, 3));
        assert!((best_scale(&training, &truth) - 1.0).abs() < 0.05);
        let start = vec![60.0, -60.0, 60.0];
        let plan = FitPlan {
            epochs: 300,
            rate: 1.0,
            prior: f64::INFINITY,
            games: 20_000,
        };
        let few = FitPlan {
            prior: 1.0,
            games: 1,
            ..plan
        };
        let near = fit(&training, &held_out, &start, few, |_, _| Ok(())).unwrap();
        let change = near.weights.iter().zip(&start);
        assert!(
            change
                .map(|(new, old)| (new - old).abs())
                .all(|it| it < 2.0)
        );
        let fit = fit(&training, &held_out, &start, plan, |_, _| Ok(())).unwrap();
        assert!(fit.course[300].training < fit.course[0].training);
        // Only ratios of weights are determined.
        let ratios = |weights: &[f64]| [weights[1] / weights[0], weights[2] / weights[0]];
        let (found, expected) = (ratios(&fit.weights), ratios(&truth));
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 0.05, "{:?}", fit.weights);
        }
    }

    #[test]
    fn scale_is_that_of_what_is_no_weight() {
        let [training, held_out] = [4, 5].map(|seed| {
            let mut samples = samples(20_000, &[100.0, 200.0], seed);
            for sample in &mut samples {
                // The first weight is fixed at half of its value, so that K is 2 and the second weight 100.
                let first = sample.features.counts.remove(0);
                sample.features.constant = 50.0 * first.1;
                sample.features.counts[0].0 = 0;
            }
            samples
        });
        let plan = FitPlan {
            epochs: 300,
            rate: 1.0,
            prior: f64::INFINITY,
            games: 20_000,
        };
        let fit = fit(&training, &held_out, &vec![0.0], plan, |_, _| Ok(())).unwrap();
        assert!((fit.scale - 2.0).abs() < 0.1, "{}", fit.scale);
        assert!((fit.weights[0] - 100.0).abs() < 10.0, "{:?}", fit.weights);
    }
}
