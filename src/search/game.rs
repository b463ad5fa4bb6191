//! The rules of a game as a search needs them, without nets, text, clocks or parameters.

use std::ops::Not;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// In Go Black, in other games White, whoever moves first.
    First,
    /// The opponent.
    Second,
}

impl Side {
    /// +1 for `First`, -1 for `Second`: converts a value from `First`'s point of view to that of
    /// `self`, and back.
    pub fn sign(self) -> f64 {
        match self {
            Side::First => 1.0,
            Side::Second => -1.0,
        }
    }
}

impl Not for Side {
    type Output = Side;

    fn not(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A move as a number with a meaning only in its position: in Go the padded index of the point, or
/// 0 for a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(pub u16);

/// The result of a finished game, from the point of view of [`Side::First`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// +1 won, 0 drawn, -1 lost.
    pub win_loss: f32,
    /// Points ahead; 0 in games without a score.
    pub score: f32,
    /// The game ended without result (a long cycle in Go); then the other fields are 0.
    pub no_result: bool,
}

/// The rules of a two-player game of perfect information.
pub trait Game: Clone + Send + Sync {
    /// The side to move. Meaningless once [`Game::outcome`] is some.
    fn to_move(&self) -> Side;

    /// Replaces the contents of `moves` by the legal moves, always in the same order for the same
    /// position. Never empty while [`Game::outcome`] is none.
    fn legal_moves(&self, moves: &mut Vec<MoveCode>);

    /// Whether [`Game::legal_moves`] leaves out no move that could be better than all it has, as proofs need it.
    fn is_exhaustive(&self) -> bool {
        true
    }

    /// Plays a move, which must be legal.
    fn play(&mut self, code: MoveCode);

    /// The result, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Key of the local pattern around the move `code` that is about to be played: evaluations
    /// after moves with equal patterns are expected to have similar errors. `None` if there is no
    /// pattern.
    fn pattern(&self, code: MoveCode) -> Option<u128> {
        let _ = code;
        None
    }

    /// Identity of the position regardless of its history: positions for which it is equal and not
    /// `None` are treated as one by the search. `None` if the history matters for the future.
    fn transposition(&self) -> Option<u128> {
        None
    }

    /// Key for caches: positions with equal keys may share an evaluation. Wide enough to rule out
    /// accidental collisions.
    fn key(&self) -> u128;
}
