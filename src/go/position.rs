//! A position of a game: the board, whose turn it is, and all of the game's past that the rules
//! look at (ko bans, passes, phases, komi bonuses).
//!
//! The state and its transitions follow KataGo's, so that networks trained there see what they
//! know. Under territory scoring a game can go on after two passes into two clean-up phases (the
//! *encore*), in which a ko once taken is blocked until its owner passes for it; on servers and
//! in GUIs nobody plays those, so by default two passes just mark the end
//! ([`Position::is_past_end`]), and a search switches them on with [`Position::allow_encore`].
//!
//! Moves can be taken back to the start. Cloning copies a few flat arrays.

use super::board::{Board, Played};
use super::color::{Color, PerColor};
use super::encore::Encore;
use super::komi::Komi;
use super::point::{BoardSize, Move, Point, PointSet};
use super::rules::{KoRule, Rules, Scoring};
use super::zobrist;

/// What changes with every move and is small enough to be kept for taking it back.
#[derive(Clone, Copy, Debug)]
struct Status {
    to_move: Color,
    /// 0 the game proper, 1 and 2 the encore.
    phase: u8,
    /// Consecutive passes that count towards the end.
    passes: u32,
    /// Where in `keys` and `pass_keys` the ones that still count begin.
    keys_from: usize,
    pass_keys_from: usize,
    /// Moves of this phase, and moves since the last one against the rules.
    valid_turns: usize,
    lawful_turns: usize,
    /// Points for White from the course of the game, in half points.
    bonus_half: i32,
    button: bool,
    finished: bool,
    no_result: bool,
    past_end: bool,
    /// Where in `turns` the present history begins, and the stones then on the board.
    history_from: usize,
    start_stones: PerColor<usize>,
}

/// A move made, with what is needed to take it back.
#[derive(Clone, Copy, Debug)]
struct Turn {
    color: Color,
    made: Move,
    played: Option<Played>,
    before: Status,
    ko_before: Option<Point>,
    keys_before: usize,
    pass_keys_before: usize,
    newly_touched: bool,
    saved_encore: bool,
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The point is not on the board.
    OffBoard,
    /// There is a stone.
    Occupied,
    /// It takes back a ko at once.
    Ko,
    /// It kills only the mover's own stones, and the rules forbid that.
    Suicide,
    /// It recreates an earlier position.
    Superko,
}

impl std::fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            IllegalMove::OffBoard => "not on the board",
            IllegalMove::Occupied => "point is occupied",
            IllegalMove::Ko => "ko",
            IllegalMove::Suicide => "suicide",
            IllegalMove::Superko => "superko",
        })
    }
}

impl std::error::Error for IllegalMove {}

/// A position with its past.
#[derive(Clone)]
pub struct Position {
    rules: Rules,
    komi: Komi,
    encore_allowed: bool,
    board: Board,
    status: Status,
    turns: Vec<Turn>,
    /// Stones removed by all turns, in order.
    removed: Vec<Point>,
    /// Keys of the positions reached, see [`Position::situation_key`].
    keys: Vec<u128>,
    /// Keys of positions in which somebody passed.
    pass_keys: Vec<(Color, u128)>,
    /// Points ever occupied.
    touched: PointSet,
    encore: Option<Box<Encore>>,
    /// What `encore` was before each turn that says so.
    saved_encores: Vec<Option<Box<Encore>>>,
}

impl Position {
    /// The empty board, Black to move.
    pub fn new(size: BoardSize, rules: Rules, komi: Komi) -> Position {
        Position::from_board(Board::new(size), Color::Black, rules, komi)
    }

    /// A game that starts from the stones of a board.
    pub fn from_board(board: Board, to_move: Color, rules: Rules, komi: Komi) -> Position {
        let touched = board.points().filter(|&p| !board.is_empty(p)).collect();
        let status = Status {
            to_move,
            phase: 0,
            passes: 0,
            keys_from: 0,
            pass_keys_from: 0,
            valid_turns: 0,
            lawful_turns: 0,
            bonus_half: 0,
            button: rules.has_button,
            finished: false,
            no_result: false,
            past_end: false,
            history_from: 0,
            start_stones: PerColor([0; 2]),
        };
        let mut position = Position {
            rules,
            komi,
            encore_allowed: false,
            board,
            status,
            turns: Vec::new(),
            removed: Vec::new(),
            keys: Vec::new(),
            pass_keys: Vec::new(),
            touched,
            encore: None,
            saved_encores: Vec::new(),
        };
        position.begin_history(to_move);
        position
    }

