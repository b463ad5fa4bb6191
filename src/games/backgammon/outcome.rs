//! How a game may end: probabilities, and what they are worth.

use super::position::Stakes;

/// Probabilities of the results of a game for the side to roll.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// It wins, gammons and backgammons included.
    pub win: f32,
    /// It wins at least a gammon.
    pub win_gammon: f32,
    /// It wins a backgammon.
    pub win_backgammon: f32,
    /// It loses at least a gammon.
    pub lose_gammon: f32,
    /// It loses a backgammon.
    pub lose_backgammon: f32,
}

/// Number of the probabilities.
pub const PARTS: usize = 5;

impl Outcome {
    /// A win of this many points, from 1 to 3.
    pub fn won(points: u8) -> Outcome {
        let at_least = |least: u8| if points >= least { 1.0 } else { 0.0 };
        Outcome {
            win: 1.0,
            win_gammon: at_least(2),
            win_backgammon: at_least(3),
            ..Outcome::default()
        }
    }

    /// In the order of the fields.
    pub fn of_parts(parts: [f32; PARTS]) -> Outcome {
        let [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ] = parts;
        Outcome {
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        }
    }

    /// In the order of the fields.
    pub fn parts(&self) -> [f32; PARTS] {
        [
            self.win,
            self.win_gammon,
            self.win_backgammon,
            self.lose_gammon,
            self.lose_backgammon,
        ]
    }

    /// The same for the other side.
    pub fn turned(&self) -> Outcome {
        Outcome {
            win: 1.0 - self.win,
            win_gammon: self.lose_gammon,
            win_backgammon: self.lose_backgammon,
            lose_gammon: self.win_gammon,
            lose_backgammon: self.win_backgammon,
        }
    }

    /// Between this outcome and another: `share` of this one.
    pub fn mixed(&self, share: f32, other: &Outcome) -> Outcome {
        let mut parts = self.parts();
        for (part, other) in parts.iter_mut().zip(other.parts()) {
            *part = share * *part + (1.0 - share) * other;
        }
        Outcome::of_parts(parts)
    }

    /// The expected points of the side to roll; in a match to one point the probability of winning less that of
    /// losing.
    pub fn equity(&self, stakes: Stakes) -> f64 {
        let single = 2.0 * self.win - 1.0;
        f64::from(match stakes {
            Stakes::OnePoint => single,
            Stakes::Points => {
                single + self.win_gammon + self.win_backgammon
                    - self.lose_gammon
                    - self.lose_backgammon
            }
        })
    }

    /// Without what is impossible: more gammons than wins, more backgammons than gammons.
    pub fn consistent(&self) -> Outcome {
        let win = self.win.clamp(0.0, 1.0);
        let win_gammon = self.win_gammon.clamp(0.0, win);
        let lose_gammon = self.lose_gammon.clamp(0.0, 1.0 - win);
        Outcome {
            win,
            win_gammon,
            win_backgammon: self.win_backgammon.clamp(0.0, win_gammon),
            lose_gammon,
            lose_backgammon: self.lose_backgammon.clamp(0.0, lose_gammon),
        }
    }
}

/// The logistic function.
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
