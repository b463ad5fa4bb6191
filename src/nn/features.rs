//! From positions to a net's inputs.

use crate::go::point::BoardSize;

/// The inputs of several positions on boards of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBatch {
    /// Of all boards.
    pub size: BoardSize,
    /// `[position][y][x][plane]`, the top row first.
    pub spatial: Vec<f32>,
    /// `[position][value]`.
    pub global: Vec<f32>,
}
