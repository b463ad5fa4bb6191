//! Playing and undoing moves.

use super::super::color::{Color, PerColor};
use super::super::encore::Encore;
use super::super::point::{Move, Point};
use super::super::rules::Scoring;
use super::{GameEnd, IllegalMove, Position, Status, Turn};

impl Position {
    /// Plays a move of the player to move. Panics if it is illegal; for tests and scripts.
    pub fn play(&mut self, mv: Move) {
        if let Err(reason) = self.try_play(mv) {
            panic!("illegal move {mv}: {reason}");
        }
    }

    /// Plays a move of the player to move, or returns why it is illegal and changes nothing.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a move known to be legal.
    pub fn play_unchecked(&mut self, mv: Move) {
        self.make(mv, true, self.status, self.board.ko());
    }

    /// Plays a move of the player to move that the stones allow, even if the rules of the game (ko,
    /// superko, suicide) do not, as KataGo does with any move sent to it. Network inputs then show
    /// that it was illegal, see [`Position::lawful_turns`].
    pub fn play_tolerated(&mut self, mv: Move) {
        self.make(mv, self.is_legal(mv), self.status, self.board.ko());
    }

    /// Plays a move as a referee reports it. The wrong color restarts the history from the current
    /// stones; superko and forbidden suicide are accepted, as the other side's rules may differ. A
    /// move that no rules allow is refused, and nothing changes.
    pub fn play_reported(&mut self, color: Color, mv: Move) -> Result<(), IllegalMove> {
        if color == self.status.to_move {
            let takes_back = mv.point().is_some() && mv.point() == self.board.ko();
            return match takes_back && self.status.phase == 0 {
                true => Err(IllegalMove::Ko),
                false => self.play_recorded(color, mv),
            };
        }
        self.check_stones(color, mv)?;
        let (before, ko_before) = (self.status, self.board.ko());
        let lengths = (self.keys.len(), self.pass_keys.len());
        let encore = self.encore.clone();
        self.begin_history(color);
        self.make(mv, self.is_legal(mv), before, ko_before);
        let turn = self.turns.last_mut().expect("a turn was just made");
        (turn.keys_before, turn.pass_keys_before) = lengths;
        if turn.saved_encore {
            self.saved_encores.pop();
        }
        turn.saved_encore = true;
        self.saved_encores.push(encore);
        Ok(())
    }

    /// The same for a game record: that a ko is taken back at once is accepted, too, as it happened,
    /// and a move of the wrong color keeps the history, since records leave out passes. Network inputs
    /// do not show the moves before it.
    pub fn play_recorded(&mut self, color: Color, mv: Move) -> Result<(), IllegalMove> {
        let before = self.status;
        if color != before.to_move {
            self.forget_legality();
            self.hide_history();
            self.status.to_move = color;
        }
        let legal = self.is_legal(mv);
        if !legal && let Err(reason) = self.check_stones(color, mv) {
            self.forget_legality();
            self.status = before;
            return Err(reason);
        }
        self.make(mv, legal, before, self.board.ko());
        Ok(())
    }

    /// An error for moves that no rules allow.
    fn check_stones(&self, color: Color, mv: Move) -> Result<(), IllegalMove> {
        let Move::Play(point) = mv else {
            return Ok(());
        };
        if !self.board.contains(point) {
            return Err(IllegalMove::OffBoard);
        }
        if !self.board.is_empty(point) {
            return Err(IllegalMove::Occupied);
        }
        match self.board.is_suicide(point, color, true) {
            true => Err(IllegalMove::Suicide),
            false => Ok(()),
        }
    }

    /// Sets the player to move, as when a game is set up by hand. If that changes it, the history
    /// restarts from the current stones.
    pub fn set_to_move(&mut self, color: Color) {
        if color != self.status.to_move {
            self.begin_history(color);
        }
    }

    /// Resumes a game that is over, as players do after scoring: the passes that ended it no longer
    /// count.
    pub fn resume(&mut self) {
        if self.is_over() {
            self.go_on();
            self.status.passes = 0;
            self.status.pass_keys_from = self.pass_keys.len();
        }
    }

