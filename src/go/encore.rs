//! The clean-up phases of territory scoring, which decide life and death by play.
//!
//! A ko taken in the encore is *blocked*: it may be retaken only after its owner has passed for
//! that very ko, which is done by "playing" on it. The rules are those of KataGo's networks.

use super::board::Board;
use super::color::{Color, PerColor};
use super::point::Point;
use super::point_set::PointSet;
use super::zobrist;

/// State that exists only in the encore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encore {
    blocked: PointSet,
    /// Captures of kos: the stones before, the point played, and by whom.
    ko_captures: Vec<(u128, Point, Color)>,
    /// The stones at the start of the second phase; none before it.
    second_start: Option<PerColor<PointSet>>,
}

impl Encore {
    /// The start of phase 1 or 2.
    pub(crate) fn new(phase: u8, board: &Board) -> Encore {
        let start = || PerColor(Color::BOTH.map(|color| board.stones_of(color)));
        Encore {
            blocked: PointSet::EMPTY,
            ko_captures: Vec::new(),
            second_start: (phase >= 2).then(start),
        }
    }

    /// Stones that captured a ko and may not be recaptured before a pass for it.
    pub fn blocked(&self) -> &PointSet {
        &self.blocked
    }

    /// The stones of a color when the second phase began; none in the first.
    pub fn second_start(&self, color: Color) -> Option<&PointSet> {
        self.second_start.as_ref().map(|stones| &stones[color])
    }

    /// Whether the same ko was already captured by that color in the same position.
    pub(crate) fn forbids_recapture(&self, stones: u128, point: Point, color: Color) -> bool {
        self.ko_captures.contains(&(stones, point, color))
    }

    /// The blocked ko that playing on `point` would be a pass for: an opponent's blocked single
    /// stone in atari there, or the blocked stone that a stone there would capture.
    pub(crate) fn unblocked_by(&self, board: &Board, point: Point, color: Color) -> Option<Point> {
        if self.blocked.is_empty() {
            return None;
        }
        if board.color_at(point) == Some(!color) {
            let is_ko = board.chain_len(point) == 1 && board.liberties(point) == 1;
            return (is_ko && self.blocked.contains(point)).then_some(point);
        }
        board
            .ko_capture(point, color)
            .filter(|&target| self.blocked.contains(target))
    }

    pub(crate) fn unblock(&mut self, point: Point) {
        self.blocked.remove(point);
    }

    /// After a stone was played: blocks it if it captured a ko, and removes blocks whose stone is
    /// gone.
    pub(crate) fn after_move(
        &mut self,
        board: &mut Board,
        stones_before: u128,
        point: Point,
        color: Color,
    ) {
        if board.ko().is_some() {
            self.blocked.insert(point);
            self.ko_captures.push((stones_before, point, color));
            board.clear_ko();
        }
        let gone: Vec<Point> = self.blocked.iter().filter(|&p| board.is_empty(p)).collect();
        for point in gone {
            self.blocked.remove(point);
        }
    }

    /// Hash of the blocked points.
    pub(crate) fn blocked_hash(&self) -> u128 {
        self.blocked
            .iter()
            .fold(0, |hash, point| hash ^ zobrist::mark(point))
    }

    /// Hash of all that evaluations may depend on.
    pub(crate) fn hash(&self) -> u128 {
        let mut hash = self.blocked_hash();
        for color in Color::BOTH {
            for point in self
                .second_start(color)
                .into_iter()
                .flat_map(|set| set.iter())
            {
                hash ^= zobrist::stone(point, color).rotate_left(3);
            }
        }
        hash
    }
}
