//! What a player answers when it is to move.

use std::fmt;

use super::point::Move;

/// A move, or giving up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A stone or a pass.
    Move(Move),
    /// The player resigns.
    Resign,
}

impl fmt::Display for Answer {
    /// As in GTP: a vertex, `pass` or `resign`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Move(mv) => mv.fmt(f),
            Answer::Resign => f.write_str("resign"),
        }
    }
}
