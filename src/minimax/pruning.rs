//! Conditions under which a node or move is not searched, or less deeply. All margins are
//! hundredths; the formulas are of the usual shape, the constants round numbers.

use super::score::Score;

/// Plies by which a null move search is shallower.
pub(super) fn null_move_reduction(depth: i32) -> i32 {
    3 + depth / 4
}

/// Depth from which a null move's cut-off is verified by a search without null moves.
pub(super) const VERIFIED_FROM: i32 = 12;

/// Deepest node that an evaluation above beta can end.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 8;

/// Deepest node whose quiet moves are skipped for their small number or low evaluation.
pub(super) const SKIPPING_DEPTH: i32 = 8;

/// Number of moves after which quiet ones are skipped.
pub(super) fn late_move_count(depth: i32, is_improving: bool) -> usize {
    let count = 3 + depth * depth;
    (if is_improving { count } else { count / 2 }) as usize
}

/// What a quiet move can gain at most.
pub(super) fn futility_margin(depth: i32) -> Score {
    100 + 90 * depth
}

/// Loss of material up to which a move is searched.
pub(super) fn tolerated_loss(depth: i32, is_quiet: bool) -> Score {
    if is_quiet {
        -60 * depth
    } else {
        -25 * depth * depth
    }
}

/// A capture in the quiescence search must come this close to alpha at first sight.
pub(super) const DELTA: Score = 200;

/// Reductions of late moves by depth and number.
pub(super) struct Reductions(Vec<i32>);

/// Entries for each of depth and number.
const SIZE: usize = 64;

impl Reductions {
    /// `0.8 + ln(depth)·ln(number) / 2.3`, rounded down.
    pub fn new() -> Reductions {
        let reduction = |at: usize| {
            let (depth, number) = ((at / SIZE).max(1) as f64, (at % SIZE).max(1) as f64);
            (0.8 + depth.ln() * number.ln() / 2.3) as i32
        };
        Reductions((0..SIZE * SIZE).map(reduction).collect())
    }

    /// Plies by which the move with this number (from 0) is reduced.
    pub fn get(&self, depth: i32, number: usize) -> i32 {
        self.0[(depth.max(0) as usize).min(SIZE - 1) * SIZE + number.min(SIZE - 1)]
    }
}
