//! The start of a record while it is read: stones and turn before the first move.

use std::collections::BTreeMap;

use crate::go::{BoardSize, Color, GameRecord, Move, Point, Position, Setup, record};

/// What is known of the start.
pub(super) struct Start {
    size: BoardSize,
    /// Stones by [`BoardSize::index`].
    stones: BTreeMap<usize, Color>,
    /// The first player by `PL`, ...
    stated_turn: Option<Color>,
    /// ... by the first move, even if it is not read, ...
    first_color: Option<Color>,
    /// ... or by the moves before a later setup.
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

    /// The start of a restarted record: a position of the game.
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

    /// Applies the setup of a node.
    pub(super) fn set_up(&mut self, points: BTreeMap<Point, Option<Color>>, turn: Option<Color>) {
        self.stated_turn = turn.or(self.stated_turn);
        for (point, content) in points {
            let index = self.size.index(point);
            match content {
                Some(color) => self.stones.insert(index, color),
                None => self.stones.remove(&index),
            };
        }
    }

    pub(super) fn has_stones(&self) -> bool {
        !self.stones.is_empty()
    }

    /// Notes the color of a move; that of the first counts.
    pub(super) fn see_move(&mut self, color: Color) {
        self.first_color.get_or_insert(color);
    }

    /// Removes the stone of a point.
    pub(super) fn clear(&mut self, point: Option<Point>) {
        let index = point.map(|point| self.size.index(point));
        index.and_then(|index| self.stones.remove(&index));
    }

    pub(super) fn pass_turn_to(&mut self, color: Color) {
        self.following_turn = Some(color);
    }

    /// Completes stones and turn. `handicap` is the stated number of stones.
    pub(super) fn put_into(&self, setup: &mut Setup, handicap: usize) {
        setup.to_move = self.to_move(handicap);
        let stone = |(&index, &color)| (self.size.point_at(index), color);
        setup.stones = self.stones.iter().map(stone).collect();
    }

    fn to_move(&self, handicap: usize) -> Color {
        let stones = |color| {
            self.stones
                .values()
                .filter(|&&stone| stone == color)
                .count()
        };
        let is_handicap = stones(Color::White) == 0 && handicap.max(stones(Color::Black)) >= 2;
        let default = if is_handicap {
            Color::White
        } else {
            Color::Black
        };
        self.stated_turn
            .or(self.first_color)
            .or(self.following_turn)
            .unwrap_or(default)
    }

    /// A remark on stated handicap stones that are not where they should be.
    pub(super) fn handicap_remark(&self, record: &GameRecord) -> Option<String> {
        let stated = record.handicap;
        let has_white = self.stones.values().any(|&color| color == Color::White);
        if stated < 2 || has_white || self.following_turn.is_some() {
            return None;
        }
        let played = record.moves.iter();
        let played = played.take_while(|&&(color, mv)| color == Color::Black && mv != Move::Pass);
        match (self.stones.len(), played.count()) {
            (0, played) if played >= stated => None,
            (0, _) => Some(format!(
                "HA[{stated}]: the points of the handicap stones are missing, so there are none"
            )),
            (set_up, _) if set_up == stated => None,
            (set_up, _) => Some(format!("HA[{stated}], but {set_up} stones are set up")),
        }
    }
}
