//! What a search reports while it runs and at its end.

use std::time::Duration;

use super::score::Score;

/// How a score relates to the true value at its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least that.
    Lower,
    /// The value is at most that.
    Upper,
}

/// A principal variation.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation<M> {
    /// Depth in plies; at the end of a search that was interrupted, it may not be completed, and is 0 where the score is
    /// an evaluation.
    pub depth: u32,
    /// Longest path that was searched, in plies.
    pub selective_depth: u32,
    /// 1 for the best move, 2 for the second best, ...
    pub rank: usize,
    /// Value, from the side to move.
    pub score: Score,
    /// Whether `score` is the value or a bound.
    pub bound: Bound,
    /// Nodes of all threads since the start.
    pub nodes: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Thousandths of the transposition table in use.
    pub table_fill: u32,
    /// The moves, best first; never empty.
    pub moves: Vec<M>,
}

/// A message of a running search.
#[derive(Clone, Debug, PartialEq)]
pub enum Report<M> {
    /// A principal variation was found.
    Variation(Variation<M>),
    /// This move of the root is searched now; sent only in long searches.
    Current {
        /// Depth of the iteration.
        depth: u32,
        /// The move.
        mv: M,
        /// 1 for the first move.
        number: usize,
    },
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<M> {
    /// The best principal variation; `None` if there is no legal move.
    pub best: Option<Variation<M>>,
    /// Nodes of all threads.
    pub nodes: u64,
}

impl<M: Copy> Found<M> {
    /// The best move.
    pub fn mv(&self) -> Option<M> {
        self.best.as_ref().map(|best| best.moves[0])
    }
}
