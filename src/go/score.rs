//! Scores: of finished games whose dead stones the players agree on, and of positions that the
//! board alone decides.
//!
//! With agreed dead stones, [`Count`] tells whose the points are; this is what they come to.

use std::fmt;

use super::area::scored_area;
use super::board::Board;
use super::color::{Color, PerColor};
use super::count::Count;
use super::point_set::PointSet;
use super::position::Position;
use super::rules::{Scoring, Tax};

/// A final count in half points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Score {
    half: PerColor<i32>,
}

impl Score {
    /// From half points of each color; White's include komi.
    pub fn from_half(black: i32, white: i32) -> Score {
        Score {
            half: PerColor([black, white]),
        }
    }

    /// Half points of a color; White's include komi and bonuses.
    pub fn half(self, color: Color) -> i32 {
        self.half[color]
    }

    /// By how many half points `color` is ahead.
    pub fn lead_half_for(self, color: Color) -> i32 {
        self.half[color] - self.half[!color]
    }

    /// By how many points Black is ahead.
    pub fn lead_black(self) -> f32 {
        self.lead_half_for(Color::Black) as f32 / 2.0
    }

    /// The side ahead; none if it is a draw.
    pub fn winner(self) -> Option<Color> {
        Color::BOTH
            .into_iter()
            .find(|&color| self.lead_half_for(color) > 0)
    }
}

impl fmt::Display for Score {
    /// `B+3.5`, `W+12`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(color) => write!(f, "{}+{}", color.letter(), self.lead_black().abs()),
            None => f.write_str("0"),
        }
    }
}

/// Half points taken off for a group that lives.
const GROUP_TAX_HALF: i32 = 4;

fn tax_half(lives: usize, tax: Tax) -> i32 {
    match tax {
        Tax::None | Tax::Seki => 0,
        Tax::All => GROUP_TAX_HALF * lives as i32,
    }
}

/// The score by stones and surrounded points. `white_half` are komi and bonuses in half points.
fn area_of(count: &Count, tax: Tax, white_half: i32) -> Score {
    let half = |color| 2 * count.area(color) as i32 - tax_half(count.lives[color], tax);
    Score::from_half(half(Color::Black), half(Color::White) + white_half)
}

/// Black's half points by surrounded points and prisoners: stones the board counts as captured, and dead
/// ones.
fn territory_half(board: &Board, count: &Count, tax: Tax) -> i32 {
    let prisoners = board.captures(Color::White) as usize + count.dead[Color::White];
    let points = count.territory[Color::Black] + prisoners;
    2 * points as i32 - tax_half(count.lives[Color::Black], tax)
}

/// The score of a position under its rules and komi, with the stones `dead` taken off.
pub fn score(position: &Position, dead: &PointSet) -> Score {
    let (board, rules) = (position.board(), position.rules());
    let count = Count::of(position, dead);
    let area = area_of(&count, rules.tax, white_half(position));
    match rules.scoring {
        Scoring::Area => area,
        Scoring::Territory => {
            // The position's bonus makes up for the difference between area and territory.
            let black = territory_half(board, &count, rules.tax);
            Score::from_half(black, black - area.lead_half_for(Color::Black))
        }
    }
}

/// The exact score of a position that is finished by its rules, as KataGo's networks are trained:
/// only stones in the opponent's pass-alive area are dead. Under territory scoring before the
/// second clean-up phase all stones count as alive.
pub fn settled(position: &Position) -> Score {
    let Some(scored) = scored_area(position, position.rules().suicide) else {
        return score(position, &PointSet::EMPTY);
    };
    let half = |color| 2 * scored.points(color);
    Score::from_half(
        half(Color::Black),
        half(Color::White) + white_half(position),
    )
}

/// Komi and bonuses in half points.
fn white_half(position: &Position) -> i32 {
    position.komi().half() + position.bonus_half()
}

/// The result in Chinese style: the area of the side ahead, dame shared, and its surplus over half of
/// the board, of which komi takes half its points: `black 184 stones, wins by 3/4 stones`. For area
/// scoring.
pub fn chinese_text(position: &Position, dead: &PointSet) -> String {
    let count = Count::of(position, dead);
    let lead_half = score(position, dead).lead_half_for(Color::Black);
    let color = if lead_half < 0 {
        Color::White
    } else {
        Color::Black
    };
    let neutral = position.size().area() - count.area(color) - count.area(!color);
    let stones = quarters(4 * count.area(color) + 2 * neutral);
    match lead_half {
        0 => format!("{color} {stones} stones, a draw"),
        _ => {
            let lead = quarters(lead_half.unsigned_abs() as usize);
            format!("{color} {stones} stones, wins by {lead} stones")
        }
    }
}

/// A number of quarters as a mixed fraction: `3`, `1/2`, `3 3/4`.
fn quarters(quarters: usize) -> String {
    let fraction = ["", "1/4", "1/2", "3/4"][quarters % 4];
    match (quarters / 4, quarters % 4) {
        (whole, 0) => whole.to_string(),
        (0, _) => fraction.to_string(),
        (whole, _) => format!("{whole} {fraction}"),
    }
}
