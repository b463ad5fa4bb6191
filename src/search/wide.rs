//! Wide root noise: a search that looks at more root moves than play needs (KataGo's).
//!
//! The root's priors become flatter, and at each selection its moves get random bonuses.

use std::f64::consts::TAU;

use crate::splitmix::scramble;

/// Flattening of priors per unit of noise.
const FLATTENING: f64 = 4.0;

/// A root prior with this much noise.
pub(super) fn flattened(prior: f64, noise: f64) -> f64 {
    prior.powf(1.0 / (FLATTENING * noise + 1.0))
}

/// With probability 1/2 the absolute value of a standard normal number, or else 0; a function of
/// seed, turn and move.
pub(super) fn half_normal(seed: u64, turn: u64, index: usize) -> f64 {
    let bits = scramble(seed ^ scramble(turn << 16 | index as u64));
    if bits & 1 == 0 {
        return 0.0;
    }
    let uniform = |bits: u64| ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let radius = (-2.0 * uniform(scramble(bits)).ln()).sqrt();
    (radius * (TAU * uniform(bits)).cos()).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_bonuses_are_half_of_a_normal_distribution() {
        let draws: Vec<f64> = (0..20_000)
            .map(|turn| half_normal(3, turn / 4, turn as usize % 4))
            .collect();
        let bonuses: Vec<f64> = draws.into_iter().filter(|&bonus| bonus > 0.0).collect();
        let count = bonuses.len() as f64;
        assert!((count / 20_000.0 - 0.5).abs() < 0.02, "{count}");
        let mean = bonuses.iter().sum::<f64>() / count;
        let square = bonuses.iter().map(|bonus| bonus * bonus).sum::<f64>() / count;
        assert!(
            (mean - 0.798).abs() < 0.02 && (square - 1.0).abs() < 0.04,
            "{mean} {square}"
        );
    }
}
