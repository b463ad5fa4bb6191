//! The parameters of the search. Each part can be switched off, to measure what it is worth.

use crate::params::parameters;

parameters! {
    /// All settings of the alpha-beta search.
    MinimaxParams;

    /// Hundredths by which a draw is worse than an equal position for the side that searches.
    contempt: i32 = 0, -1000 => 1000;
    /// Search captures after the last ply (quiescence search).
    quiescence: bool = true, 0 => 0;
    /// Use the transposition table.
    table: bool = true, 0 => 0;
    /// Use entries of the table only at the very depth they were stored with, so that a search
    /// without pruning returns exactly minimax's value.
    exact_depth as "exactDepth": bool = false, 0 => 0;
    /// Half width of the aspiration window in hundredths; 0 is off.
    aspiration: i32 = 25, 0 => 10_000;
    /// Null move pruning (Donninger 1993).
    null_move as "nullMove": bool = true, 0 => 0;
    /// Margin per ply by which an evaluation above beta ends a node; 0 is off.
    reverse_futility as "reverseFutility": i32 = 80, 0 => 10_000;
    /// Skip late quiet moves near the leaves.
    late_move_pruning as "lateMovePruning": bool = true, 0 => 0;
    /// Skip quiet moves near the leaves that cannot raise the evaluation to alpha.
    futility: bool = true, 0 => 0;
    /// Skip moves near the leaves that lose material.
    exchange_pruning as "exchangePruning": bool = true, 0 => 0;
    /// Search late moves less deeply.
    reductions: bool = true, 0 => 0;
    /// Search a ply less where the table knows no move.
    internal_reduction as "internalReduction": bool = true, 0 => 0;
    /// Search unsettled positions (checks) a ply deeper.
    extensions: bool = true, 0 => 0;
}

impl MinimaxParams {
    /// Without anything that can change the value of a search to a fixed depth: it equals that of
    /// minimax.
    pub fn exact() -> MinimaxParams {
        MinimaxParams {
            contempt: 0,
            quiescence: false,
            table: true,
            exact_depth: true,
            aspiration: 0,
            null_move: false,
            reverse_futility: 0,
            late_move_pruning: false,
            futility: false,
            exchange_pruning: false,
            reductions: false,
            internal_reduction: false,
            extensions: false,
        }
    }
}