    /// Has a game that is over go on after the passes that ended it: another pass ends it again.
    pub fn go_on(&mut self) {
        if self.is_over() {
            self.status.end = GameEnd::Ongoing;
            self.show_last_turn_only();
        }
    }

    /// Has network inputs show none of the moves before the last one: after an end they were never trained on more.
    fn show_last_turn_only(&mut self) {
        let status = &mut self.status;
        status.valid_turns = status.valid_turns.min(1);
        status.lawful_turns = status.lawful_turns.min(1);
    }

    /// Has network inputs show none of the moves made so far. What the rules know of them (ko, repetitions)
    /// stays.
    pub fn hide_history(&mut self) {
        self.status.valid_turns = 0;
        self.status.lawful_turns = 0;
    }

    /// Undoes the last move and returns it; none at the start.
    pub fn undo(&mut self) -> Option<(Color, Move)> {
        let turn = self.turns.pop()?;
        self.forget_legality();
        if let Some(played) = &turn.played {
            let from = self.removed.len() - played.removed;
            self.board.undo(played, &self.removed[from..]);
            self.removed.truncate(from);
        }
        self.board.set_ko(turn.ko_before);
        self.keys.truncate(turn.keys_before);
        self.pass_keys.truncate(turn.pass_keys_before);
        if let (true, Move::Play(point)) = (turn.newly_touched, turn.mv) {
            self.touched.remove(point);
        }
        if turn.saved_encore {
            self.encore = self.saved_encores.pop().expect("saved with the turn");
        }
        self.status = turn.before;
        Some((turn.color, turn.mv))
    }

    /// Restarts the history from the current stones: no ko, no passes, nothing to repeat. Rules,
    /// komi and phase stay.
    pub(super) fn begin_history(&mut self, to_move: Color) {
        self.forget_legality();
        self.board.clear_ko();
        let stones = PerColor(Color::BOTH.map(|color| self.board.stone_count(color)));
        let prisoners = PerColor(Color::BOTH.map(|color| self.board.captures(color) as i32));
        let bonus = match self.rules.scoring {
            Scoring::Area => 0,
            Scoring::Territory => {
                stones[Color::Black] as i32
                    - stones[Color::White] as i32
                    - (prisoners[Color::White] - prisoners[Color::Black])
            }
        };
        if let Some(encore) = &mut self.encore {
            **encore = Encore::new(self.status.phase, &self.board);
        }
        self.status = Status {
            to_move,
            phase: self.status.phase,
            passes: 0,
            keys_from: self.keys.len(),
            pass_keys_from: self.pass_keys.len(),
            valid_turns: 0,
            lawful_turns: 0,
            bonus_half: 2 * bonus,
            button: self.rules.has_button,
            end: GameEnd::Ongoing,
            history_from: self.turns.len(),
            start_stones: stones,
        };
        self.keys.push(self.situation_key());
    }

    /// Plays a move. `before` and `ko_before` are restored by undo.
    fn make(&mut self, mv: Move, legal: bool, before: Status, ko_before: Option<Point>) {
        self.forget_legality();
        let color = self.status.to_move;
        let mut turn = Turn {
            color,
            mv,
            played: None,
            before,
            ko_before,
            keys_before: self.keys.len(),
            pass_keys_before: self.pass_keys.len(),
            newly_touched: false,
            saved_encore: self.encore.is_some(),
        };
        if turn.saved_encore {
            self.saved_encores.push(self.encore.clone());
        }
        self.go_on();
        let mut pass_repeated = false;
        let mut for_ko = false;
        match mv {
            Move::Pass => pass_repeated = self.make_pass(color),
            Move::Play(point) => {
                self.status.passes = 0;
                for_ko = self.make_play(point, color, &mut turn);
            }
        }
        self.status.to_move = !color;
        let key = self.situation_key();
        self.keys.push(key);
        self.status.valid_turns += 1;
        self.status.lawful_turns = if legal {
            self.status.lawful_turns + 1
        } else {
            0
        };
        // A stone on a point never occupied gives a new position, unless it dies at once.
        let survives = turn.played.is_none_or(|played| !played.suicide);
        let may_repeat = mv != Move::Pass && !(turn.newly_touched && survives);
        self.turns.push(turn);
        if self.rules.scoring == Scoring::Territory
            && self.status.phase <= 1
            && mv != Move::Pass
            && !for_ko
        {
            self.status.bonus_half += if color == Color::Black { 2 } else { -2 };
        }
        if self.status.passes >= 2 || pass_repeated {
            match self.is_left_open(self.turns.len() - 1, self.status.passes, pass_repeated) {
                true => self.show_last_turn_only(),
                false => self.end_phase(),
            }
        }
        if may_repeat && self.is_spightlike() {
            let seen = &self.keys[self.status.keys_from..];
            if seen.iter().filter(|&&earlier| earlier == key).count() >= 3 {
                self.status.end = GameEnd::NoResult;
            }
        }
    }

