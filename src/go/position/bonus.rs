//! Points for White besides komi: for handicap stones, and what the course of the game brought.

use super::super::color::Color;
use super::super::point::Move;
use super::Position;

impl Position {
    /// Stones given to Black at the start: those of the starting position and Black's moves before
    /// White's first; 0 if fewer than two.
    pub fn handicap_stones(&self) -> usize {
        if self.status.start_stones[Color::White] > 0 {
            return 0;
        }
        let stones = self.status.start_stones[Color::Black] + self.black_moves_at_start();
        if stones >= 2 { stones } else { 0 }
    }

    /// Black's moves before White's first, passes left out; none if White then moves twice in a row: so a
    /// position is set up, one color after the other (KataGo: `computeNumHandicapStones`).
    fn black_moves_at_start(&self) -> usize {
        let history = &self.turns[self.status.history_from..];
        let mut moves = 0;
        for (index, turn) in history.iter().enumerate() {
            let next = history.get(index + 1);
            match (turn.color, turn.mv) {
                (Color::White, _) if next.is_some_and(|next| next.color == Color::White) => {
                    return 0;
                }
                (Color::White, Move::Play(_)) => break,
                (Color::Black, Move::Play(_)) => moves += 1,
                (_, Move::Pass) => {}
            }
        }
        moves
    }

    /// Half points for White besides komi: for handicap, moves and prisoners (under territory
    /// scoring, so that the *area* count gives the territory result) and the button.
    pub fn bonus_half(&self) -> i32 {
        self.status.bonus_half + 2 * self.rules.handicap_points(self.handicap_stones())
    }

    /// Komi and bonuses in points from the point of view of the player to move: added to that
    /// player's area count.
    pub fn self_komi(&self) -> f32 {
        let half = (self.bonus_half() + self.komi.half()) as f32;
        if self.status.to_move == Color::White {
            half / 2.0
        } else {
            -half / 2.0
        }
    }

    /// Whether the game can be drawn: komi is an integer and no button adds half a point.
    pub fn can_be_drawn(&self) -> bool {
        self.komi.is_integer() != self.rules.has_button
    }
}
