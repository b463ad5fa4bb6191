//! Points, board sizes and moves.
//!
//! A point is a padded index: the board has a border of one, and rows are a fixed number of
//! points apart whatever the board size, so that neighbors are at fixed distances and the text
//! of a point ("Q16") needs no board size. Columns count from the left, rows from the *bottom*
//! as in GTP, both from 0. Arrays of a board's points (network planes, ownership) run row by
//! row from the *top* left, as everywhere in the field; [`BoardSize::index`] converts.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::parse_error::ParseError;

/// Largest width and height of a board.
pub const MAX_SIZE: usize = 25;
/// Smallest width and height of a board.
pub const MIN_SIZE: usize = 2;
/// Distance of vertical neighbors: 25 columns and one border column shared by adjacent rows.
pub(crate) const STRIDE: usize = MAX_SIZE + 1;
/// Length of an array indexed by [`Point::raw`]; every neighbor of a point lies inside.
pub const POINTS: usize = STRIDE * (MAX_SIZE + 2) + 2;

/// An intersection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u16);

impl Point {
    /// The point in a column counted from the left and a row counted from the bottom, both from 0
    /// and below [`MAX_SIZE`]. Panics outside.
    pub const fn new(column: usize, row: usize) -> Point {
        assert!(column < MAX_SIZE && row < MAX_SIZE);
        Point(((row + 1) * STRIDE + column + 1) as u16)
    }

    /// The index into arrays of length [`POINTS`]. Never 0.
    pub const fn raw(self) -> usize {
        self.0 as usize
    }

    /// The inverse of [`Point::raw`]; the border is not excluded.
    pub(crate) const fn from_raw(raw: usize) -> Point {
        debug_assert!(raw < POINTS);
        Point(raw as u16)
    }

    /// Column from the left, from 0.
    pub const fn column(self) -> usize {
        self.0 as usize % STRIDE - 1
    }

    /// Row from the bottom, from 0.
    pub const fn row(self) -> usize {
        self.0 as usize / STRIDE - 1
    }

    /// Below, left, right, above; may be off the board.
    pub const fn neighbors(self) -> [Point; 4] {
        let p = self.0;
        let stride = STRIDE as u16;
        [
            Point(p - stride),
            Point(p - 1),
            Point(p + 1),
            Point(p + stride),
        ]
    }

    /// The four diagonal neighbors; may be off the board.
    pub const fn diagonals(self) -> [Point; 4] {
        let p = self.0;
        let stride = STRIDE as u16;
        [
            Point(p - stride - 1),
            Point(p - stride + 1),
            Point(p + stride - 1),
            Point(p + stride + 1),
        ]
    }

    /// The eight points around, row by row from the top; may be off the board.
    pub const fn around(self) -> [Point; 8] {
        let [below, left, right, above] = self.neighbors();
        let [below_left, below_right, above_left, above_right] = self.diagonals();
        [
            above_left,
            above,
            above_right,
            left,
            right,
            below_left,
            below,
            below_right,
        ]
    }

    /// Whether the two points are orthogonal neighbors.
    pub const fn is_adjacent_to(self, other: Point) -> bool {
        let distance = self.0.abs_diff(other.0) as usize;
        distance == 1 || distance == STRIDE
    }
}

const COLUMN_LETTERS: &[u8; MAX_SIZE] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

impl fmt::Display for Point {
    /// GTP text: upper-case letter without I, then the row from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            COLUMN_LETTERS[self.column()] as char,
            self.row() + 1
        )
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const NO_POINT: ParseError = ParseError("invalid coordinate");

impl FromStr for Point {
    type Err = ParseError;

    /// GTP text in any case; there is no column I. The point may still be off a given board.
    fn from_str(text: &str) -> Result<Point, ParseError> {
        let (letter, digits) = text.split_at_checked(1).ok_or(NO_POINT)?;
        let letter = letter.as_bytes()[0].to_ascii_uppercase();
        let column = COLUMN_LETTERS
            .iter()
            .position(|&l| l == letter)
            .ok_or(NO_POINT)?;
        if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NO_POINT);
        }
        let row: usize = digits.parse().map_err(|_| NO_POINT)?;
        if row == 0 || row > MAX_SIZE {
            return Err(NO_POINT);
        }
        Ok(Point::new(column, row - 1))
    }
}

/// Width and height of a board, each from [`MIN_SIZE`] to [`MAX_SIZE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    /// None if a side is out of range.
    pub fn new(width: usize, height: usize) -> Option<BoardSize> {
        let range = MIN_SIZE..=MAX_SIZE;
        (range.contains(&width) && range.contains(&height)).then_some(BoardSize {
            width: width as u8,
            height: height as u8,
        })
    }

    /// A square board. Panics out of range.
    pub fn square(size: usize) -> BoardSize {
        BoardSize::new(size, size).expect("board size from 2 to 25")
    }

    /// Columns.
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// Rows.
    pub fn height(self) -> usize {
        self.height as usize
    }

    /// Number of points.
    pub fn area(self) -> usize {
        self.width() * self.height()
    }

    /// Length of the longer side.
    pub fn longer_side(self) -> usize {
        self.width().max(self.height())
    }

    /// Length of the shorter side.
    pub fn shorter_side(self) -> usize {
        self.width().min(self.height())
    }

    /// Whether width and height are equal.
    pub fn is_square(self) -> bool {
        self.width == self.height
    }

    /// Whether the point lies on a board of this size.
    pub fn contains(self, point: Point) -> bool {
        let raw = point.raw();
        let (column, row) = (raw % STRIDE, raw / STRIDE);
        (1..=self.width()).contains(&column) && (1..=self.height()).contains(&row)
    }

    /// Index of a point in arrays that run row by row from the top left.
    pub fn index(self, point: Point) -> usize {
        (self.height() - 1 - point.row()) * self.width() + point.column()
    }

    /// The inverse of [`BoardSize::index`].
    pub fn point_at(self, index: usize) -> Point {
        Point::new(
            index % self.width(),
            self.height() - 1 - index / self.width(),
        )
    }

    /// Index of a move in arrays of the points, in the order of [`BoardSize::index`], and the pass after them.
    pub fn move_index(self, mv: Move) -> usize {
        mv.point().map_or(self.area(), |point| self.index(point))
    }

    /// The inverse of [`BoardSize::move_index`]; none if no move has the index.
    pub fn move_at(self, index: usize) -> Option<Move> {
        match index.cmp(&self.area()) {
            Ordering::Less => Some(Move::Play(self.point_at(index))),
            Ordering::Equal => Some(Move::Pass),
            Ordering::Greater => None,
        }
    }

    /// All points in the order of [`BoardSize::index`].
    pub fn points(self) -> impl DoubleEndedIterator<Item = Point> + Clone {
        let (width, height) = (u16::from(self.width), u16::from(self.height));
        let row = move |row| {
            let first = row * STRIDE as u16 + 1;
            (first..first + width).map(Point)
        };
        (1..=height).rev().flat_map(row)
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A stone on a point, or a pass. Resigning is an answer, not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone.
    Play(Point),
    /// No stone.
    Pass,
}

impl Move {
    /// The point played on, if any.
    pub fn point(self) -> Option<Point> {
        match self {
            Move::Play(point) => Some(point),
            Move::Pass => None,
        }
    }
}

impl fmt::Display for Move {
    /// `Q16` or `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Play(point) => point.fmt(f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Move, ParseError> {
        if text.eq_ignore_ascii_case("pass") {
            Ok(Move::Pass)
        } else {
            text.parse().map(Move::Play)
        }
    }
}
