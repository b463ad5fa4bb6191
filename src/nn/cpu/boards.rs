//! The boards of an evaluation, and where their points lie in memory.

use super::simd::{Layout, Tiles};
use crate::go::BoardSize;

/// Boards of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boards {
    /// Of all boards.
    pub size: BoardSize,
    /// How many.
    pub count: usize,
}

/// How the cells of a board are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Its points, row by row.
    Plain,
    /// With empty cells around, and whole Winograd tiles.
    Padded,
}

impl Boards {
    /// Points of one board.
    pub fn area(&self) -> usize {
        self.size.area()
    }

    /// The tiles of one board.
    pub fn tiles(&self, board: usize) -> Tiles {
        let size = (self.size.width(), self.size.height());
        Tiles::new(size, board, self.count)
    }

    /// Where the points of a board lie.
    pub fn layout(&self, frame: Frame) -> Layout {
        match frame {
            Frame::Plain => Layout {
                origin: 0,
                row: self.size.width(),
            },
            Frame::Padded => {
                let row = self.tiles(0).padded_row();
                Layout {
                    origin: row + 1,
                    row,
                }
            }
        }
    }

    /// Cells of one board.
    pub fn cells(&self, frame: Frame) -> usize {
        match frame {
            Frame::Plain => self.area(),
            Frame::Padded => self.tiles(0).padded_cells(),
        }
    }
}
