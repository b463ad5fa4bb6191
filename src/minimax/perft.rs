//! Leaf counts of the game tree, the classic check of move generation.

use super::position::{Position, Wanted};
use crate::threads;

/// The number of move sequences of this length. Rules of draws do not count. The last moves are
/// counted, not played.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    leaves(position, depth, &mut Vec::with_capacity(256))
}

/// The moves of all positions on the way are in one list, those of the current one last.
fn leaves<P: Position>(position: &P, depth: u32, list: &mut Vec<P::Move>) -> u64 {
    match depth {
        0 => return 1,
        1 => return position.count(list) as u64,
        _ => {}
    }
    let start = list.len();
    position.moves(Wanted::All, list);
    let mut count = 0;
    for index in start..list.len() {
        let mut child = position.clone();
        child.play(list[index]);
        count += leaves(&child, depth - 1, list);
    }
    list.truncate(start);
    count
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
