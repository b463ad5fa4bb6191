//! What stands on each point, with a hash that cannot drift: the fields are private to this file,
//! and every change goes through [`Stones::put`] and [`Stones::take`], which change both.

use super::color::{Color, PerColor};
use super::point::{BoardSize, POINTS, Point};
use super::zobrist;

/// What an array element of a board holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Cell {
    Black = 0,
    White = 1,
    Empty = 2,
    /// Outside the board.
    Border = 3,
}

impl Cell {
    pub(crate) fn of(color: Color) -> Cell {
        match color {
            Color::Black => Cell::Black,
            Color::White => Cell::White,
        }
    }

    pub(crate) fn color(self) -> Option<Color> {
        match self {
            Cell::Black => Some(Color::Black),
            Cell::White => Some(Color::White),
            Cell::Empty | Cell::Border => None,
        }
    }
}

/// Stones on points, their number and their hash.
#[derive(Clone)]
pub(crate) struct Stones {
    cells: [Cell; POINTS],
    hash: u128,
    counts: PerColor<u16>,
}

impl Stones {
    pub(crate) fn new(size: BoardSize) -> Stones {
        let mut cells = [Cell::Border; POINTS];
        for point in size.points() {
            cells[point.raw()] = Cell::Empty;
        }
        Stones {
            cells,
            hash: 0,
            counts: PerColor([0; 2]),
        }
    }

    #[inline]
    pub(crate) fn at(&self, point: Point) -> Cell {
        self.cells[point.raw()]
    }

    pub(crate) fn hash(&self) -> u128 {
        self.hash
    }

    pub(crate) fn count(&self, color: Color) -> usize {
        self.counts[color] as usize
    }

    /// The point must be empty.
    #[inline]
    pub(crate) fn put(&mut self, point: Point, color: Color) {
        debug_assert_eq!(self.at(point), Cell::Empty);
        self.cells[point.raw()] = Cell::of(color);
        self.hash ^= zobrist::stone(point, color);
        self.counts[color] += 1;
    }

    /// The point must hold a stone of that color.
    #[inline]
    pub(crate) fn take(&mut self, point: Point, color: Color) {
        debug_assert_eq!(self.at(point), Cell::of(color));
        self.cells[point.raw()] = Cell::Empty;
        self.hash ^= zobrist::stone(point, color);
        self.counts[color] -= 1;
    }
}
