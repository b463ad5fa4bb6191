//! Symmetries of small boards: of the images of a position, the one with the least number stands for all.

use super::board::{Board, Geometry, MOST_POINTS, Points};
use crate::go::{Color, PerColor};

/// Bits of a table's index.
const CHUNK: usize = 9;
/// Tables for all bits.
const CHUNKS: usize = MOST_POINTS.div_ceil(CHUNK);

/// A symmetry as tables: for each chunk of bits, where they go.
struct Map(Vec<[Points; 1 << CHUNK]>);

impl Map {
    #[inline]
    fn apply(&self, set: Points) -> Points {
        (0..CHUNKS).fold(0, |image, chunk| {
            let bits = set as usize >> (CHUNK * chunk) & ((1 << CHUNK) - 1);
            image | self.0[chunk][bits]
        })
    }
}

/// The symmetries of a board: four of a rectangle, eight of a square.
pub(super) struct Symmetries(Vec<Map>);

impl Symmetries {
    pub(super) fn new(geometry: &Geometry) -> Symmetries {
        let (width, height) = (geometry.width, geometry.height);
        let count = if width == height { 8 } else { 4 };
        let map = |symmetry: usize| {
            let to = |point: usize| {
                let (mut column, mut row) = (point % width, point / width);
                if symmetry & 1 != 0 {
                    column = width - 1 - column;
                }
                if symmetry & 2 != 0 {
                    row = height - 1 - row;
                }
                if symmetry & 4 != 0 {
                    (column, row) = (row, column);
                }
                row * width + column
            };
            let image = |chunk: usize, bits: usize| {
                let points = (0..CHUNK).filter(|bit| bits >> bit & 1 != 0);
                let points = points.map(|bit| CHUNK * chunk + bit);
                let on_board = points.filter(|&point| point < geometry.area());
                on_board.fold(0, |set, point| set | 1 << to(point))
            };
            let table = |chunk| std::array::from_fn(|bits| image(chunk, bits));
            Map((0..CHUNKS).map(table).collect())
        };
        Symmetries((0..count).map(map).collect())
    }

    /// The least image of a position, and the number of the symmetry that leads to it.
    #[inline]
    pub(super) fn least(&self, board: &Board) -> (Board, usize) {
        let image = |map: &Map| Board {
            stones: PerColor([
                map.apply(board.stones[Color::Black]),
                map.apply(board.stones[Color::White]),
            ]),
            ..*board
        };
        let mut least = (*board, 0);
        for (number, map) in self.0.iter().enumerate().skip(1) {
            let image = image(map);
            if image.stones_key() < least.0.stones_key() {
                least = (image, number);
            }
        }
        least
    }

    /// Where a set of points goes.
    #[inline]
    pub(super) fn image_of(&self, symmetry: usize, set: Points) -> Points {
        self.0[symmetry].apply(set)
    }

    /// Where a set of points of the image was.
    #[inline]
    pub(super) fn origin_of(&self, symmetry: usize, set: Points) -> Points {
        // The two quarter turns undo each other, every other symmetry undoes itself.
        let inverse = match symmetry {
            5 => 6,
            6 => 5,
            other => other,
        };
        self.image_of(inverse, set)
    }
}
