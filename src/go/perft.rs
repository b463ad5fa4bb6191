//! Leaf counts of the game tree, the classic check of a rules core.

use super::position::Position;

/// The number of move sequences of this length from a position. A finished game has no
/// continuation.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.is_over() {
        return 0;
    }
    let moves: Vec<_> = position.legal_moves().collect();
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut leaves = 0;
    for mv in moves {
        position.play_unchecked(mv);
        leaves += perft(position, depth - 1);
        position.undo();
    }
    leaves
}
