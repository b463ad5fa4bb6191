//! Who owns what on a board whose dead stones are known: the one count behind every score by
//! agreement.
//!
//! Area scoring takes the board as it is: a region without living stones belongs to the color that
//! alone touches it. Territory scoring takes it as it would be with all dame filled, whether they
//! are or not (Japanese rules of 1989, articles 8 to 10):
//!
//! * *Dame* are the points that touch living stones of both colors, and what they do not cut off
//!   from one of the colors (see [`borders`]).
//! * A group is in *seki* if it lives and cannot have two eyes of its own (see [`groups`]). Its eye
//!   points are no territory, and dead stones on them stay where they are.
//! * *Teire* are points that an owner has to fill because a stone is lost otherwise (see [`teire`]).

mod borders;
mod groups;
mod teire;

use super::area::AreaMap;
use super::board::Board;
use super::color::{Color, PerColor};
use super::point_set::PointSet;
use super::position::Position;
use super::rows::Rows;
use super::rules::{Scoring, Tax};
use borders::Borders;
use groups::Groups;

/// Ownership on a board without its dead stones.
#[derive(Clone, PartialEq, Eq)]
pub struct Count {
    /// The owner of each point that counts.
    pub owner: AreaMap,
    /// Stones that stay on the board.
    pub stones: PerColor<usize>,
    /// Surrounded points that count, those under dead stones included.
    pub territory: PerColor<usize>,
    /// Dead stones that come off the board.
    pub dead: PerColor<usize>,
    /// Groups that are not in seki.
    pub lives: PerColor<usize>,
    /// Living stones in seki, whatever the rules make of them.
    pub seki: PointSet,
    /// Points that their owners have to fill; empty under area scoring, where it costs nothing. They
    /// are not part of [`Count::territory`].
    pub teire: PerColor<PointSet>,
}

impl Count {
    /// Counts a position by its rules, without the stones in `dead`.
    pub fn of(position: &Position, dead: &PointSet) -> Count {
        let rules = position.rules();
        Count::new(position.board(), dead, rules.scoring, rules.tax)
    }

    /// Counts a board; stones in `dead` are removed (points without stones in it are ignored).
    pub fn new(board: &Board, dead: &PointSet, scoring: Scoring, tax: Tax) -> Count {
        let living = Living::new(board, dead);
        let settled = Borders::settled(&living);
        let groups = Groups::new(&living, &settled);
        let borders = match scoring {
            Scoring::Area => Borders::plain(&living),
            Scoring::Territory => settled.clone(),
        };
        let untaxed = match tax {
            Tax::None => Rows::EMPTY,
            Tax::Seki | Tax::All => groups.seki_area[Color::Black] | groups.seki_area[Color::White],
        };
        let mut count = Count {
            owner: AreaMap::EMPTY,
            stones: PerColor([0; 2]),
            territory: PerColor([0; 2]),
            dead: PerColor([0; 2]),
            lives: groups.lives,
            seki: groups.seki_stones().iter().collect(),
            teire: PerColor([PointSet::EMPTY; 2]),
        };
        for color in Color::BOTH {
            if scoring == Scoring::Territory {
                count.teire[color] = teire::teire(&living, &settled, &groups, color);
            }
            let territory = borders.room[color] & !untaxed;
            let filled = count.teire[color].iter().filter(|&p| territory.contains(p));
            count.territory[color] = territory.len() - filled.count();
            let removed = match scoring {
                Scoring::Area => living.dead[color],
                Scoring::Territory => living.dead[color] & !untaxed,
            };
            count.dead[color] = removed.len();
            count.stones[color] = board.stone_count(color) - removed.len();
            for point in territory.iter().chain(living.stones[color].iter()) {
                count.owner.set(point, Some(color));
            }
        }
        count
    }

    /// Stones and surrounded points of a color.
    pub fn area(&self, color: Color) -> usize {
        self.stones[color] + self.territory[color]
    }
}

/// A board without its dead stones.
struct Living<'a> {
    board: &'a Board,
    stones: PerColor<Rows>,
    dead: PerColor<Rows>,
    /// Points without living stones.
    open: Rows,
}

impl Living<'_> {
    fn new<'a>(board: &'a Board, dead: &PointSet) -> Living<'a> {
        let (stones, empty) = board.rows();
        let marked: Rows = dead.iter().collect();
        let dead = PerColor(stones.0.map(|own| own & marked));
        Living {
            board,
            stones: PerColor(stones.0.map(|own| own & !marked)),
            dead,
            open: empty | dead[Color::Black] | dead[Color::White],
        }
    }
}
