//! A starting position as a file or a user gives it: unchecked, until it becomes a
//! [`Position`].

use std::fmt;

use super::board::Board;
use super::color::Color;
use super::handicap;
use super::komi::Komi;
use super::point::{BoardSize, Point};
use super::point_set::PointSet;
use super::position::Position;
use super::rules::Rules;

/// A starting position, not yet checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Width and height.
    pub size: BoardSize,
    /// Stones on the board before the first move.
    pub stones: Vec<(Point, Color)>,
    /// Who moves first.
    pub to_move: Color,
    /// Rule set.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
}

/// What is wrong with a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// A stone is not on the board.
    OffBoard(Point),
    /// Two stones are on the same point.
    Twice(Point),
    /// The chain of this stone has no liberties.
    NoLiberties(Point),
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::OffBoard(point) => write!(f, "{point} is not on the board"),
            SetupError::Twice(point) => write!(f, "more than one stone on {point}"),
            SetupError::NoLiberties(point) => write!(f, "no liberties at {point}"),
        }
    }
}

impl std::error::Error for SetupError {}

/// All that is wrong with a setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupErrors(pub Vec<SetupError>);

impl fmt::Display for SetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors: Vec<String> = self.0.iter().map(SetupError::to_string).collect();
        f.write_str(&errors.join("; "))
    }
}

impl std::error::Error for SetupErrors {}

/// So many handicap stones leave no room on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStones(usize, BoardSize);

impl fmt::Display for TooManyStones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooManyStones(stones, size) = self;
        write!(f, "{stones} handicap stones leave no room on {size}")
    }
}

impl std::error::Error for TooManyStones {}

impl Setup {
    /// The empty board, Black to move.
    pub fn new(size: BoardSize, rules: Rules, komi: Komi) -> Setup {
        Setup {
            size,
            stones: Vec::new(),
            to_move: Color::Black,
            rules,
            komi,
        }
    }

    /// The same with handicap stones for Black, on the fixed places if there are any, White to move. An error if
    /// they leave no room.
    pub fn with_handicap(mut self, stones: usize) -> Result<Setup, TooManyStones> {
        if stones >= self.size.area() {
            return Err(TooManyStones(stones, self.size));
        }
        let points = handicap::free(self.size, stones);
        let stone = |point| (point, Color::Black);
        self.stones = points.into_iter().map(stone).collect();
        self.to_move = Color::White;
        Ok(self)
    }

    /// The position, or everything that is wrong.
    pub fn position(&self) -> Result<Position, SetupErrors> {
        let mut errors = Vec::new();
        let mut board = Board::new(self.size);
        let mut seen = PointSet::EMPTY;
        for &(point, color) in &self.stones {
            if !self.size.contains(point) {
                errors.push(SetupError::OffBoard(point));
            } else if !seen.insert(point) {
                errors.push(SetupError::Twice(point));
            } else {
                board.set_up(point, color);
            }
        }
        for point in seen.iter() {
            if board.chain_head(point) == point && board.liberties(point) == 0 {
                errors.push(SetupError::NoLiberties(point));
            }
        }
        if !errors.is_empty() {
            return Err(SetupErrors(errors));
        }
        Ok(Position::from_board(
            board,
            self.to_move,
            self.rules,
            self.komi,
        ))
    }
}
