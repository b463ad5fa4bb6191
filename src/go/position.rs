//! A position of a game: the board, the turn, and all history that the rules depend on (ko bans,
//! passes, phases, komi bonuses).
//!
//! The state and its transitions follow KataGo's, so that networks trained there get the inputs
//! they know. Under territory scoring a game can continue after two passes with two clean-up phases
//! (the *encore*), in which a captured ko is blocked until its owner passes for it; servers and
//! GUIs do not have them, so by default two passes just mark the end ([`GameEnd::Passed`]), and a
//! search enables them with [`Position::allow_encore`].
//!
//! Moves can be taken back to the start. Cloning copies a few flat arrays.

use std::sync::OnceLock;

use super::board::{Board, Played};
use super::color::{Color, PerColor};
use super::encore::Encore;
use super::komi::Komi;
use super::point::{BoardSize, Move, Point};
use super::point_set::PointSet;
use super::rules::Rules;

mod bonus;
mod key;
mod legality;
mod play;
mod with_rules;

pub use legality::IllegalMove;

/// Whether and how a game has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameEnd {
    /// The game goes on.
    #[default]
    Ongoing,
    /// By two passes under territory scoring without an encore: players agree on dead stones, then
    /// it can be scored.
    Passed,
    /// By the rules, so that it can be scored as the board stands.
    Scored,
    /// In a long cycle, without result.
    NoResult,
}

/// State that changes with every move and is small enough to be stored for undo.
#[derive(Clone, Copy, Debug)]
struct Status {
    to_move: Color,
    /// 0 the game proper, 1 and 2 the encore.
    phase: u8,
    /// Consecutive passes that count towards the end.
    passes: u32,
    /// First entries of `keys` and `pass_keys` that still count.
    keys_from: usize,
    pass_keys_from: usize,
    /// Moves of this phase, and moves since the last one against the rules.
    valid_turns: usize,
    lawful_turns: usize,
    /// Points for White from the course of the game, in half points.
    bonus_half: i32,
    button: bool,
    end: GameEnd,
    /// First entry of `turns` in the current history, and the stones then on the board.
    history_from: usize,
    start_stones: PerColor<usize>,
}

/// A move, with what is needed to undo it.
#[derive(Clone, Copy, Debug)]
struct Turn {
    color: Color,
    mv: Move,
    played: Option<Played>,
    before: Status,
    ko_before: Option<Point>,
    keys_before: usize,
    pass_keys_before: usize,
    newly_touched: bool,
    saved_encore: bool,
}

/// A position with its history.
pub struct Position {
    rules: Rules,
    komi: Komi,
    encore_allowed: bool,
    /// The turn from which a search leaves the game open, see [`Position::leave_open`].
    left_open_from: Option<usize>,
    board: Board,
    status: Status,
    turns: Vec<Turn>,
    /// Stones removed by all turns, in order.
    removed: Vec<Point>,
    /// Keys of the positions reached, see [`Position::situation_key`].
    keys: Vec<u128>,
    /// Keys of positions in which a player passed.
    pass_keys: Vec<(Color, u128)>,
    /// Points ever occupied.
    touched: PointSet,
    encore: Option<Box<Encore>>,
    /// Values of `encore` before the turns that changed it.
    saved_encores: Vec<Option<Box<Encore>>>,
    /// See [`Position::superko_banned`]; found when first asked for.
    superko_banned: OnceLock<PointSet>,
    /// The points of [`Position::legal_moves`]; found when first asked for.
    legal: OnceLock<PointSet>,
}

/// Moves that are played on a copy without another allocation.
const ROOM: usize = 32;

/// With room for further moves, since searches copy positions to play on.
impl Clone for Position {
    fn clone(&self) -> Position {
        Position {
            rules: self.rules,
            komi: self.komi,
            encore_allowed: self.encore_allowed,
            left_open_from: self.left_open_from,
            board: self.board.clone(),
            status: self.status,
            turns: with_room(&self.turns),
            removed: with_room(&self.removed),
            keys: with_room(&self.keys),
            pass_keys: self.pass_keys.clone(),
            touched: self.touched,
            encore: self.encore.clone(),
            saved_encores: self.saved_encores.clone(),
            superko_banned: self.superko_banned.clone(),
            legal: self.legal.clone(),
        }
    }
}

fn with_room<T: Copy>(items: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(items.len() + ROOM);
    copy.extend_from_slice(items);
    copy
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
            end: GameEnd::Ongoing,
            history_from: 0,
            start_stones: PerColor([0; 2]),
        };
        let mut position = Position {
            rules,
            komi,
            encore_allowed: false,
            left_open_from: None,
            board,
            status,
            turns: Vec::new(),
            removed: Vec::new(),
            keys: Vec::new(),
            pass_keys: Vec::new(),
            touched,
            encore: None,
            saved_encores: Vec::new(),
            superko_banned: OnceLock::new(),
            legal: OnceLock::new(),
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

    /// The player to move, if players alternate.
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

    /// Whether and how the game has ended.
    pub fn end(&self) -> GameEnd {
        self.status.end
    }

    /// Whether the game is over by the rules, with a result or without.
    pub fn is_finished(&self) -> bool {
        matches!(self.end(), GameEnd::Scored | GameEnd::NoResult)
    }

    /// Whether the game has ended, so that players would stop.
    pub fn is_over(&self) -> bool {
        self.end() != GameEnd::Ongoing
    }

    /// Whether the game is over by a single pass: the same player had passed in the same situation
    /// before. Controllers that wait for two passes in a row assume that it goes on.
    pub fn is_over_by_one_pass(&self) -> bool {
        self.is_over() && self.status.passes == 1
    }

    /// Whether the button is still to be taken.
    pub fn has_button(&self) -> bool {
        self.status.button
    }

    /// Point where a simple ko forbids to play.
    pub fn ko(&self) -> Option<Point> {
        self.board.ko()
    }

    /// What the encore adds to the state; none in the game proper.
    pub fn encore(&self) -> Option<&Encore> {
        self.encore.as_deref()
    }

    /// The moves, oldest first, without setup stones.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = (Color, Move)> + ExactSizeIterator + '_ {
        self.turns.iter().map(|turn| (turn.color, turn.mv))
    }

    /// The number of moves.
    pub fn turn(&self) -> usize {
        self.turns.len()
    }

    /// Maximal history for networks: moves of the current phase, only one right after the game's
    /// end.
    pub fn valid_turns(&self) -> usize {
        self.status.valid_turns
    }

    /// The same, counted from the last illegal move.
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

    /// Has a search from here play on after passes that would end the game under area scoring: after two of them where
    /// players agree on dead stones, since it does not know what they will agree on; and, under any such rules, after
    /// a pass made now, so that the mover is shown what else it has (KataGo: `conservativePass`).
    pub fn leave_open(&mut self) {
        self.left_open_from = Some(self.turns.len());
    }

    /// Makes two passes under territory scoring lead into the clean-up phases.
    pub fn allow_encore(&mut self, allowed: bool) {
        self.encore_allowed = allowed;
    }
}
