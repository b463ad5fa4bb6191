//! The boards of an evaluation, and their memory layouts.

use super::simd::{Layout, Tiles};
use crate::go::BoardSize;

/// Boards of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boards {
    /// Size of all boards.
    pub size: BoardSize,
    /// Number of boards.
    pub count: usize,
}

/// Layout of a board's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Its points, row by row.
    Plain,
    /// With a margin of empty cells, and whole Winograd tiles.
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

    /// Position of a board's points in its layout.
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
