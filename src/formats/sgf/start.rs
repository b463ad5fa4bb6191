//! The start of a record while it is read: stones and turn before the first move.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use crate::go::{BoardSize, Color, Point, PointSet, Position, Setup, handicap, record};

/// What is known of the start.
pub(super) struct Start {
    size: BoardSize,
    /// Stones by [`BoardSize::index`].
    stones: BTreeMap<usize, Color>,
    /// Who moves first, as `PL` says, ...
    stated_turn: Option<Color>,
    /// ... as the first move says, even if it is not read, ...
    first_color: Option<Color>,
    /// ... as the moves before a later set-up say.
    following_turn: Option<Color>,
}

impl Start {
    /// An empty board.
    pub(super) fn empty(size: BoardSize) -> Start {
        Start {
            size,
            stones: BTreeMap::new(),
            stated_turn: None,
            first_color: None,
            following_turn: None,
        }
    }

    /// A position reached in the game, from which the record starts over.
    pub(super) fn at(position: &Position) -> Start {
        let size = position.size();
        let stones = record::stones(position.board()).into_iter();
        Start {
            stones: stones
                .map(|(point, color)| (size.index(point), color))
                .collect(),
            following_turn: Some(position.to_move()),
            ..Start::empty(size)
        }
    }

    /// Takes what a node sets up.
    pub(super) fn set_up(
        &mut self,
        points: &[(Point, Option<Color>)],
        turn: Option<Color>,
    ) -> Result<()> {
        self.stated_turn = turn.or(self.stated_turn);
        let mut changed = PointSet::EMPTY;
        for &(point, content) in points {
            ensure!(changed.insert(point), "{point} is set up twice");
            let index = self.size.index(point);
            match content {
                Some(color) => self.stones.insert(index, color),
                None => self.stones.remove(&index),
            };
        }
        Ok(())
    }

    /// Takes the color of a move; that of the first counts.
    pub(super) fn see_move(&mut self, color: Color) {
        self.first_color.get_or_insert(color);
    }

    /// Puts stones and turn where they belong. `handicap` is the number of stones stated.
    pub(super) fn put_into(&self, setup: &mut Setup, handicap: usize) {
        setup.to_move = self.to_move(handicap);
        setup.stones = match self.unplaced_handicap(handicap) {
            Some(points) => points.into_iter().map(|p| (p, Color::Black)).collect(),
            None => {
                let stone = |(&index, &color)| (self.size.point_at(index), color);
                self.stones.iter().map(stone).collect()
            }
        };
    }

    fn to_move(&self, handicap: usize) -> Color {
        let stones = |color| {
            self.stones
                .values()
                .filter(|&&stone| stone == color)
                .count()
        };
        let is_handicap = stones(Color::White) == 0 && handicap.max(stones(Color::Black)) >= 2;
        let usual = if is_handicap {
            Color::White
        } else {
            Color::Black
        };
        self.stated_turn
            .or(self.first_color)
            .or(self.following_turn)
            .unwrap_or(usual)
    }

    /// The stones of a fixed handicap that is stated, but whose stones nobody set up or played.
    fn unplaced_handicap(&self, stated: usize) -> Option<Vec<Point>> {
        let is_unsaid = self.stated_turn.or(self.following_turn).is_none();
        if !self.stones.is_empty() || !is_unsaid || self.to_move(stated) == Color::Black {
            return None;
        }
        let mut points = handicap::fixed(self.size, stated)?;
        points.sort_by_key(|&point| self.size.index(point));
        Some(points)
    }
}
