//! How tiles cover a board, and where their places lie.

use std::ops::Range;

use super::interpolation::{PATCH, RESULTS};

/// Places of a tile.
pub const PLACES: usize = PATCH * PATCH;
/// Places on a side of a narrow tile; the place after them is the point at infinity.
pub const NARROW: usize = PATCH - 1;

/// Tiles along a side of a board: wide ones with four results, then narrow ones with three, which have no place at
/// infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Split {
    wide: usize,
    narrow: usize,
}

impl Split {
    /// As few tiles as possible, as many of them narrow as possible.
    fn of(points: usize) -> Split {
        let count = points.div_ceil(RESULTS);
        let narrow = count.min(RESULTS * count - points);
        Split {
            wide: count - narrow,
            narrow,
        }
    }

    fn count(self) -> usize {
        self.wide + self.narrow
    }

    /// Number of tiles that have this place.
    #[inline(always)]
    fn with(self, place: usize) -> usize {
        match place {
            NARROW => self.wide,
            _ => self.count(),
        }
    }

    /// Places of all tiles.
    fn places(self) -> usize {
        PATCH * self.wide + NARROW * self.narrow
    }

    /// The first result of a tile.
    #[inline(always)]
    fn start(self, tile: usize) -> usize {
        RESULTS * tile - tile.saturating_sub(self.wide)
    }
}

/// The tiles of one board in a batch. Each place has room for a row of every tile of all boards. Rows are in the order
/// of tiles, wide ones first and high ones first among each; where a place is missing, the next ones move up. So those
/// of a place lie together, and a tile has the same row in all places but those at infinity down.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// Width of the board.
    pub width: usize,
    /// Height of the board.
    pub height: usize,
    columns: Split,
    lines: Split,
    /// Index of the board.
    board: usize,
    /// Number of boards.
    boards: usize,
}

impl Tiles {
    /// For one of several boards.
    ///
    /// # Panics
    ///
    /// Panics if there is no such board.
    pub fn new((width, height): (usize, usize), board: usize, boards: usize) -> Tiles {
        assert!(board < boards, "a board of the batch");
        Tiles {
            width,
            height,
            columns: Split::of(width),
            lines: Split::of(height),
            board,
            boards,
        }
    }

    /// Places of all tiles of the board.
    pub fn places(&self) -> usize {
        self.lines.places() * self.columns.places()
    }

    /// Rows from one place to the next: tiles of all boards.
    pub fn stride(&self) -> usize {
        self.boards * self.lines.count() * self.columns.count()
    }

    /// Rows of all places, with those that are not used.
    pub fn rows(&self) -> usize {
        PLACES * self.stride()
    }

    /// The rows of a place that are used.
    pub fn rows_of(&self, place: usize) -> Range<usize> {
        let first = place * self.stride();
        let of_board = self.lines.with(place / PATCH) * self.columns.with(place % PATCH);
        first..first + self.boards * of_board
    }

    /// Stride of rows in cells, of a board with a margin and whole tiles.
    pub fn padded_row(&self) -> usize {
        self.columns.count() * RESULTS + 2
    }

    /// Number of cells of such a board.
    pub fn padded_cells(&self) -> usize {
        self.padded_row() * (self.lines.count() * RESULTS + 2)
    }

    /// The tiles of the board.
    #[inline(always)]
    pub fn all(&self) -> impl Iterator<Item = Tile> {
        let tiles = *self;
        let (columns, lines) = (tiles.columns.count(), tiles.lines.count());
        (0..lines).flat_map(move |y| (0..columns).map(move |x| tiles.tile(x, y)))
    }

    #[inline(always)]
    fn tile(&self, x: usize, y: usize) -> Tile {
        let (columns, lines) = (self.columns, self.lines);
        let is_wide = x < columns.wide;
        let row = |lines: usize| {
            let index = match is_wide {
                true => y * columns.wide + x,
                false => lines * columns.wide + y * columns.narrow + x - columns.wide,
            };
            index * self.boards + self.board
        };
        Tile {
            corner: (columns.start(x), lines.start(y)),
            is_wide,
            is_high: y < lines.wide,
            rows: [row(lines.count()), row(lines.wide)],
        }
    }
}

/// A tile of a board.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Column and row of its first result, which are also those of the first padded cell that it reads.
    pub corner: (usize, usize),
    /// Whether it has four columns of results.
    pub is_wide: bool,
    /// Whether it has four rows of results.
    pub is_high: bool,
    /// Its row in places but those at infinity down, and in these.
    rows: [usize; 2],
}

impl Tile {
    /// Where its place in this row and column lies, with this stride of places.
    #[inline(always)]
    pub fn row(&self, (y, x): (usize, usize), stride: usize) -> usize {
        (y * PATCH + x) * stride + self.rows[usize::from(y == NARROW)]
    }

    /// The tile with all rows multiplied by this number.
    #[inline(always)]
    pub fn scaled(self, factor: usize) -> Tile {
        Tile {
            rows: self.rows.map(|row| row * factor),
            ..self
        }
    }
}
