//! Points for White besides komi: for handicap stones, and what the course of the game brought.

use super::super::color::Color;
use super::super::point::Move;
use super::{Position, Turn};

impl Position {
    /// Stones given to Black at the start: those of the starting position, or several black moves
    /// before White's first; 0 if fewer than two.
    pub fn handicap_stones(&self) -> usize {
        if self.status.start_stones[Color::White] > 0 {
            return 0;
        }
        let history = &self.turns[self.status.history_from..];
        let is_play = |turn: &&Turn| turn.mv != Move::Pass;
        let moves = history
            .iter()
            .filter(is_play)
            .take_while(|turn| turn.color == Color::Black)
            .count();
        let stones = self.status.start_stones[Color::Black] + moves;
        if stones >= 2 { stones } else { 0 }
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