    /// The stones.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Width and height.
    pub fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// The rule set.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Komi as agreed, without any bonus.
    pub fn komi(&self) -> Komi {
        self.komi
    }

    /// Whose turn it is, supposing that players alternate.
    pub fn to_move(&self) -> Color {
        self.status.to_move
    }

    /// Passes in a row that count towards the end of the game.
    pub fn passes(&self) -> u32 {
        self.status.passes
    }

    /// 0 in the game proper, 1 and 2 in the clean-up phases of territory scoring.
    pub fn phase(&self) -> u8 {
        self.status.phase
    }

    /// Whether the game is over by the rules, so that it can be scored as the board stands.
    pub fn is_finished(&self) -> bool {
        self.status.finished
    }

    /// Whether the game ended in a long cycle, without result.
    pub fn is_no_result(&self) -> bool {
        self.status.no_result
    }

    /// Whether two passes ended the game under territory scoring where no encore is played.
    pub fn is_past_end(&self) -> bool {
        self.status.past_end
    }

    /// Whether players would now stop and count.
    pub fn is_over(&self) -> bool {
        self.status.finished || self.status.past_end
    }

    /// Whether the button is still to be taken.
    pub fn has_button(&self) -> bool {
        self.status.button
    }

    /// Where a simple ko forbids to play.
    pub fn ko(&self) -> Option<Point> {
        self.board.ko()
    }

    /// What the encore adds to the state; none in the game proper.
    pub fn encore(&self) -> Option<&Encore> {
        self.encore.as_deref()
    }

