//! The root: its policy (temperature, noise, excluded moves) and the final choice of a move.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use super::game::MoveCode;
use super::params::SearchParams;

/// Logarithms of priors above this one are equal for shaped noise.
const PLAUSIBLE_PRIOR: f64 = 0.01;

/// Temperatures below this mean 0.
const COLD: f64 = 1e-4;

/// A legal move and its prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub code: MoveCode,
    pub prior: f32,
}

/// Sorts in descending order of the prior, which must not be negative; moves with equal priors keep
/// their order.
///
/// Every leaf needs it: packed numbers of prior and index take 14% of the time of a search without
/// a net on 19x19, a stable sort of the moves themselves 22%.
pub(super) fn sort_by_prior(candidates: &mut Vec<Candidate>) {
    let mut keys: Vec<u64> = candidates
        .iter()
        .zip(0_u64..)
        .map(|(candidate, place)| u64::from(!candidate.prior.abs().to_bits()) << 32 | place)
        .collect();
    keys.sort_unstable();
    *candidates = keys
        .iter()
        .map(|key| candidates[(key & 0xffff_ffff) as usize])
        .collect();
}

/// A generator that depends on seed, position and purpose, but not on earlier draws.
pub(super) fn seeded(seed: u64, key: u128, purpose: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&purpose.to_le_bytes());
    bytes[16..].copy_from_slice(&key.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// The root's policy: temperature, then noise, in descending order. `legal` holds the evaluator's
/// priors of all moves.
pub(super) fn root_policy(
    legal: &[Candidate],
    params: &SearchParams,
    rng: &mut ChaCha8Rng,
) -> Vec<Candidate> {
    let mut candidates = legal.to_vec();
    if params.root_policy_temperature != 1.0 {
        heat(&mut candidates, params.root_policy_temperature);
    }
    if params.noise_weight > 0.0 {
        add_noise(&mut candidates, params, rng);
    }
    sort_by_prior(&mut candidates);
    candidates
}

/// Raises priors to the power 1/T, preserving their sum.
fn heat(candidates: &mut [Candidate], temperature: f64) {
    let total: f64 = candidates.iter().map(|c| f64::from(c.prior)).sum();
    let values: Vec<f64> = candidates.iter().map(|c| f64::from(c.prior)).collect();
    let heated = softened(&values, temperature);
    for (candidate, value) in candidates.iter_mut().zip(heated) {
        candidate.prior = (total * value) as f32;
    }
}

/// Mixes Dirichlet noise into the priors.
fn add_noise(candidates: &mut [Candidate], params: &SearchParams, rng: &mut ChaCha8Rng) {
    let total: f64 = candidates.iter().map(|c| f64::from(c.prior)).sum();
    let shares = noise_shares(candidates, params.noise_is_shaped);
    let draws: Vec<f64> = shares
        .iter()
        .map(|share| gamma(share * params.noise_concentration, rng))
        .collect();
    let sum: f64 = draws.iter().sum();
    if sum <= 0.0 {
        return;
    }
    let weight = params.noise_weight;
    for (candidate, draw) in candidates.iter_mut().zip(draws) {
        let mixed = (1.0 - weight) * f64::from(candidate.prior) + weight * total * draw / sum;
        candidate.prior = mixed as f32;
    }
}

/// Distribution of the concentration among moves: uniform, or half of it by how far the logarithm
/// of the prior lies above its mean (KataGo's shaped noise).
fn noise_shares(candidates: &[Candidate], is_shaped: bool) -> Vec<f64> {
    let even = 1.0 / candidates.len() as f64;
    let logs: Vec<f64> = candidates
        .iter()
        .map(|c| (f64::from(c.prior).min(PLAUSIBLE_PRIOR) + 1e-20).ln())
        .collect();
    let mean = logs.iter().sum::<f64>() * even;
    let excess: Vec<f64> = logs.iter().map(|log| (log - mean).max(0.0)).collect();
    let total: f64 = excess.iter().sum();
    if !is_shaped || total <= 0.0 {
        return vec![even; candidates.len()];
    }
    excess
        .iter()
        .map(|x| 0.5 * even + 0.5 * x / total)
        .collect()
}

/// A gamma variable of the given shape and scale 1; 0 if the shape is not positive.
fn gamma(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    Gamma::new(shape, 1.0).map_or(0.0, |distribution| distribution.sample(rng))
}

/// Values raised to the power 1/T and scaled to sum 1. They must not be negative; if all are 0 the
/// result is even.
pub(super) fn softened(values: &[f64], temperature: f64) -> Vec<f64> {
    let largest = values.iter().fold(0.0_f64, |a, &b| a.max(b));
    if largest <= 0.0 {
        return vec![1.0 / values.len() as f64; values.len()];
    }
    let powers: Vec<f64> = values
        .iter()
        .map(|value| (value / largest).powf(1.0 / temperature))
        .collect();
    let total: f64 = powers.iter().sum();
    powers.iter().map(|power| power / total).collect()
}

/// How far a draw follows the larger values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heat {
    /// Values count by their power 1/T.
    pub temperature: f64,
    /// Only what is less probable than this; the rest counts as it is. 1 is everything.
    pub below: f64,
}

impl Heat {
    /// The same temperature for all.
    pub fn of(temperature: f64) -> Heat {
        Heat {
            temperature,
            below: 1.0,
        }
    }

