//! What stands on each point, with a hash that cannot drift: the fields are private to this file,
//! and every change goes through [`Stones::put`] and [`Stones::take`], which change both.

use super::color::{Color, PerColor};
use super::point::{BoardSize, POINTS, Point, STRIDE};
use super::rows::{ROWS, Rows};
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

    /// The points of the colors, and the empty ones.
    pub(crate) fn rows(&self) -> (PerColor<Rows>, Rows) {
        let (mut low, mut high) = ([0; ROWS], [0; ROWS]);
        for (row, cells) in self.cells.chunks_exact(STRIDE).enumerate() {
            for (index, cells) in cells.chunks(8).enumerate() {
                let mut eight = [0; 8];
                for (byte, &cell) in eight.iter_mut().zip(cells) {
                    *byte = cell as u8;
                }
                let eight = u64::from_le_bytes(eight);
                low[row] |= lowest_bits(eight) << (8 * index);
                high[row] |= lowest_bits(eight >> 1) << (8 * index);
            }
        }
        // What the two bits of a cell mean, see [`Cell`].
        let set = |of: fn(u32, u32) -> u32| {
            Rows::new(std::array::from_fn(|row| {
                of(low[row], high[row]) & ALL_COLUMNS
            }))
        };
        let black = set(|low, high| !low & !high);
        let white = set(|low, high| low & !high);
        (PerColor([black, white]), set(|low, high| !low & high))
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

/// The bits of a row that are points of an array row.
const ALL_COLUMNS: u32 = (1 << STRIDE) - 1;

/// The lowest bit of each byte, the first byte's in the lowest place.
fn lowest_bits(bytes: u64) -> u32 {
    // Each product of two bits lands in a place of its own; those of interest in the top byte.
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}