    /// The moves made, oldest first; stones of the starting position are not among them.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = (Color, Move)> + ExactSizeIterator + '_ {
        self.turns.iter().map(|turn| (turn.color, turn.made))
    }

    /// The number of moves made.
    pub fn turn(&self) -> usize {
        self.turns.len()
    }

    /// How many of the last moves networks may be shown: those of the present phase, only one
    /// right after the game's end.
    pub fn valid_turns(&self) -> usize {
        self.status.valid_turns
    }

    /// The same, counted from the last move that broke the rules.
    pub fn lawful_turns(&self) -> usize {
        self.status.lawful_turns.min(self.status.valid_turns)
    }

    /// The board as it was `back` moves ago; at most the start of the game.
    pub fn earlier_board(&self, back: usize) -> Board {
        let mut board = self.board.clone();
        let mut removed_until = self.removed.len();
        for (index, turn) in self.turns.iter().enumerate().rev().take(back) {
            if let Some(played) = &turn.played {
                let from = removed_until - played.removed;
                board.undo(played, &self.removed[from..removed_until]);
                removed_until = from;
            }
            let begins_history = index == self.status.history_from;
            board.set_ko(turn.ko_before.filter(|_| !begins_history));
        }
        board
    }

    /// Changes komi; nothing else of the state depends on it.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = komi;
    }

    /// Lets two passes under territory scoring lead into the clean-up phases.
    pub fn allow_encore(&mut self, allowed: bool) {
        self.encore_allowed = allowed;
    }

    /// Whether a move of the player to move is legal; passing always is.
    pub fn is_legal(&self, made: Move) -> bool {
        self.check(made).is_ok()
    }

    /// Why a move of the player to move is illegal, if it is.
    pub fn check(&self, made: Move) -> Result<(), IllegalMove> {
        let Move::Play(point) = made else {
            return Ok(());
        };
        let color = self.status.to_move;
        if !self.board.contains(point) {
            return Err(IllegalMove::OffBoard);
        }
        if self.passes_for_ko(point, color) {
            return Ok(());
        }
        if !self.board.is_empty(point) {
            return Err(IllegalMove::Occupied);
        }
        if self.status.phase == 0 && self.board.ko() == Some(point) {
            return Err(IllegalMove::Ko);
        }
        if self.board.is_suicide(point, color, self.rules.suicide) {
            return Err(IllegalMove::Suicide);
        }
        if self.is_superko_banned(point) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Whether superko (or, in the encore, the recapture of a ko) forbids the player to move an
    /// empty point that is otherwise legal.
    pub fn is_superko_banned(&self, point: Point) -> bool {
        let color = self.status.to_move;
        if let Some(encore) = &self.encore {
            return encore.forbids_recapture(self.board.hash(), point, color);
        }
        if self.rules.ko == KoRule::Simple
            || self.board.ko() == Some(point)
            || !self.board.is_empty(point)
            || self.board.is_suicide(point, color, self.rules.suicide)
        {
            return false;
        }
        // A stone on a point never occupied makes a new position, unless it dies at once.
        if !self.touched.contains(point) && !self.board.is_suicide(point, color, false) {
            return false;
        }
        let key = self.key_of(self.board.hash_after(point, color), !color);
        self.keys[self.status.keys_from..].contains(&key)
    }

    /// The points superko bans for the player to move.
    pub fn superko_banned(&self) -> PointSet {
        if self.rules.ko == KoRule::Simple && self.encore.is_none() {
            return PointSet::EMPTY;
        }
        let banned = |&p: &Point| self.board.is_empty(p) && self.is_superko_banned(p);
        self.board.points().filter(banned).collect()
    }

    /// The legal moves: points row by row from the top left, then the pass.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + '_ {
        let plays = self
            .board
            .points()
            .map(Move::Play)
            .filter(|&made| self.is_legal(made));
        plays.chain(std::iter::once(Move::Pass))
    }

    /// Makes a move of the player to move. Panics if it is illegal; for tests and scripts.
    pub fn play(&mut self, made: Move) {
        if let Err(reason) = self.try_play(made) {
            panic!("illegal move {made}: {reason}");
        }
    }

    /// Makes a move of the player to move, or says why it is illegal and changes nothing.
    pub fn try_play(&mut self, made: Move) -> Result<(), IllegalMove> {
        self.check(made)?;
        self.play_unchecked(made);
        Ok(())
    }

    /// Makes a move known to be legal.
    pub fn play_unchecked(&mut self, made: Move) {
        self.make(made, true, self.status, self.board.ko());
    }

    /// Makes a move as a game record or a referee reports it. The wrong color starts the history
    /// afresh from the present stones; superko and forbidden suicide are put up with, as the
    /// other side's rules may differ. What no rules allow is refused, and nothing changes.
    pub fn play_reported(&mut self, color: Color, made: Move) -> Result<(), IllegalMove> {
        let in_turn = color == self.status.to_move;
        let (before, ko_before) = (self.status, self.board.ko());
        let legal = in_turn && self.is_legal(made);
        if let (Move::Play(point), false) = (made, legal) {
            if !self.board.contains(point) {
                return Err(IllegalMove::OffBoard);
            }
            if !self.board.is_empty(point) {
                return Err(IllegalMove::Occupied);
            }
            if self.board.is_suicide(point, color, true) {
                return Err(IllegalMove::Suicide);
            }
            if in_turn && self.status.phase == 0 && ko_before == Some(point) {
                return Err(IllegalMove::Ko);
            }
        }
        let lengths = (self.keys.len(), self.pass_keys.len());
        let saved = (!in_turn).then(|| self.encore.clone());
        if !in_turn {
            self.begin_history(color);
        }
        let legal = if in_turn { legal } else { self.is_legal(made) };
        self.make(made, legal, before, ko_before);
        let turn = self.turns.last_mut().expect("a turn was just made");
        (turn.keys_before, turn.pass_keys_before) = lengths;
        if let Some(encore) = saved {
            if turn.saved_encore {
                self.saved_encores.pop();
            }
            turn.saved_encore = true;
            self.saved_encores.push(encore);
        }
        Ok(())
    }

    /// Gives the turn to a color, as when a game is set up by hand. If it was not its turn, the
    /// history starts afresh from the present stones.
    pub fn set_to_move(&mut self, color: Color) {
        if color != self.status.to_move {
            self.begin_history(color);
        }
    }

    /// Lets a game that is over go on, as when players resume it after counting.
    pub fn resume(&mut self) {
        if self.is_over() {
            self.begin_history(self.status.to_move);
        }
    }

    /// Takes back the last move and says what it was; none at the start.
    pub fn undo(&mut self) -> Option<(Color, Move)> {
        let turn = self.turns.pop()?;
        if let Some(played) = &turn.played {
            let from = self.removed.len() - played.removed;
            self.board.undo(played, &self.removed[from..]);
            self.removed.truncate(from);
        }
        self.board.set_ko(turn.ko_before);
        self.keys.truncate(turn.keys_before);
        self.pass_keys.truncate(turn.pass_keys_before);
        if let (true, Move::Play(point)) = (turn.newly_touched, turn.made) {
            self.touched.remove(point);
        }
        if turn.saved_encore {
            self.encore = self.saved_encores.pop().expect("saved with the turn");
        }
        self.status = turn.before;
        Some((turn.color, turn.made))
    }

    /// Identity of the situation as the ko rule in force sees it: the stones, blocked kos of the
    /// encore, and, unless superko is positional, who is to move.
    pub fn situation_key(&self) -> u128 {
        self.key_of(self.board.hash(), self.status.to_move)
    }

    /// What the ko rule compares: see [`Position::situation_key`].
    fn key_of(&self, stones: u128, to_move: Color) -> u128 {
        let blocked = self
            .encore
            .as_ref()
            .map_or(0, |encore| encore.blocked_hash());
        let positional = self.rules.ko == KoRule::Positional && self.status.phase == 0;
        let turn = if positional {
            0
        } else {
            zobrist::number(KEY_TURN, to_move as u64)
        };
        stones ^ blocked ^ turn
    }

    /// Whether playing there would be a pass to lift the block of a ko (encore only).
    fn passes_for_ko(&self, point: Point, color: Color) -> bool {
        let blocks = |encore: &Encore| encore.unblocked_by(&self.board, point, color).is_some();
        self.encore.as_deref().is_some_and(blocks)
    }

    /// Whether the ko rule makes a repeated pass in the same position end the phase.
    fn is_spightlike(&self) -> bool {
        self.status.phase > 0 || self.rules.ko == KoRule::Simple
    }

    fn has_passed_here(&self, color: Color, key: u128) -> bool {
        self.pass_keys[self.status.pass_keys_from..].contains(&(color, key))
    }

    /// Whether a pass now would repeat one in the same situation, where that is the end.
    fn pass_would_repeat(&self) -> bool {
        self.is_spightlike() && self.has_passed_here(self.status.to_move, self.situation_key())
    }

    /// Whether a pass now would end the phase (outside territory scoring, the game).
    pub fn pass_would_end_phase(&self) -> bool {
        self.status.passes + 1 >= 2 || self.pass_would_repeat()
    }

    /// Whether a pass now would end the game.
    pub fn pass_would_end_game(&self) -> bool {
        self.pass_would_end_phase()
            && (self.rules.scoring == Scoring::Area || self.status.phase >= 2)
    }

    /// Whether a pass now would be the second in a row and nothing else ends the game.
    pub fn pass_would_end_by_agreement(&self) -> bool {
        self.status.passes + 1 == 2 && !self.pass_would_repeat()
    }

    /// Stones given to Black at the start: those of the starting position, or several black moves
    /// before White's first; 0 if fewer than two.
    pub fn handicap_stones(&self) -> usize {
        if self.status.start_stones[Color::White] > 0 {
            return 0;
        }
        let history = &self.turns[self.status.history_from..];
        let is_play = |turn: &&Turn| turn.made != Move::Pass;
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

    /// Komi and bonuses in points, as the player to move sees them: what is added to that
    /// player's area count.
    pub fn self_komi(&self) -> f32 {
        let half = (self.bonus_half() + self.komi.half()) as f32;
        if self.status.to_move == Color::White {
            half / 2.0
        } else {
            -half / 2.0
        }
    }

    /// Whether the board can be drawn: komi is integer and no button makes up the half point.
    pub fn can_be_drawn(&self) -> bool {
        self.komi.is_integer() != self.rules.has_button
    }

    /// Identity for caches of evaluations: everything a network may be shown or the rules may
    /// look at. Positions with equal keys may share an evaluation.
    pub fn key(&self) -> u128 {
        let status = &self.status;
        let mut key = self.board.hash() ^ zobrist::number(KEY_TURN, status.to_move as u64);
        if let Some(ko) = self.board.ko() {
            key ^= zobrist::mark(ko).rotate_left(1);
        }
        for point in self.superko_banned().iter() {
            key ^= zobrist::mark(point).rotate_left(2);
        }
        if let Some(encore) = &self.encore {
            key ^= encore.hash();
        }
        let flags = [
            status.button,
            status.finished,
            status.past_end,
            self.encore_allowed,
        ]
        .iter()
        .fold(u64::from(status.phase), |bits, &flag| {
            bits << 1 | u64::from(flag)
        });
        key ^= zobrist::number(KEY_FLAGS, flags << 16 | u64::from(status.passes.min(3)));
        key ^= zobrist::number(KEY_ENDS, u64::from(self.pass_would_end_phase()));
        key ^= zobrist::number(KEY_KOMI, (self.komi.half() + self.bonus_half()) as u64);
        key ^= zobrist::number(KEY_RULES, self.rules.code());
        let size = self.size();
        key ^= zobrist::number(KEY_SIZE, (size.width() * 64 + size.height()) as u64);
        key ^ self.recent_key()
    }

    /// The last five moves and the two positions before this one.
    fn recent_key(&self) -> u128 {
        let shown = self.status.valid_turns.min(5);
        let mut key = 0;
        for (age, turn) in self.turns.iter().rev().take(shown).enumerate() {
            let place = turn.made.point().map_or(0, Point::raw) * 2 + turn.color as usize;
            key ^= zobrist::number(KEY_RECENT, (age << 32 | place) as u64);
        }
        let earlier = self.keys.iter().rev().skip(1).take(shown.min(2));
        earlier.enumerate().fold(key, |key, (age, earlier)| {
            key ^ earlier.rotate_left(7 + age as u32)
        })
    }

    /// Starts the history afresh from the present stones: no ko, no passes, nothing to repeat.
    /// Rules, komi and phase stay.
    fn begin_history(&mut self, to_move: Color) {
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
            finished: false,
            no_result: false,
            past_end: false,
            history_from: self.turns.len(),
            start_stones: stones,
        };
        self.keys.push(self.situation_key());
    }

    /// Makes a move. `before` and `ko_before` are what undoing it restores.
    fn make(&mut self, made: Move, legal: bool, before: Status, ko_before: Option<Point>) {
        let color = self.status.to_move;
        let mut turn = Turn {
            color,
            made,
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
        if self.is_over() {
            self.status.valid_turns = self.status.valid_turns.min(1);
            self.status.lawful_turns = self.status.lawful_turns.min(1);
            (self.status.finished, self.status.no_result) = (false, false);
            self.status.past_end = false;
        }
        let mut pass_repeated = false;
        let mut for_ko = false;
        match made {
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
        // A stone on a point never occupied makes a new position, unless it dies at once.
        let survives = turn.played.is_none_or(|played| !played.suicide);
        let may_repeat = made != Move::Pass && !(turn.newly_touched && survives);
        self.turns.push(turn);
        if self.rules.scoring == Scoring::Territory
            && self.status.phase <= 1
            && made != Move::Pass
            && !for_ko
        {
            self.status.bonus_half += if color == Color::Black { 2 } else { -2 };
        }
        if self.status.passes >= 2 || pass_repeated {
            self.end_phase();
        }
        if may_repeat && self.is_spightlike() {
            let seen = &self.keys[self.status.keys_from..];
            if seen.iter().filter(|&&earlier| earlier == key).count() >= 3 {
                (self.status.finished, self.status.no_result) = (true, true);
            }
        }
    }

    /// Returns whether the same player has passed in the same situation before and the rules
    /// take that as the end.
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

    /// Returns whether the move was but a pass for a ko.
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

    fn end_phase(&mut self) {
        let status = &mut self.status;
        if self.rules.scoring == Scoring::Area || status.phase >= 2 {
            status.finished = true;
            if std::mem::take(&mut status.button) {
                status.bonus_half += if status.to_move == Color::White {
                    1
                } else {
                    -1
                };
            }
        } else if !self.encore_allowed {
            status.past_end = true;
            status.valid_turns = status.valid_turns.min(1);
            status.lawful_turns = status.lawful_turns.min(1);
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

// Kinds of numbers hashed into keys.
const KEY_TURN: u8 = 0;
const KEY_FLAGS: u8 = 1;
const KEY_ENDS: u8 = 2;
const KEY_KOMI: u8 = 3;
const KEY_RULES: u8 = 4;
const KEY_SIZE: u8 = 5;
const KEY_RECENT: u8 = 6;
