//! Go for the search: [`Side::First`] is Black, the code of a move is the raw index of its point
//! or 0 for a pass.

use crate::go::score::settled;
use crate::go::{Color, Move, Point, Position};
use crate::search::game::{Game, MoveCode, Outcome, Side};

/// The code of a move.
pub fn code(made: Move) -> MoveCode {
    MoveCode(made.point().map_or(0, |point| point.raw() as u16))
}

/// The move of a code.
pub fn decode(code: MoveCode) -> Move {
    match code.0 {
        0 => Move::Pass,
        raw => Move::Play(Point::from_raw(usize::from(raw))),
    }
}

/// The side a color plays.
pub fn side(color: Color) -> Side {
    match color {
        Color::Black => Side::First,
        Color::White => Side::Second,
    }
}

impl Game for Position {
    fn to_move(&self) -> Side {
        side(self.to_move())
    }

    fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
        moves.clear();
        moves.reserve(self.size().area() + 1);
        self.legal_moves().for_each(|made| moves.push(code(made)));
    }

    fn play(&mut self, made: MoveCode) {
        self.play_unchecked(decode(made));
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_finished() {
            return None;
        }
        if self.is_no_result() {
            return Some(Outcome {
                no_result: true,
                ..Outcome::default()
            });
        }
        let score = settled(self).lead_black();
        let win_loss = if score == 0.0 { 0.0 } else { score.signum() };
        Some(Outcome {
            win_loss,
            score,
            no_result: false,
        })
    }

    fn key(&self) -> u128 {
        self.key()
    }
}