    /// Probabilities; as [`softened`].
    fn softened(&self, values: &[f64]) -> Vec<f64> {
        let sum: f64 = values.iter().sum();
        if self.below >= 1.0 || sum <= 0.0 {
            return softened(values, self.temperature);
        }
        let largest = values.iter().fold(0.0_f64, |a, &b| a.max(b)) / sum;
        let bound = self.below.clamp(1e-50, largest.max(1e-50));
        let kept = values.iter().map(|value| match value / sum {
            share if share > bound => share,
            share => bound * (share / bound).powf(1.0 / self.temperature.max(COLD)),
        });
        let kept: Vec<f64> = kept.collect();
        let total: f64 = kept.iter().sum();
        kept.iter().map(|share| share / total).collect()
    }
}

/// An index drawn with probability in proportion to value^(1/T); the first of the largest when T is
/// next to 0. `None` if there are no values.
pub(super) fn choose_index(values: &[f64], heat: Heat, rng: &mut ChaCha8Rng) -> Option<usize> {
    if heat.temperature <= COLD && heat.below >= 1.0 {
        return first_largest(values);
    }
    let mut left = rng.random::<f64>();
    for (index, probability) in heat.softened(values).iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return Some(index);
        }
    }
    first_largest(values)
}

/// Index of the first of the largest values.
pub(super) fn first_largest(values: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (index, value) in values.iter().enumerate() {
        if best.is_none_or(|b| *value > values[b]) {
            best = Some(index);
        }
    }
    best
}

/// Drops values below `threshold` and takes `subtracted` off the others; neither is more than 1/64 of the largest.
pub(super) fn prune(values: &mut [f64], threshold: f64, subtracted: f64) {
    let most = values.iter().fold(0.0_f64, |a, &b| a.max(b)) / 64.0;
    let (limit, subtracted) = (threshold.min(most), subtracted.min(most));
    for value in values {
        *value = match *value < limit {
            true => 0.0,
            false => (*value - subtracted).max(0.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves 0, 1, ... with these priors.
    fn candidates(priors: &[f32]) -> Vec<Candidate> {
        let numbered = priors.iter().zip(0..);
        numbered
            .map(|(&prior, i)| Candidate {
                code: MoveCode(i),
                prior,
            })
            .collect()
    }

    #[test]
    fn sorting_keeps_equal_priors_in_order() {
        let priors = [0.0, 0.25, 1e-20, -0.0, 0.25, 0.5];
        let mut candidates = candidates(&priors);
        sort_by_prior(&mut candidates);
        let codes: Vec<u16> = candidates.iter().map(|c| c.code.0).collect();
        assert_eq!(codes, [5, 1, 4, 2, 0, 3]);
    }

    #[test]
    fn gamma_has_its_mean_and_variance() {
        let mut rng = seeded(1, 2, 3);
        for shape in [0.05, 0.5, 1.0, 3.0] {
            let draws: Vec<f64> = (0..40_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance =
                draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            assert!(
                (mean / shape - 1.0).abs() < 0.1,
                "shape {shape}: mean {mean}"
            );
            assert!(
                (variance / shape - 1.0).abs() < 0.2,
                "shape {shape}: variance {variance}"
            );
        }
    }

    #[test]
    fn shaped_noise_prefers_plausible_moves() {
        let priors = [0.5, 0.2, 1e-6, 1e-7];
        let candidates = candidates(&priors);
        let shares = noise_shares(&candidates, true);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(shares[0], shares[1]);
        assert_eq!(shares[2], 0.125);
        assert_eq!(noise_shares(&candidates, false), [0.25; 4]);
    }

    #[test]
    fn temperature_sharpens_and_flattens() {
        assert!((softened(&[1.0, 3.0], 1.0)[1] - 0.75).abs() < 1e-12);
        assert!((softened(&[1.0, 3.0], 0.5)[1] - 0.9).abs() < 1e-12);
        assert_eq!(softened(&[0.0, 0.0], 0.5), [0.5, 0.5]);
        let mut rng = seeded(0, 0, 0);
        assert_eq!(
            choose_index(&[2.0, 5.0, 5.0], Heat::of(0.0), &mut rng),
            Some(1)
        );
        assert_eq!(choose_index(&[], Heat::of(1.0), &mut rng), None);
        let heat = Heat::of(1.0);
        assert!((0..100).all(|_| choose_index(&[0.0, 1.0, 0.0], heat, &mut rng) == Some(1)));
    }

    #[test]
    fn temperature_may_concern_improbable_moves_only() {
        let heat = Heat {
            temperature: 0.5,
            below: 0.1,
        };
        let drawn = heat.softened(&[60.0, 35.0, 5.0]);
        // 0.1 times the square of 0.05 / 0.1 is 0.025.
        let expected = [0.6, 0.35, 0.025].map(|share| share / 0.975);
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(drawn.iter().zip(&expected).all(close), "{drawn:?}");
        let all = Heat { below: 1.0, ..heat };
        assert_eq!(all.softened(&[3.0, 1.0]), softened(&[3.0, 1.0], 0.5));
    }

    #[test]
    fn pruning_spares_small_searches() {
        let mut values = [0.5, 1.0, 32.0];
        prune(&mut values, 1.0, 0.0);
        assert_eq!(values, [0.5, 1.0, 32.0]);
        let mut values = [0.5, 1.0, 64.0];
        prune(&mut values, 1.0, 0.0);
        assert_eq!(values, [0.0, 1.0, 64.0]);
    }

    #[test]
    fn what_is_subtracted_spares_small_searches_too() {
        let mut values = [1.0, 3.0, 640.0];
        prune(&mut values, 1.0, 2.0);
        assert_eq!(values, [0.0, 1.0, 638.0]);
        let mut values = [1.0, 3.0, 64.0];
        prune(&mut values, 0.0, 2.0);
        assert_eq!(values, [0.0, 2.0, 63.0]);
    }
}
