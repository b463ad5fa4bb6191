//! Inputs of `hu-9x9`, after a bachelor's thesis (HuskySS, BakalarskaPrace): ten planes, not from the
//! point of view of the player to move.
//!
//! | plane | 1 at |
//! |---|---|
//! | 0 to 3 | Black's stones after each of Black's last four moves, the last one in plane 3 |
//! | 4 to 7 | White's stones after each of White's last four moves, the last one in plane 7 |
//! | 8 | all points, if White is to move |
//! | 9 | the last move |
//!
//! A pass is a move that leaves plane 9 empty. A color that has not moved yet has no stones, and
//! stones that were captured by the last move are still in the planes of their color.

use crate::go::{Color, Position};

/// Number of planes.
pub const PLANES: usize = 10;
/// Moves of each color.
const HISTORY: usize = 4;
const WHITE_TO_MOVE: usize = 2 * HISTORY;
const LAST_MOVE: usize = WHITE_TO_MOVE + 1;

/// The last moves up to the one that fills the planes, newest first: how many moves ago, whose, and how
/// many that color has made since.
fn shown(position: &Position) -> impl Iterator<Item = (usize, Color, usize)> {
    let mut seen = [0; 2];
    let moves = position.moves().rev().enumerate();
    moves.map_while(move |(back, (color, _))| {
        let is_full = seen.iter().all(|&count| count >= HISTORY);
        seen[color as usize] += 1;
        (!is_full).then_some((back, color, seen[color as usize] - 1))
    })
}

/// Number of earlier boards that planes may depend on: more than eight where colors do not alternate.
pub fn boards_back(position: &Position) -> usize {
    shown(position).count()
}

/// Writes the planes `[y][x][plane]`.
pub fn write_hu(position: &Position, spatial: &mut [f32]) {
    let size = position.size();
    for (back, color, since) in shown(position).filter(|shown| shown.2 < HISTORY) {
        let plane = (color as usize + 1) * HISTORY - 1 - since;
        for point in position.earlier_board(back).stones_of(color).iter() {
            spatial[size.index(point) * PLANES + plane] = 1.0;
        }
    }
    if position.to_move() == Color::White {
        let values = spatial.chunks_exact_mut(PLANES);
        values.for_each(|values| values[WHITE_TO_MOVE] = 1.0);
    }
    let last = position.moves().next_back();
    if let Some(point) = last.and_then(|(_, mv)| mv.point()) {
        spatial[size.index(point) * PLANES + LAST_MOVE] = 1.0;
    }
}
