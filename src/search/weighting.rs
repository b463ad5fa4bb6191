//! Weights of samples in a node's averages (KataGo's scheme).
//!
//! Three terms: a sample weighs more if the evaluator is certain of it; a child with more visits
//! than its prior and value justify loses weight (*noise pruning*); of the other children the
//! better ones count a little more than their visits. All values are from the point of view of the
//! side to move at the node. Each term can be switched off by its parameter.

use std::f64::consts::PI;

use super::params::SearchParams;

/// Minimal prior of a child, so that fractions of priors exist.
const LEAST_PRIOR: f64 = 1e-30;

/// Multiple of its fraction of the prior up to which a worse child keeps its weight.
const PRUNING_SLACK: f64 = 2.0;

/// Variance of a child's value, times the square root of its weight.
const VALUE_VARIANCE: f64 = 1.0 / 1.5;

/// Minimal probability of being the better child that counts.
const LEAST_PROBABILITY: f64 = 1e-4;

/// A child in its parent's average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub weight: f64,
    /// Utility for the side to move at the parent.
    pub value: f64,
    pub prior: f64,
}

/// The parameters of the weights. Fixed during a search, since the tree's averages depend on them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Weighting {
    uncertainty: Option<Uncertainty>,
    noise_prune_scale: f64,
    value_exponent: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Uncertainty {
    coefficient: f64,
    exponent: f64,
    max_weight: f64,
}

impl Weighting {
    /// `knows_errors` is whether the evaluator gives error estimates; if not, all leaves have equal
    /// weights.
    pub fn new(params: &SearchParams, knows_errors: bool) -> Weighting {
        let uses_errors = knows_errors && params.uncertainty_coefficient > 0.0;
        Weighting {
            uncertainty: uses_errors.then_some(Uncertainty {
                coefficient: params.uncertainty_coefficient,
                exponent: params.uncertainty_exponent,
                max_weight: params.uncertainty_max_weight,
            }),
            noise_prune_scale: params.noise_prune_scale,
            value_exponent: params.value_weight_exponent,
        }
    }

    /// Weight of a leaf whose utility has the expected error `error`, if known.
    pub fn of_leaf(&self, error: Option<f64>) -> f64 {
        match (self.uncertainty, error) {
            (Some(uncertainty), Some(error)) => {
                let Uncertainty {
                    coefficient,
                    exponent,
                    max_weight,
                } = uncertainty;
                let error = match exponent {
                    1.0 => error,
                    _ => error.powf(exponent),
                };
                coefficient / (error + coefficient / max_weight)
            }
            _ => 1.0,
        }
    }

    /// Weight of the result of a finished game.
    pub fn of_result(&self) -> f64 {
        self.uncertainty
            .map_or(1.0, |uncertainty| uncertainty.max_weight)
    }

    /// Adjusts the weights of a node's children, which are in the order in which they were tried.
    pub fn adjust(&self, samples: &mut [Sample]) {
        if self.noise_prune_scale > 0.0 {
            take_back_noise(samples, self.noise_prune_scale);
        }
        if self.value_exponent > 0.0 {
            favor_better(samples, self.value_exponent);
        }
    }
}

/// Reduces the weight of a child worse than those tried before it beyond twice its fraction of the
/// prior: noise or collisions of threads caused these visits. A gap of `scale` in value removes a
/// fraction of 1 - 1/e.
fn take_back_noise(samples: &mut [Sample], scale: f64) {
    let (mut values, mut weights, mut priors) = (0.0, 0.0, 0.0);
    for sample in samples {
        let prior = sample.prior.max(LEAST_PRIOR);
        if weights > 0.0 {
            let gap = values / weights - sample.value;
            let limit = PRUNING_SLACK * weights * prior / priors;
            if gap > 0.0 && sample.weight > limit {
                sample.weight -= (sample.weight - limit) * (1.0 - (-gap / scale).exp());
            }
        }
        values += sample.weight * sample.value;
        weights += sample.weight;
        priors += prior;
    }
}

/// Shifts weight to children that are likely better than the average, preserving the sum.
fn favor_better(samples: &mut [Sample], exponent: f64) {
    let total: f64 = samples.iter().map(|sample| sample.weight).sum();
    if samples.len() < 2 || total <= 0.0 {
        return;
    }
    let values = samples.iter().map(|sample| sample.weight * sample.value);
    let mean = values.sum::<f64>() / total;
    let mut shifted = 0.0;
    for sample in samples.iter_mut() {
        let deviation = (1e-8 + VALUE_VARIANCE / sample.weight.sqrt()).sqrt();
        let probability = student_t3((sample.value - mean) / deviation) + LEAST_PROBABILITY;
        sample.weight *= power(probability, exponent);
        shifted += sample.weight;
    }
    for sample in samples {
        sample.weight *= total / shifted;
    }
}

/// `base` to the power `exponent`; the default exponent by square roots, which are much faster.
fn power(base: f64, exponent: f64) -> f64 {
    match exponent {
        0.25 => base.sqrt().sqrt(),
        _ => base.powf(exponent),
    }
}

/// Distribution function of Student's t with three degrees of freedom.
fn student_t3(z: f64) -> f64 {
    let t = z / 3.0_f64.sqrt();
    0.5 + (t / (1.0 + t * t) + t.atan()) / PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    fn samples(values: &[(f64, f64, f64)]) -> Vec<Sample> {
        let sample = |&(weight, value, prior): &(f64, f64, f64)| Sample {
            weight,
            value,
            prior,
        };
        values.iter().map(sample).collect()
    }

    #[test]
    fn certain_leaves_weigh_more() {
        let weighting = Weighting::new(&SearchParams::default(), true);
        close(weighting.of_leaf(Some(0.0)), 8.0);
        close(weighting.of_leaf(Some(0.25)), 0.25 / 0.28125);
        close(weighting.of_result(), 8.0);
        let ignorant = Weighting::new(&SearchParams::default(), false);
        close(ignorant.of_leaf(Some(0.0)), 1.0);
        close(ignorant.of_result(), 1.0);
    }

    #[test]
    fn only_worse_children_beyond_their_prior_are_taken_back() {
        let mut fair = samples(&[(10.0, 0.5, 0.5), (4.0, 0.1, 0.1), (9.0, 0.6, 0.1)]);
        let before = fair.clone();
        take_back_noise(&mut fair, 0.15);
        assert_eq!(fair, before);
        let mut noisy = samples(&[(10.0, 0.5, 0.5), (9.0, 0.2, 0.1)]);
        take_back_noise(&mut noisy, 0.15);
        close(noisy[1].weight, 9.0 - 5.0 * (1.0 - (-2.0_f64).exp()));
    }

    #[test]
    fn better_children_gain_what_worse_ones_lose() {
        let mut children = samples(&[(10.0, 0.5, 0.5), (10.0, -0.5, 0.5)]);
        favor_better(&mut children, 0.25);
        close(children[0].weight + children[1].weight, 20.0);
        // Deviation of each: sqrt(1e-8 + 1/(1.5·sqrt 10)) = 0.459; z = 1.089, chance 0.822.
        close(children[0].weight / children[1].weight, {
            let z = 0.5 / (1e-8 + 1.0 / (1.5 * 10.0_f64.sqrt())).sqrt();
            ((student_t3(z) + 1e-4) / (student_t3(-z) + 1e-4)).powf(0.25)
        });
        assert!(children[0].weight > 11.0);
        close(student_t3(0.0), 0.5);
        assert!((student_t3(3.182_446) - 0.975).abs() < 1e-6);
    }
}
