//! Leaf counts of the game tree, the classic check of move generation.

use super::position::{Position, Wanted};
use crate::threads;

/// The number of move sequences of this length. Rules of draws do not count.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::with_capacity(64);
    position.moves(Wanted::All, &mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |mv| {
        let mut child = position.clone();
        child.play(mv);
        perft(&child, depth - 1)
    };
    moves.into_iter().map(after).sum()
}

/// The counts behind each move, in parallel; `depth` is at least 1.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Move, u64)> {
    let mut moves = Vec::new();
    position.moves(Wanted::All, &mut moves);
    let chunk = moves.len().div_ceil(rayon::current_num_threads()).max(1);
    let chunks = moves.chunks(chunk).collect();
    let count = |moves: &[P::Move]| -> Vec<(P::Move, u64)> {
        let counted = moves.iter().map(|&mv| {
            let mut child = position.clone();
            child.play(mv);
            (mv, perft(&child, depth - 1))
        });
        counted.collect()
    };
    threads::for_each(chunks, "perft", count).concat()
}
