//! The rules of a game as a search sees them. Not a home for nets, text, clocks or parameters.

use std::ops::Not;

/// One of the two players. In Go, Black is `First`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player who moves first from the game's usual starting position.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// +1 for `First`, -1 for `Second`: turns a figure seen by `First` into one seen by `self`,
    /// and back.
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

/// A move as a number that means something only within its position: in Go the padded index of
/// the point, or 0 for a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveCode(pub u16);

/// How a finished game ended, seen by [`Side::First`].
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
    /// Who moves. Meaningless once [`Game::outcome`] is some.
    fn to_move(&self) -> Side;

    /// Replaces the contents of `moves` by the legal moves, always in the same order for the same
    /// position. Never empty while [`Game::outcome`] is none.
    fn legal_moves(&self, moves: &mut Vec<MoveCode>);

    /// Makes a move, which must be legal.
    fn play(&mut self, code: MoveCode);

    /// The result, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// What the surroundings of the move `code` look like that is about to be made: evaluations of
    /// positions after moves with equal patterns are expected to err alike. `None` where there is
    /// nothing to go by.
    fn pattern(&self, code: MoveCode) -> Option<u128> {
        let _ = code;
        None
    }

    /// Identity of the position whatever led to it: positions for which it is equal and not `None`
    /// are treated as one by the search. `None` where the past matters for what follows, so that
    /// the position should stand for itself.
    fn transposition(&self) -> Option<u128> {
        None
    }

    /// Identity for caches: positions with equal keys may share an evaluation. Wide enough that
    /// chance collisions need not be thought about.
    fn key(&self) -> u128;
}
