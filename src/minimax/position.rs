//! What a game provides: positions with their moves, and an evaluation.

use std::fmt::Debug;

use super::score::Score;
use crate::search::game::Side;

/// Which moves are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All legal moves.
    All,
    /// Legal moves that the quiescence search looks at: captures, promotions.
    Forcing,
}

/// The result of a finished game, seen from the side to move. (Games in which the side to move has
/// won do not occur: it is the last move that wins.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move has lost.
    Lost,
    /// Neither side has won.
    Drawn,
}

impl Verdict {
    /// The points of the first side, of one, where `to_move` is to move at the end.
    pub fn points(self, to_move: Side) -> f64 {
        match (self, to_move) {
            (Verdict::Lost, Side::First) => 0.0,
            (Verdict::Lost, Side::Second) => 1.0,
            (Verdict::Drawn, _) => 0.5,
        }
    }
}

/// A position of a game. Copied for each move, so it should be small; its history is kept
/// elsewhere ([`Line`](super::line::Line)).
pub trait Position: Clone + Send + Sync {
    /// A move; it has a meaning only in its position.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// One more than the largest [`Position::shape`].
    const SHAPES: usize;

    /// The side to move; need not change after a move.
    fn to_move(&self) -> Side;

    /// Hash that is equal for positions with the same moves now and later, counters of draw rules
    /// aside.
    fn key(&self) -> u64;

    /// Appends legal moves to `list`, always in the same order.
    fn moves(&self, wanted: Wanted, list: &mut Vec<Self::Move>);

    /// Appends the legal moves that searches try, at least one if there is any: all, unless a game has too many and
    /// knows which ones matter.
    fn worthwhile(&self, list: &mut Vec<Self::Move>) {
        self.moves(Wanted::All, list);
    }

    /// Whether there is a legal move.
    fn has_moves(&self) -> bool {
        let mut list = Vec::new();
        self.moves(Wanted::All, &mut list);
        !list.is_empty()
    }

    /// Number of legal moves; `list` is memory to use, whose contents stay.
    fn count(&self, list: &mut Vec<Self::Move>) -> usize {
        let start = list.len();
        self.moves(Wanted::All, list);
        let count = list.len() - start;
        list.truncate(start);
        count
    }

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);

    /// The result if the game is over, repetitions aside; none where the evaluation of a position without moves is
    /// its result. `is_stuck` says that there is no legal
    /// move; without it the answer is about the other ends of a game.
    fn verdict(&self, is_stuck: bool) -> Option<Verdict>;

    /// Whether the position may be evaluated as it is. If not, the quiescence search tries all
    /// moves: in check, or with a capture due.
    fn is_settled(&self) -> bool;

    /// Moves since the last one that cannot be undone: no earlier position can occur again.
    fn reversible(&self) -> u32;

    /// The position after passing, where it is safe to assume that a move would be better than
    /// that; `None` otherwise.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// What a move wins at first sight, in hundredths; 0 for a quiet move.
    fn gain(&self, mv: Self::Move) -> Score {
        let _ = mv;
        0
    }

    /// Order in which moves with a gain are tried, largest first.
    fn urgency(&self, mv: Self::Move) -> i32 {
        self.gain(mv)
    }

    /// Whether a move keeps at least `margin` after all recaptures on its square (static exchange
    /// evaluation).
    fn keeps(&self, mv: Self::Move, margin: Score) -> bool {
        self.gain(mv) >= margin
    }

    /// The move as a number for the transposition table, unique in its position or nearly always.
    fn code(&self, mv: Self::Move) -> u16;

    /// Index of the move in history tables, below [`Position::SHAPES`]: usually the piece and its
    /// target.
    fn shape(&self, mv: Self::Move) -> usize;
}

/// An evaluation without search.
pub trait StaticEval<P>: Sync {
    /// Hundredths of a pawn or man for the side to move.
    fn evaluate(&self, position: &P) -> Score;

    /// The same of a position that is solved, as endings of few pieces are: no search can find another value.
    fn solved(&self, position: &P) -> Option<Score> {
        let _ = position;
        None
    }
}
