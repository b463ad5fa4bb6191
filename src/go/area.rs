//! Who owns which points, as the board stands: the area map, independent life (which leaves out
//! seki), and the map that scores a position under its rules.
//!
//! The definitions are KataGo's, since its networks are given these maps and were trained on these
//! scores. Stones are dead only inside the opponent's pass-alive area (see [`super::benson`]); for
//! dead stones by agreement see [`super::score`].

use super::benson;
use super::board::Board;
use super::color::{Color, PerColor};
use super::point::{POINTS, Point};
use super::point_set::PointSet;
use super::position::Position;
use super::rules::{Scoring, Tax};

/// The owner of each point.
#[derive(Clone, PartialEq, Eq)]
pub struct AreaMap([Option<Color>; POINTS]);

impl AreaMap {
    /// No point is owned.
    pub const EMPTY: AreaMap = AreaMap([None; POINTS]);

    /// Who owns the point.
    #[inline]
    pub fn owner(&self, point: Point) -> Option<Color> {
        self.0[point.raw()]
    }

    /// The number of points of a color.
    pub fn count(&self, color: Color) -> usize {
        self.0.iter().filter(|&&owner| owner == Some(color)).count()
    }

    /// Sets the owner of a point, which must be on the board.
    #[inline]
    pub(crate) fn set(&mut self, point: Point, owner: Option<Color>) {
        self.0[point.raw()] = owner;
    }
}

/// Parts of [`area`] in addition to pass-alive chains and the small regions they enclose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AreaParts {
    /// Stones of either color that are not pass-alive, outside the other's pass-alive area.
    pub stones: bool,
    /// Larger regions without opposing stones, enclosed by pass-alive chains.
    pub safe_big: bool,
    /// Regions without opposing stones enclosed by any chains.
    pub unsafe_big: bool,
}

impl AreaParts {
    /// All of these: area scoring.
    pub const ALL: AreaParts = AreaParts {
        stones: true,
        safe_big: true,
        unsafe_big: true,
    };
    /// None of these: only pass-alive area.
    pub const CERTAIN: AreaParts = AreaParts {
        stones: false,
        safe_big: false,
        unsafe_big: false,
    };
}

/// The owner of each point. `suicide` is whether life must withstand an opponent who may kill his
/// own stones.
pub fn area(board: &Board, parts: AreaParts, suicide: bool) -> AreaMap {
    let mut map = AreaMap::EMPTY;
    for color in Color::BOTH {
        benson::mark(board, color, parts, suicide, &mut map);
    }
    if parts.stones {
        for point in board.points() {
            if map.owner(point).is_none() {
                map.set(point, board.color_at(point));
            }
        }
    }
    map
}

/// Points of groups that are not in seki, and the number of these groups.
#[derive(Clone, PartialEq, Eq)]
pub struct IndependentLife {
    /// The owner of each point.
    pub map: AreaMap,
    /// The number of connected areas of each color that are not in seki.
    pub lives: PerColor<usize>,
}

/// What [`independent_life`] counts of groups in seki.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SekiParts {
    /// Their surrounded points.
    pub territories: bool,
    /// Their stones.
    pub stones: bool,
}

/// The area without seki. A connected area of one color is in seki if it touches a dame or one of
/// its chains is in atari.
pub fn independent_life(board: &Board, seki: SekiParts, suicide: bool) -> IndependentLife {
    let basic = area(board, AreaParts::ALL, suicide);
    let mut life = IndependentLife {
        map: AreaMap::EMPTY,
        lives: PerColor([0; 2]),
    };
    let mut group = Vec::with_capacity(board.size().area());
    let mut seen = PointSet::EMPTY;
    for start in board.points() {
        let Some(color) = basic.owner(start) else {
            continue;
        };
        if !seen.insert(start) {
            continue;
        }
        group.clear();
        group.push(start);
        let is_seki = explore(board, &basic, color, &mut group, &mut seen);
        life.lives[color] += usize::from(!is_seki);
        for &point in &group {
            let is_stone = board.color_at(point) == Some(color);
            let kept = if is_stone {
                seki.stones
            } else {
                seki.territories
            };
            if !is_seki || kept {
                life.map.set(point, Some(color));
            }
        }
    }
    life
}

/// Collects the connected area of `color` around the one point in `group`; returns whether it is in
/// seki.
fn explore(
    board: &Board,
    basic: &AreaMap,
    color: Color,
    group: &mut Vec<Point>,
    seen: &mut PointSet,
) -> bool {
    let mut is_seki = false;
    let mut next = 0;
    while let Some(&point) = group.get(next) {
        next += 1;
        is_seki |= board.color_at(point) == Some(color) && board.liberties(point) == 1;
        for neighbor in point.neighbors() {
            match basic.owner(neighbor) {
                None => is_seki |= board.is_empty(neighbor),
                Some(owner) if owner == color && seen.insert(neighbor) => group.push(neighbor),
                Some(_) => {}
            }
        }
    }
    is_seki
}

/// The owner of each point under the rules of a position, and the tax on groups.
#[derive(Clone, PartialEq, Eq)]
pub struct ScoredArea {
    /// The owner of each point.
    pub map: AreaMap,
    /// Points subtracted for living groups.
    pub group_tax: PerColor<i32>,
}

impl ScoredArea {
    /// Points of `color`, less the tax on groups.
    pub fn points(&self, color: Color) -> i32 {
        self.map.count(color) as i32 - self.group_tax[color]
    }

    /// Points of `color` less those of the other, without komi and bonus.
    pub fn lead_for(&self, color: Color) -> i32 {
        self.points(color) - self.points(!color)
    }
}

/// The map that scores the position as it stands. None under territory scoring before the second
/// clean-up phase, where the board alone does not show dead stones. `suicide` as in [`area`]: that
/// of the rules for the exact score.
pub fn scored_area(position: &Position, suicide: bool) -> Option<ScoredArea> {
    let (board, rules) = (position.board(), position.rules());
    let mut group_tax = PerColor([0; 2]);
    if (rules.scoring, rules.tax) == (Scoring::Area, Tax::None) {
        let map = area(board, AreaParts::ALL, suicide);
        return Some(ScoredArea { map, group_tax });
    }
    if rules.scoring == Scoring::Territory && position.phase() < 2 {
        return None;
    }
    let seki = SekiParts {
        territories: rules.tax == Tax::None,
        stones: rules.scoring == Scoring::Area,
    };
    let IndependentLife { mut map, lives } = independent_life(board, seki, suicide);
    if rules.scoring == Scoring::Territory {
        add_old_stones(position, &mut map);
    }
    if rules.tax == Tax::All {
        group_tax = PerColor(lives.0.map(|lives| 2 * lives as i32));
    }
    Some(ScoredArea { map, group_tax })
}

/// Gives unowned points that have held the same stone since the second phase began to its color.
fn add_old_stones(position: &Position, map: &mut AreaMap) {
    let Some(encore) = position.encore() else {
        return;
    };
    for color in Color::BOTH {
        for point in encore
            .second_start(color)
            .into_iter()
            .flat_map(PointSet::iter)
        {
            if map.owner(point).is_none() && position.board().color_at(point) == Some(color) {
                map.set(point, Some(color));
            }
        }
    }
}
