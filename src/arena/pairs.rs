//! Pairs of games: one opening, played once with each color. The opening's advantage for a color
//! cancels within a pair, so pairs are more informative than single games.

use super::likelihood;
use super::tally::{Interval, Z};

/// Number of pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub [u32; 5]);

impl Pairs {
    /// Number of pairs.
    pub fn len(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a pair with these points of the first player.
    pub fn add(&mut self, points: f64) {
        let cell = (2.0 * points).round().clamp(0.0, 4.0);
        self.0[cell as usize] += 1;
    }

    /// The first player's points per game; none without pairs.
    pub fn score(&self) -> Option<f64> {
        let cells = (0u32..).zip(self.0);
        let points: u32 = cells.map(|(cell, count)| cell * count).sum();
        (!self.is_empty()).then(|| f64::from(points) / 4.0 / f64::from(self.len()))
    }

    /// The 95 % interval of [`Pairs::score`] by a likelihood-ratio test; none without pairs.
    pub fn interval(&self) -> Option<Interval> {
        let score = self.score()?;
        let (low, high) = likelihood::scores_above(&self.0, -Z * Z / 2.0);
        // There, empty cells have a small count.
        Some(Interval {
            low: if score == 0.0 { 0.0 } else { low.min(score) },
            high: if score == 1.0 { 1.0 } else { high.max(score) },
        })
    }
}
