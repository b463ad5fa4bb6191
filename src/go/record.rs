//! The record of a game: setup, moves, comments, result.
//!
//! A record is unchecked file content: [`GameRecord::position_at`] replays it and names an
//! impossible move. Moves are numbered from 1; 0 stands for the start.

use std::collections::BTreeMap;
use std::fmt;

use super::board::Board;
use super::color::{Color, PerColor};
use super::point::{Move, Point};
use super::position::{IllegalMove, Position};
use super::result::GameResult;
use super::setup::{Setup, SetupErrors};

/// A game from start to end, or as far as it went.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Size, stones before the first move, rules, komi, and who moves first.
    pub setup: Setup,
    /// Handicap stones as stated, by default 0. The stones are among those of `setup`.
    pub handicap: usize,
    /// The moves in order.
    pub moves: Vec<(Color, Move)>,
    /// Non-empty comments, by number of moves.
    pub comments: BTreeMap<usize, String>,
    /// Names of the players.
    pub names: PerColor<Option<String>>,
    /// Ranks of the players, as `9d`.
    pub ranks: PerColor<Option<String>>,
    /// Tournament or occasion.
    pub event: Option<String>,
    /// Date.
    pub date: Option<String>,
    /// The result, if recorded.
    pub result: Option<GameResult>,
    /// An unknown rule set named by the source; `setup` then has a default.
    pub unknown_rules: Option<String>,
}

/// Why a record cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The starting position is impossible.
    Setup(SetupErrors),
    /// A move is impossible under any rules.
    Move {
        /// Number of the move, from 1.
        number: usize,
        /// The color.
        color: Color,
        /// The move.
        mv: Move,
        /// Why it is impossible.
        reason: IllegalMove,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Setup(errors) => write!(f, "impossible setup: {errors}"),
            ReplayError::Move {
                number,
                color,
                mv,
                reason,
            } => write!(f, "move {number}, {color} {mv}: {reason}"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl GameRecord {
    /// A game of which only the start is known.
    pub fn new(setup: Setup) -> GameRecord {
        GameRecord {
            setup,
            handicap: 0,
            moves: Vec::new(),
            comments: BTreeMap::new(),
            names: PerColor::default(),
            ranks: PerColor::default(),
            event: None,
            date: None,
            result: None,
            unknown_rules: None,
        }
    }

    /// The game that led to a position, from its setup. If there are only black setup stones, at
    /// least two, they are stated as handicap.
    pub fn of(position: &Position) -> GameRecord {
        let moves: Vec<(Color, Move)> = position.moves().collect();
        let start = position.earlier_board(moves.len());
        let setup = Setup {
            size: position.size(),
            stones: stones(&start),
            to_move: moves.first().map_or(position.to_move(), |first| first.0),
            rules: *position.rules(),
            komi: position.komi(),
        };
        let (black, white) = (
            start.stone_count(Color::Black),
            start.stone_count(Color::White),
        );
        GameRecord {
            handicap: if black >= 2 && white == 0 { black } else { 0 },
            moves,
            ..GameRecord::new(setup)
        }
    }

    /// Leaves out the first impossible move and all that follows it; why, if there is one. An error where the start
    /// is impossible.
    pub fn cut_at_impossible_move(&mut self) -> Result<Option<ReplayError>, ReplayError> {
        match self.position() {
            Ok(_) => Ok(None),
            Err(error @ ReplayError::Move { number, .. }) => {
                self.moves.truncate(number.saturating_sub(1));
                self.comments.retain(|&moves, _| moves < number);
                Ok(Some(error))
            }
            Err(error @ ReplayError::Setup(_)) => Err(error),
        }
    }

    /// The position after all moves.
    pub fn position(&self) -> Result<Position, ReplayError> {
        self.position_at(self.moves.len())
    }

    /// The position after this many moves, or after all if there are fewer. Moves are checked as by
    /// [`Position::play_recorded`].
    pub fn position_at(&self, moves: usize) -> Result<Position, ReplayError> {
        let mut position = self.setup.position().map_err(ReplayError::Setup)?;
        for (index, &(color, mv)) in self.moves.iter().take(moves).enumerate() {
            position
                .play_recorded(color, mv)
                .map_err(|reason| ReplayError::Move {
                    number: index + 1,
                    color,
                    mv,
                    reason,
                })?;
        }
        Ok(position)
    }
}

/// The stones of a board, row by row from the top left.
pub fn stones(board: &Board) -> Vec<(Point, Color)> {
    board
        .points()
        .filter_map(|point| board.color_at(point).map(|color| (point, color)))
        .collect()
}
