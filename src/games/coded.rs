//! Board games of [`crate::minimax`] as Monte Carlo tree search plays them.

use crate::minimax::line::Line;
use crate::minimax::{Position, Verdict};
use crate::search::game::{Game, MoveCode, Outcome, Side};

/// Hundredths ahead at which the hyperbolic tangent of 1 is the expected result.
pub const LEAD_SCALE: f64 = 400.0;

/// Appends moves of a position that a search tries.
pub type Listing<P> = fn(&P, &mut Vec<<P as Position>::Move>);

/// A position with its moves and those before it. The code of a move is its place among the moves that
/// searches try.
#[derive(Clone, Debug)]
pub struct Coded<P: Position> {
    position: P,
    /// The moves that the search tries.
    listing: Listing<P>,
    /// Whether these leave out none that could be better.
    is_exhaustive: bool,
    moves: Vec<P::Move>,
    /// Positions that may occur again.
    line: Line,
    verdict: Option<Verdict>,
}

impl<P: Position> Coded<P> {
    /// The root of a search, to which the positions with keys `history` have led.
    pub fn new(position: P, history: &[u64]) -> Coded<P> {
        let mut coded = Coded::with_moves(position, history, P::worthwhile);
        coded.is_exhaustive = false;
        coded
    }

    /// The same with a search that tries the moves which `listing` appends, of which one is best.
    pub fn with_moves(position: P, history: &[u64], listing: Listing<P>) -> Coded<P> {
        let mut coded = Coded {
            position,
            listing,
            is_exhaustive: true,
            moves: Vec::new(),
            line: Line::new(history),
            verdict: None,
        };
        coded.look();
        coded
    }

    /// The position.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The move of a code.
    pub fn mv(&self, code: MoveCode) -> P::Move {
        self.moves[usize::from(code.0)]
    }

    /// The moves, by code.
    pub fn moves(&self) -> &[P::Move] {
        &self.moves
    }

    /// The position after a move.
    pub fn after(&self, mv: P::Move) -> P {
        let mut position = self.position.clone();
        position.play(mv);
        position
    }

    /// Finds out what can be played, and whether the game is over. As in [`crate::minimax`], a
    /// repetition since the root is a draw.
    fn look(&mut self) {
        self.moves.clear();
        (self.listing)(&self.position, &mut self.moves);
        self.verdict = self.position.verdict(self.moves.is_empty()).or_else(|| {
            let reversible = self.position.reversible();
            let repeats = self.line.is_repetition(self.position.key(), reversible);
            repeats.then_some(Verdict::Drawn)
        });
    }
}

/// The result for the first side, from 1 to -1, where `to_move` is to move at the end.
pub fn win_loss(verdict: Verdict, to_move: Side) -> f64 {
    2.0 * verdict.points(to_move) - 1.0
}

impl<P: Position> Game for Coded<P> {
    fn to_move(&self) -> Side {
        self.position.to_move()
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        moves.extend((0..self.moves.len()).map(|code| MoveCode(code as u16)));
    }

    fn is_exhaustive(&self) -> bool {
        self.is_exhaustive
    }

    fn play(&mut self, code: MoveCode) {
        let mv = self.mv(code);
        self.line.push(self.position.key());
        self.position.play(mv);
        self.look();
    }

    fn outcome(&self) -> Option<Outcome> {
        self.verdict.map(|verdict| Outcome {
            win_loss: win_loss(verdict, self.to_move()) as f32,
            ..Outcome::default()
        })
    }

    /// None where an earlier position can occur again.
    fn transposition(&self) -> Option<u128> {
        (self.position.reversible() == 0).then(|| self.key())
    }

    fn key(&self) -> u128 {
        u128::from(self.position.key())
    }
}
