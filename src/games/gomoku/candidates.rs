//! Which moves a search tries, and in which order.

use std::cmp::Reverse;

use super::board::Point;
use super::classes::PointClass;
use super::geometry::DIRECTIONS;
use super::lines::LineClass;
use super::position::GomokuPosition;
use super::rule::{Color, Variant};
use crate::minimax::{Position, Score, Wanted};

/// Most moves of a position that a search tries.
const WIDTH: usize = 20;

impl GomokuPosition {
    /// Appends the moves that a search tries: what completes or stops a row, what may stop a straight four, otherwise the
    /// points that look best.
    pub(super) fn candidates(&self, list: &mut Vec<Point>) {
        let (mover, other) = (self.color(), self.color().other());
        if self.winner().is_some() {
            return;
        }
        if self.board().is_empty() {
            list.push(self.center());
            return;
        }
        let rule = self.variant().rule;
        let stop = self.five(other).filter(|_| !rule.stops_beyond());
        let forced = self.five(mover).or(stop);
        let forced = forced.filter(|&point| self.is_legal(point));
        if let Some(point) = forced.or_else(|| self.straight_four()) {
            list.push(point);
            return;
        }
        if rule.stops_beyond() && self.board().count(other, PointClass::Five) > 0 {
            self.stops(list);
        }
        if list.is_empty() && self.board().count(other, PointClass::Winning) > 0 {
            self.defenses(list);
        }
        if list.is_empty() {
            self.lively(list);
        }
        let mut ranked: Vec<(Score, Point)> = list
            .iter()
            .map(|&point| (self.look(point), point))
            .collect();
        ranked.sort_by_key(|&(look, point)| (Reverse(look), point));
        list.clear();
        let legal = ranked
            .into_iter()
            .map(|(_, point)| point)
            .filter(|&point| self.is_legal(point));
        list.extend(legal.take(WIDTH));
        if list.is_empty() {
            self.moves(Wanted::All, list);
            self.center_first(list);
            list.truncate(WIDTH);
        }
    }

    /// What a move promises at first sight, in hundredths; 0 for a quiet move.
    pub(super) fn urgency_of(&self, mv: Point) -> Score {
        let (mover, other) = (self.color(), self.color().other());
        let own = match self.board().class(mv, mover) {
            PointClass::Five => 10_000,
            PointClass::Winning => 3_000,
            PointClass::FourThree => 2_000,
            PointClass::Threes => 400,
            _ => 0,
        };
        own + match self.board().class(mv, other) {
            PointClass::Five => 5_000,
            PointClass::Winning => 1_500,
            PointClass::FourThree => 1_000,
            _ => 0,
        }
    }

    /// How good a move looks.
    fn look(&self, point: Point) -> Score {
        let sum = |color| -> Score {
            let lines = self.board().line_classes(point, color);
            lines.iter().map(|line| line_value(*line)).sum()
        };
        3 * sum(self.color()) + 2 * sum(self.color().other())
    }

    /// The points that may keep the opponent from making a straight four, and fours of the side to move.
    pub(super) fn defenses(&self, list: &mut Vec<Point>) {
        let (mover, other) = (self.color(), self.color().other());
        let is_urgent = |&point: &Point| {
            [mover, other]
                .iter()
                .any(|&color| self.board().class(point, color).is_four())
        };
        list.extend(
            self.board()
                .points()
                .filter(is_urgent)
                .filter(|&point| self.is_legal(point)),
        );
    }

    /// Appends the legal moves after which the opponent has no row to complete, where rows are also stopped beyond their
    /// ends.
    fn stops(&self, list: &mut Vec<Point>) {
        let (mover, other) = (self.color(), self.color().other());
        let mut board = self.board().clone();
        let fives = board.with_class(other, |class| class == PointClass::Five);
        let fives: Vec<Point> = fives.collect();
        let mut near = fives.clone();
        for direction in 0..DIRECTIONS {
            near.extend(fives.iter().flat_map(|&five| board.around(five, direction)));
        }
        near.sort_unstable();
        near.dedup();
        near.retain(|&point| board.at(point).is_none() && self.is_legal(point));
        list.extend(near.into_iter().filter(|&point| {
            board.place(point, mover);
            let is_stopped = board.count(other, PointClass::Five) == 0;
            board.remove(point);
            is_stopped
        }));
    }

    /// The points where either side would have something.
    fn lively(&self, list: &mut Vec<Point>) {
        let is_lively = |&point: &Point| {
            let classes = Color::BOTH.map(|color| self.board().class(point, color));
            classes != [PointClass::Less; 2]
        };
        list.extend(self.board().points().filter(is_lively));
    }

    fn center(&self) -> Point {
        let Variant { width, height, .. } = self.variant();
        (width * (height / 2) + width / 2) as Point
    }

    /// Sorts points by their distance from the center.
    fn center_first(&self, list: &mut [Point]) {
        let (width, height) = (self.variant().width as i32, self.variant().height as i32);
        list.sort_by_key(|&point| {
            let (x, y) = (i32::from(point) % width, i32::from(point) / width);
            let (dx, dy) = (2 * x + 1 - width, 2 * y + 1 - height);
            dx * dx + dy * dy
        });
    }
}

/// Value of a line for the order of moves, by hand.
fn line_value(class: LineClass) -> Score {
    match class {
        LineClass::Less | LineClass::Overline => 0,
        LineClass::Two => 4,
        LineClass::ThreeBroken => 12,
        LineClass::Three => 16,
        LineClass::Four => 18,
        LineClass::TwoFours | LineClass::StraightFour => 200,
        LineClass::Five => 1_000,
    }
}