    /// Returns whether the same player has passed in the same situation before and the rules end
    /// the phase then.
    fn make_pass(&mut self, color: Color) -> bool {
        let key = self.situation_key();
        self.board.clear_ko();
        if self.status.button {
            self.status.button = false;
            self.status.bonus_half += if color == Color::White { 1 } else { -1 };
            self.status.passes = 0;
            self.status.keys_from = self.keys.len();
            self.status.pass_keys_from = self.pass_keys.len();
            return false;
        }
        if self.is_spightlike() {
            self.status.keys_from = self.keys.len();
        }
        self.status.passes += 1;
        let repeated = self.is_spightlike() && self.has_passed_here(color, key);
        self.pass_keys.push((color, key));
        repeated
    }

    /// Returns whether the move was only a pass for a ko.
    fn make_play(&mut self, point: Point, color: Color, turn: &mut Turn) -> bool {
        turn.newly_touched = self.touched.insert(point);
        if let Some(encore) = &mut self.encore
            && let Some(ko) = encore.unblocked_by(&self.board, point, color)
        {
            encore.unblock(ko);
            self.board.clear_ko();
            return true;
        }
        let stones_before = self.board.hash();
        turn.played = Some(self.board.play(point, color, &mut self.removed));
        if let Some(encore) = &mut self.encore {
            encore.after_move(&mut self.board, stones_before, point, color);
        }
        false
    }

    /// Whether a pass now would end the game, but leaves it open, see [`Position::leave_open`].
    pub fn pass_leaves_open(&self) -> bool {
        let (turn, passes) = (self.turns.len(), self.status.passes + 1);
        self.pass_would_end_phase() && self.is_left_open(turn, passes, self.pass_would_repeat())
    }

    /// Whether a pass of this turn that would end the game, after which there are so many in a row, leaves it open. One
    /// that repeats an earlier one does so only where the search began.
    fn is_left_open(&self, turn: usize, passes: u32, is_repeated: bool) -> bool {
        let is_agreed = self.rules.friendly_pass_ok && passes == 2 && !is_repeated;
        let is_left = |from| from == turn || is_agreed;
        self.rules.scoring == Scoring::Area && self.left_open_from.is_some_and(is_left)
    }

    fn end_phase(&mut self) {
        let status = &mut self.status;
        if self.rules.scoring == Scoring::Area || status.phase >= 2 {
            status.end = GameEnd::Scored;
            if std::mem::take(&mut status.button) {
                status.bonus_half += if status.to_move == Color::White {
                    1
                } else {
                    -1
                };
            }
        } else if !self.encore_allowed {
            status.end = GameEnd::Passed;
            self.show_last_turn_only();
        } else {
            status.phase += 1;
            status.valid_turns = 0;
            status.passes = 0;
            status.pass_keys_from = self.pass_keys.len();
            let turn = self.turns.last_mut().expect("a pass was just made");
            if !std::mem::replace(&mut turn.saved_encore, true) {
                self.saved_encores.push(self.encore.take());
            }
            self.encore = Some(Box::new(Encore::new(self.status.phase, &self.board)));
            self.status.keys_from = self.keys.len();
            let key = self.situation_key();
            self.keys.push(key);
        }
    }
}
