//! A position of a game: the stones, and whose turn it is.

use anyhow::{Result, bail, ensure};

use super::board::{Board, Point};
use super::classes::PointClass;
use super::forbidden::forbidden;
use super::notation::point_text;
use super::rule::{Color, LARGEST, Variant};
use crate::minimax::{Position, Score, Verdict, Wanted};
use crate::search::game::Side;

/// A position.
#[derive(Clone, Debug)]
pub struct GomokuPosition {
    board: Board,
    to_move: Color,
    /// The side that is not to move has completed a row.
    is_won: bool,
}

impl PartialEq for GomokuPosition {
    fn eq(&self, other: &GomokuPosition) -> bool {
        let variant = |position: &GomokuPosition| position.board.variant();
        variant(self) == variant(other)
            && self.to_move == other.to_move
            && self.board.stones() == other.board.stones()
    }
}

impl GomokuPosition {
    /// The empty board.
    pub fn start(variant: Variant) -> GomokuPosition {
        GomokuPosition {
            board: Board::new(variant),
            to_move: Color::Black,
            is_won: false,
        }
    }

    /// The position with these stones, in any order. The color to move follows from their numbers. An error if points
    /// are taken twice, the numbers do not fit, or the side to move has already won.
    pub fn with_stones(variant: Variant, stones: &[(Point, Color)]) -> Result<GomokuPosition> {
        let mut position = GomokuPosition::start(variant);
        for &(point, color) in stones {
            let text = || point_text(variant, point);
            ensure!(
                usize::from(point) < variant.points(),
                "a stone is beyond the board"
            );
            ensure!(
                position.board.at(point).is_none(),
                "{} has two stones",
                text()
            );
            position.board.place(point, color);
        }
        let [black, white] = Color::BOTH.map(|color| position.board.stone_count(color));
        position.to_move = match black {
            _ if black == white => Color::Black,
            _ if black == white + 1 => Color::White,
            _ => {
                bail!("Black has as many stones as White or one more, not {black} against {white}")
            }
        };
        let rows = Color::BOTH.map(|color| position.has_row(color));
        ensure!(
            !rows[position.to_move as usize],
            "{} is to move, but has won already",
            position.to_move
        );
        position.is_won = rows[position.to_move.other() as usize];
        Ok(position)
    }

    /// Whether a color has a row that wins.
    fn has_row(&self, color: Color) -> bool {
        let mut points = self.board.points();
        points
            .any(|point| self.board.at(point) == Some(color) && self.board.is_in_row(point, color))
    }

    /// Stones and what they make.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Rule and size of the board.
    pub fn variant(&self) -> Variant {
        self.board.variant()
    }

    /// The color to move.
    pub fn color(&self) -> Color {
        self.to_move
    }

    /// The color that has won.
    pub fn winner(&self) -> Option<Color> {
        self.is_won.then_some(self.to_move.other())
    }

    /// Takes back the last move.
    pub fn undo(&mut self, last: Point) {
        self.to_move = self.to_move.other();
        self.board.remove(last);
        self.is_won = false;
    }

    /// Whether a point is empty and not forbidden.
    pub fn is_legal(&self, point: Point) -> bool {
        usize::from(point) < self.variant().points()
            && self.board.at(point).is_none()
            && forbidden(&self.board, point, self.to_move).is_none()
    }

    /// An error that names the rule if a move is illegal.
    pub fn check(&self, point: Point) -> Result<()> {
        let variant = self.variant();
        ensure!(
            usize::from(point) < variant.points(),
            "there is no such point on a board of {}x{}",
            variant.width,
            variant.height
        );
        ensure!(!self.is_won, "the game is over");
        let text = point_text(variant, point);
        ensure!(self.board.at(point).is_none(), "{text} is occupied");
        match forbidden(&self.board, point, self.to_move) {
            Some(reason) => bail!("{text} is forbidden: {reason}"),
            None => Ok(()),
        }
    }

    /// A legal move where the mover completes a row.
    pub fn five(&self, color: Color) -> Option<Point> {
        match self.board.count(color, PointClass::Five) {
            0 => None,
            _ => self
                .board
                .with_class(color, |class| class == PointClass::Five)
                .next(),
        }
    }

    /// A legal move of the side to move that makes a four with no single answer; none where a row is also stopped beyond
    /// its ends.
    pub fn straight_four(&self) -> Option<Point> {
        let is_stopped = self.variant().rule.stops_beyond();
        if is_stopped || self.board.count(self.to_move, PointClass::Winning) == 0 {
            return None;
        }
        let mut found = self
            .board
            .with_class(self.to_move, |class| class == PointClass::Winning);
        found.find(|&point| self.is_legal(point))
    }
}

impl Position for GomokuPosition {
    type Move = Point;

    const SHAPES: usize = LARGEST * LARGEST;

    fn to_move(&self) -> Side {
        self.to_move.side()
    }

    fn key(&self) -> u64 {
        self.board.key() ^ u64::from(self.to_move == Color::White)
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<Point>) {
        match wanted {
            _ if self.is_won => {}
            Wanted::All => list.extend(self.board.points().filter(|&point| self.is_legal(point))),
            Wanted::Forcing => list.extend(self.five(self.to_move)),
        }
    }

    fn worthwhile(&self, list: &mut Vec<Point>) {
        self.candidates(list);
    }

    fn has_moves(&self) -> bool {
        !self.is_won && self.board.points().any(|point| self.is_legal(point))
    }

    fn play(&mut self, mv: Point) {
        self.is_won = self.board.class(mv, self.to_move) == PointClass::Five;
        self.board.place(mv, self.to_move);
        self.to_move = self.to_move.other();
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        match () {
            () if self.is_won => Some(Verdict::Lost),
            () if self.board.is_full() => Some(Verdict::Drawn),
            // Only forbidden points are left.
            () if is_stuck => Some(Verdict::Lost),
            () => None,
        }
    }

    fn is_settled(&self) -> bool {
        self.board.count(self.to_move.other(), PointClass::Five) == 0
    }

    fn reversible(&self) -> u32 {
        0
    }

    fn pass(&self) -> Option<GomokuPosition> {
        let mut position = self.clone();
        position.to_move = self.to_move.other();
        Some(position)
    }

    fn gain(&self, mv: Point) -> Score {
        self.urgency_of(mv)
    }

    fn code(&self, mv: Point) -> u16 {
        mv + 1
    }

    fn shape(&self, mv: Point) -> usize {
        usize::from(mv)
    }
}
