//! Go for [`crate::minimax`]: small boards under area scoring, evaluated by area.

use super::go::side;
use crate::go::point::POINTS;
use crate::go::score::settled;
use crate::go::{Board, Color, KoRule, Komi, Move, Position, Rules};
use crate::minimax::{Position as Node, Score, StaticEval, Verdict, Wanted};
use crate::search::game::Side;

/// A position with its history, which superko asks for.
#[derive(Clone)]
pub struct GoNode(Position);

impl GoNode {
    /// A board under area scoring with superko, suicide illegal and no komi.
    pub fn new(board: Board, to_move: Color, ko: KoRule) -> GoNode {
        let rules = Rules {
            ko,
            suicide: false,
            ..Rules::TROMP_TAYLOR
        };
        GoNode(Position::from_board(
            board,
            to_move,
            rules,
            Komi::from_half(0),
        ))
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.0
    }
}

impl Node for GoNode {
    type Move = Move;
    const SHAPES: usize = POINTS;

    fn to_move(&self) -> Side {
        side(self.0.to_move())
    }

    fn key(&self) -> u64 {
        self.0.key() as u64
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<Move>) {
        if self.0.is_over() {
            return;
        }
        match wanted {
            Wanted::All => list.extend(self.0.legal_moves()),
            Wanted::Forcing => {
                list.extend(self.0.legal_moves().filter(|&mv| self.gain(mv) > 0));
            }
        }
    }

    fn play(&mut self, mv: Move) {
        self.0.play_unchecked(mv);
    }

    /// None: a finished game has no moves, and its score is the evaluation.
    fn verdict(&self, _: bool) -> Option<Verdict> {
        None
    }

    fn is_settled(&self) -> bool {
        true
    }

    /// Superko forbids repetitions, so none has to be looked for.
    fn reversible(&self) -> u32 {
        0
    }

    /// Twice the stones captured at first sight, in hundredths.
    fn gain(&self, mv: Move) -> Score {
        let (board, mover) = (self.0.board(), self.0.to_move());
        let Move::Play(point) = mv else {
            return 0;
        };
        let beside = board.neighbors(point);
        let captured = beside
            .filter(|&p| board.color_at(p) == Some(!mover) && board.liberties(p) == 1)
            .map(|p| board.chain_len(p))
            .max();
        200 * captured.unwrap_or(0) as Score
    }

    fn code(&self, mv: Move) -> u16 {
        mv.point().map_or(0, |point| point.raw() as u16)
    }

    fn shape(&self, mv: Move) -> usize {
        usize::from(self.code(mv))
    }
}

/// The area of the side to move less the other's, in hundredths of a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct AreaLead;

impl StaticEval<GoNode> for AreaLead {
    fn evaluate(&self, node: &GoNode) -> Score {
        let position = node.position();
        50 * settled(position).lead_half_for(position.to_move()) as Score
    }
}
