//! A game under other rules than those it was played under so far.

use super::super::rules::Rules;
use super::{IllegalMove, Position};

impl Position {
    /// The same game under other rules: moves, komi, and where the history was restarted by moves of the wrong color.
    /// Moves against these rules are accepted as by [`Position::play_recorded`]; an error if the board does not allow
    /// one of them.
    pub fn with_rules(&self, rules: Rules) -> Result<Position, IllegalMove> {
        let to_move = self.turns.first().map_or(self.to_move(), |turn| turn.color);
        let start = self.earlier_board(self.turns.len());
        let mut position = Position::from_board(start, to_move, rules, self.komi);
        position.encore_allowed = self.encore_allowed;
        for (index, turn) in self.turns.iter().enumerate() {
            let next = self.turns.get(index + 1);
            let after = next.map_or(&self.status, |next| &next.before);
            if index > 0 && after.history_from == index {
                position.set_to_move(!turn.color);
                position.play_reported(turn.color, turn.mv)?;
            } else {
                position.play_recorded(turn.color, turn.mv)?;
            }
        }
        if self.status.history_from == self.turns.len() {
            position.begin_history(self.to_move());
        }
        Ok(position)
    }
}
