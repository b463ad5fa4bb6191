//! Inputs of Leela Zero networks.

use super::super::desc::leela::PLANES;
use crate::go::{Board, Color, Position};

/// Length of the history, including the current position.
pub const HISTORY: usize = 8;
/// Plane of each color to move.
const BLACK_TO_MOVE: usize = 2 * HISTORY;
const WHITE_TO_MOVE: usize = BLACK_TO_MOVE + 1;

/// Writes the planes `[y][x][plane]`: own stones now and up to seven moves ago, the opponent's, and
/// the color to move. A pass counts as a move; before the start there are no stones.
pub fn write_leela(position: &Position, spatial: &mut [f32]) {
    write_stones(position, 0, position.board(), spatial);
    for back in 1..HISTORY.min(position.turn() + 1) {
        write_stones(position, back, &position.earlier_board(back), spatial);
    }
    let plane = match position.to_move() {
        Color::Black => BLACK_TO_MOVE,
        Color::White => WHITE_TO_MOVE,
    };
    for values in spatial.chunks_exact_mut(PLANES) {
        values[plane] = 1.0;
    }
}

fn write_stones(position: &Position, back: usize, board: &Board, spatial: &mut [f32]) {
    let own = position.to_move();
    for (first_plane, color) in [(0, own), (HISTORY, !own)] {
        for point in board.stones_of(color).iter() {
            spatial[board.size().index(point) * PLANES + first_plane + back] = 1.0;
        }
    }
}
