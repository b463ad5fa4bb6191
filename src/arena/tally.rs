//! Statistics of games between two players: score, interval, Elo difference.

use std::fmt;

/// Normal quantile of a two-sided 95 % interval.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Game counts from the first player's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games the first player won.
    pub wins: u32,
    /// Draws.
    pub draws: u32,
    /// Games the second player won.
    pub losses: u32,
    /// Games without result, which are not counted.
    pub void: u32,
}

/// The bounds of an interval, the lower first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// The mean of values and its 95 % interval by their deviation; none of fewer than two.
pub fn mean_with_interval(values: &[f64]) -> Option<(f64, Interval)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let margin = Z * (squares / (count - 1.0) / count).sqrt();
    let interval = Interval {
        low: mean - margin,
        high: mean + margin,
    };
    (values.len() > 1).then_some((mean, interval))
}

impl Tally {
    /// Games with a result.
    pub fn len(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Whether there is no game with a result.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first player's points per game, a draw being half a point; none without games.
    pub fn score(&self) -> Option<f64> {
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        (!self.is_empty()).then(|| points / f64::from(self.len()))
    }

    /// The 95 % interval of [`Tally::score`]; none without games.
    ///
    /// Wilson's score interval (E. B. Wilson, JASA 22, 1927), generalised to draws: the variance
    /// of one game's points with expectation p and draw rate d is p(1 - p) - d/4, since the points
    /// are 0, 1/2 or 1. The interval holds all p with (s - p)^2 <= z^2/n (p(1 - p) - d/4), s being
    /// the observed score. The draw rate is taken as draws / (n + z^2), a little less than
    /// observed, so that a few draws alone do not give an empty interval. Without draws this is
    /// Wilson's interval exactly.
    pub fn interval(&self) -> Option<Interval> {
        let score = self.score()?;
        let games = f64::from(self.len());
        let k = Z * Z / games;
        let draw_rate = f64::from(self.draws) / (games + Z * Z);
        // p^2 (1 + k) - p (2 s + k) + s^2 + k d / 4 = 0
        let (a, b, c) = (
            1.0 + k,
            2.0 * score + k,
            score * score + k * draw_rate / 4.0,
        );
        let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
        let bound = |sign: f64| ((b + sign * root) / (2.0 * a)).clamp(0.0, 1.0);
        // Where 0 or 1 is a solution, rounding must not make it a number close by.
        Some(Interval {
            low: if score == 0.0 { 0.0 } else { bound(-1.0) },
            high: if score == 1.0 { 1.0 } else { bound(1.0) },
        })
    }

    /// The same games from the second player's point of view.
    pub fn reversed(&self) -> Tally {
        Tally {
            wins: self.losses,
            losses: self.wins,
            ..*self
        }
    }
}

impl std::ops::Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            void: self.void + other.void,
        }
    }
}

impl fmt::Display for Tally {
    /// `7-2-1` for seven wins, two losses, one draw; without draws `7-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.wins, self.losses)?;
        if self.draws > 0 {
            write!(f, "-{}", self.draws)?;
        }
        Ok(())
    }
}

/// The Elo difference at which a score is expected (logistic, 400 per factor of ten). Infinite for
/// 0 and 1.
pub fn elo_difference(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}
