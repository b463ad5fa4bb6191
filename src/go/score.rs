//! Scores: of finished games whose dead stones the players agree on, and of positions that the
//! board alone decides.
//!
//! With agreed dead stones, these are removed and every empty region that touches stones of one
//! color only belongs to that color. Under a seki tax the regions of groups in seki do not count. A
//! group here is a connected area of stones and regions of one color; it counts as seki if it
//! touches a dame and has at most one eye, of at most two points. (Strict rules, where every group
//! that touches a dame is in seki, would need all dame to be filled, and players stop before that.)

use std::fmt;

use super::area::{AreaMap, scored_area};
use super::board::Board;
use super::color::{Color, PerColor};
use super::point::Point;
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

/// Ownership on a board without its dead stones.
#[derive(Clone, PartialEq, Eq)]
pub struct Count {
    /// The owner of each point that counts.
    pub owner: AreaMap,
    /// Living stones.
    pub stones: PerColor<usize>,
    /// Surrounded points that count, those under dead stones included.
    pub territory: PerColor<usize>,
    /// Dead stones.
    pub dead: PerColor<usize>,
    /// Groups that are not in seki.
    pub lives: PerColor<usize>,
}

impl Count {
    /// Evaluates a board; stones in `dead` are removed (points without stones in it are ignored).
    pub fn new(board: &Board, dead: &PointSet, tax: Tax) -> Count {
        let mut count = Count {
            owner: AreaMap::EMPTY,
            stones: PerColor([0; 2]),
            territory: PerColor([0; 2]),
            dead: PerColor([0; 2]),
            lives: PerColor([0; 2]),
        };
        let living = Living { board, dead };
        for point in board.points() {
            if let Some(color) = living.stone(point) {
                count.stones[color] += 1;
                count.owner.set(point, Some(color));
            } else if let Some(color) = board.color_at(point) {
                count.dead[color] += 1;
            }
        }
        count.give_regions(&living);
        count.judge_groups(&living, tax);
        for point in board.points() {
            if let (None, Some(owner)) = (living.stone(point), count.owner.owner(point)) {
                count.territory[owner] += 1;
            }
        }
        count
    }

    /// Stones and surrounded points of a color.
    pub fn area(&self, color: Color) -> usize {
        self.stones[color] + self.territory[color]
    }

    /// Gives each region without living stones to the color that alone surrounds it.
    fn give_regions(&mut self, living: &Living) {
        let mut seen = PointSet::EMPTY;
        for start in living.board.points() {
            if living.stone(start).is_some() || !seen.insert(start) {
                continue;
            }
            let mut touches = PerColor([false; 2]);
            let region = flood(living.board, start, &mut seen, |point| {
                let stone = living.stone(point);
                if let Some(color) = stone {
                    touches[color] = true;
                }
                stone.is_none()
            });
            let owner = match touches.0 {
                [true, false] => Some(Color::Black),
                [false, true] => Some(Color::White),
                _ => None,
            };
            for point in region {
                self.owner.set(point, owner);
            }
        }
    }

    /// Counts the living groups and, under a tax, takes the surrounded points of the others away.
    fn judge_groups(&mut self, living: &Living, tax: Tax) {
        let owner = self.owner.clone();
        let mut seen = PointSet::EMPTY;
        for start in living.board.points() {
            let Some(color) = owner.owner(start) else {
                continue;
            };
            if !seen.insert(start) {
                continue;
            }
            let mut is_open = false;
            let group = flood(living.board, start, &mut seen, |point| {
                is_open |= owner.owner(point).is_none();
                owner.owner(point) == Some(color)
            });
            if !(is_open && living.has_one_small_eye_at_most(&group)) {
                self.lives[color] += 1;
            } else if tax != Tax::None {
                let eyes = group.iter().filter(|&&p| living.stone(p).is_none());
                eyes.for_each(|&point| self.owner.set(point, None));
            }
        }
    }
}

/// A board without its dead stones.
struct Living<'a> {
    board: &'a Board,
    dead: &'a PointSet,
}

impl Living<'_> {
    fn stone(&self, point: Point) -> Option<Color> {
        self.board
            .color_at(point)
            .filter(|_| !self.dead.contains(point))
    }

    /// Whether a group's surrounded points are no more than two, side by side.
    fn has_one_small_eye_at_most(&self, group: &[Point]) -> bool {
        let is_eye = |&&p: &&Point| self.stone(p).is_none();
        let eyes: Vec<&Point> = group.iter().filter(is_eye).take(3).collect();
        match eyes[..] {
            [] | [_] => true,
            [a, b] => a.is_adjacent_to(*b),
            _ => false,
        }
    }
}

/// The points connected to `start` for which `belongs` holds; it is called with their neighbors on
/// the board too. `seen` must contain `start` and receives the others.
fn flood(
    board: &Board,
    start: Point,
    seen: &mut PointSet,
    mut belongs: impl FnMut(Point) -> bool,
) -> Vec<Point> {
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&point) = found.get(next) {
        next += 1;
        for neighbor in board.neighbors(point) {
            if belongs(neighbor) && seen.insert(neighbor) {
                found.push(neighbor);
            }
        }
    }
    found
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
pub fn area_score(board: &Board, dead: &PointSet, tax: Tax, white_half: i32) -> Score {
    let count = Count::new(board, dead, tax);
    let half = |color| 2 * count.area(color) as i32 - tax_half(count.lives[color], tax);
    Score::from_half(half(Color::Black), half(Color::White) + white_half)
}

/// The score by surrounded points and prisoners: stones the board counts as captured, and dead
/// ones. `white_half` are komi and bonuses in half points.
pub fn territory_score(board: &Board, dead: &PointSet, tax: Tax, white_half: i32) -> Score {
    let count = Count::new(board, dead, tax);
    let half = |color: Color| {
        let prisoners = board.captures(!color) as usize + count.dead[!color];
        2 * (count.territory[color] + prisoners) as i32 - tax_half(count.lives[color], tax)
    };
    Score::from_half(half(Color::Black), half(Color::White) + white_half)
}

/// The score of a position under its rules and komi, with the stones `dead` taken off.
pub fn score(position: &Position, dead: &PointSet) -> Score {
    let (board, tax) = (position.board(), position.rules().tax);
    let white_half = white_half(position);
    match position.rules().scoring {
        Scoring::Area => area_score(board, dead, tax, white_half),
        Scoring::Territory => {
            // The position's bonus makes up for the difference between area and territory.
            let area = area_score(board, dead, tax, white_half);
            let black = territory_score(board, dead, tax, 0).half(Color::Black);
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
    let half = |color| 2 * (scored.map.count(color) as i32 - scored.group_tax[color]);
    Score::from_half(
        half(Color::Black),
        half(Color::White) + white_half(position),
    )
}

/// Komi and bonuses in half points.
fn white_half(position: &Position) -> i32 {
    position.komi().half() + position.bonus_half()
}

/// The result in Chinese style: the stones (half the area) of the side ahead and its surplus over
/// half of the board, such as `black 184 stones, wins by 3/4 stones`. Dame are shared. For area
/// scoring.
pub fn chinese_text(position: &Position, dead: &PointSet) -> String {
    let count = Count::new(position.board(), dead, position.rules().tax);
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
