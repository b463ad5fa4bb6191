//! What is around an empty point, as a number: the eight points beside and diagonal to it, stones with
//! the liberties of their chains.

use std::sync::LazyLock;

use crate::go::point::{MAX_SIZE, POINTS, STRIDE};
use crate::go::{Board, Color, Point};

/// The eight points around another, row by row, then the four two away in a straight line: columns to
/// the right and rows downwards.
pub(super) const PLACES: [(i8, i8); 12] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
    (0, -2),
    (-2, 0),
    (2, 0),
    (0, 2),
];
/// How many of them are described.
const AROUND: usize = 8;
/// Bits for the content of a point: 0 empty, 1 off the board, then own stones with 1, 2, 3 or more
/// liberties, then the opponent's.
const BITS: usize = 3;
/// Number of shapes: four contents of eight points.
pub(super) const SHAPES: usize = 1 << (2 * AROUND);
/// Where the bits of a place begin that is added to a code.
const PLACE: usize = BITS * AROUND;
/// Exclusive limit of codes, with a place.
pub(super) const CODES: u32 = (PLACES.len() as u32) << PLACE;

/// For each symmetry, where each place goes.
static IMAGES: LazyLock<[[u8; 12]; 8]> = LazyLock::new(|| {
    std::array::from_fn(|symmetry| {
        PLACES.map(|(x, y)| {
            let x = if symmetry & 1 == 0 { x } else { -x };
            let y = if symmetry & 2 == 0 { y } else { -y };
            let image = if symmetry & 4 == 0 { (x, y) } else { (y, x) };
            let found = PLACES.iter().position(|&place| place == image);
            found.unwrap_or(0) as u8
        })
    })
});

/// The code of a point's surroundings, as `color` sees them.
#[inline]
pub(super) fn surroundings(board: &Board, point: Point, color: Color) -> u32 {
    let places = point.around().into_iter().enumerate();
    places.fold(0, |code, (place, point)| {
        code | u32::from(content(board, point, color)) << (BITS * place)
    })
}

/// The content of a point in a code.
#[inline]
pub(super) fn content(board: &Board, point: Point, color: Color) -> u8 {
    match board.color_at(point) {
        Some(owner) => {
            let first = if owner == color { 1 } else { 4 };
            first + board.liberties(point).min(3) as u8
        }
        None => u8::from(!board.contains(point)),
    }
}

/// The contents of the four neighbors in a code.
#[inline]
pub(super) fn beside(code: u32) -> [u32; 4] {
    [1, 3, 4, 6].map(|place| code >> (BITS * place) & 7)
}

/// Contents of a board's points as one color sees them, by [`Point::raw`].
#[derive(Clone)]
pub(super) struct Contents([u8; POINTS]);

impl Contents {
    /// Off the board everywhere.
    pub(super) const NONE: Contents = Contents([1; POINTS]);

    #[inline]
    pub(super) fn set(&mut self, point: Point, content: u8) {
        self.0[point.raw()] = content;
    }

    /// [`surroundings`] by these contents.
    #[inline]
    pub(super) fn around(&self, point: Point) -> u32 {
        let raw = point.raw();
        let row = |middle: usize| {
            let three = &self.0[middle - 1..middle + 2];
            u32::from(three[0]) | u32::from(three[1]) << BITS | u32::from(three[2]) << (2 * BITS)
        };
        let (left, right) = (u32::from(self.0[raw - 1]), u32::from(self.0[raw + 1]));
        row(raw + STRIDE)
            | left << (3 * BITS)
            | right << (4 * BITS)
            | row(raw - STRIDE) << (5 * BITS)
    }
}

/// A code together with one of [`PLACES`].
#[inline]
pub(super) fn with_place(code: u32, place: usize) -> u32 {
    code | (place as u32) << PLACE
}

/// The shape of a code: its colors without liberties; below [`SHAPES`].
#[inline]
pub(super) fn shape(code: u32) -> usize {
    (0..AROUND).fold(0, |shape, place| {
        let content = code >> (BITS * place) & 7;
        // Empty, off the board, own, the opponent's.
        let color = 0b11_11_11_10_10_10_01_00_u32 >> (2 * content) & 3;
        shape | (color as usize) << (2 * place)
    })
}

/// A code under all eight symmetries, its place with it.
pub(super) fn images(code: u32) -> [u32; 8] {
    let place = (code >> PLACE) as usize;
    IMAGES.map(|image| {
        let around = (0..AROUND).fold(0, |turned, from| {
            turned | (code >> (BITS * from) & 7) << (BITS * usize::from(image[from]))
        });
        with_place(around, usize::from(image[place.min(PLACES.len() - 1)]))
    })
}

/// A code without place under all eight symmetries.
pub(super) fn images_without_place(code: u32) -> [u32; 8] {
    images(code).map(|image| image & ((1 << PLACE) - 1))
}

/// The least image of a code with a place.
pub(super) fn canonical(code: u32) -> u32 {
    images(code).into_iter().fold(code, u32::min)
}

/// The least image of a code without place.
pub(super) fn canonical_without_place(code: u32) -> u32 {
    images_without_place(code).into_iter().fold(code, u32::min)
}

/// A code with a shape, for its symmetries: stones have three liberties.
pub(super) fn code_of_shape(shape: usize) -> u32 {
    (0..AROUND).fold(0, |code, place| {
        let content = [0, 1, 4, 7][shape >> (2 * place) & 3];
        code | content << (BITS * place)
    })
}

/// The point at one of [`PLACES`] from a point, if an array of points has it; it may be off the board.
pub(super) fn at_place(point: Point, place: usize) -> Option<Point> {
    let (right, down) = PLACES[place];
    let column = point.column().checked_add_signed(isize::from(right))?;
    let row = point.row().checked_add_signed(-isize::from(down))?;
    (column < MAX_SIZE && row < MAX_SIZE).then(|| Point::new(column, row))
}

/// The place from which a point is seen that lies at the given one.
pub(super) fn opposite(place: usize) -> usize {
    match place {
        0..AROUND => AROUND - 1 - place,
        _ => PLACES.len() - 1 - (place - AROUND),
    }
}
