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

/// Moves before whose first one the oldest board of the planes stands: more than eight where a color
/// has passed without saying so, or has moved several times in a row.
pub fn boards_back(position: &Position) -> usize {
    let mut seen = [0; 2];
    let goes_on = |&(color, _): &(Color, _)| {
        let is_enough = seen == [HISTORY; 2];
        seen[color as usize] = (seen[color as usize] + 1).min(HISTORY);
        !is_enough
    };
    position.moves().rev().take_while(goes_on).count()
}

/// Writes the planes `[y][x][plane]`.
pub fn write_hu(position: &Position, spatial: &mut [f32]) {
    let size = position.size();
    let mut written = [0; 2];
    for (back, (color, _)) in position.moves().rev().enumerate() {
        let seen = &mut written[color as usize];
        if *seen < HISTORY {
            let plane = (color as usize + 1) * HISTORY - 1 - *seen;
            for point in position.earlier_board(back).stones_of(color).iter() {
                spatial[size.index(point) * PLANES + plane] = 1.0;
            }
            *seen += 1;
        }
        if written == [HISTORY; 2] {
            break;
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
