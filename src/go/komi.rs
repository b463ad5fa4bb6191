//! Komi in half points, positive for White.

use std::fmt;

/// Points given to White, as a whole number of half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Komi {
    half: i16,
}

impl Komi {
    /// Limit of komi in half points, for either color: more than the area of any board.
    pub const MAX_HALF: i16 = 2 * 1000;

    /// From half points; beyond [`Komi::MAX_HALF`] the nearest value within is taken.
    pub fn from_half(half: i32) -> Komi {
        let limit = i32::from(Komi::MAX_HALF);
        Komi {
            half: half.clamp(-limit, limit) as i16,
        }
    }

    /// From points, rounded to the nearest half. None unless finite.
    pub fn from_points(points: f64) -> Option<Komi> {
        points
            .is_finite()
            .then(|| Komi::from_half((points * 2.0).round() as i32))
    }

    /// From points. None unless they are a multiple of half a point, within [`Komi::MAX_HALF`].
    pub fn exactly(points: f64) -> Option<Komi> {
        let half = points * 2.0;
        // Some controllers use single precision.
        let is_multiple = (half - half.round()).abs() < 1e-5;
        let is_possible = half.abs() <= f64::from(Komi::MAX_HALF);
        Komi::from_points(points).filter(|_| is_multiple && is_possible)
    }

    /// Half points.
    pub fn half(self) -> i32 {
        i32::from(self.half)
    }

    /// Points.
    pub fn points(self) -> f32 {
        f32::from(self.half) / 2.0
    }

    /// Whether it is a whole number of points, so that a game on the board may be drawn.
    pub fn is_integer(self) -> bool {
        self.half % 2 == 0
    }
}

impl fmt::Display for Komi {
    /// `7`, `7.5`, `-3.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}
