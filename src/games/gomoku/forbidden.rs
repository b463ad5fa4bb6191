//! Forbidden points of Black in renju, by the recursive definition (Renju International Federation, rules 9.2
//! and 9.3): a three counts only if the point that makes it a straight four is not forbidden itself.

use std::fmt;

use super::board::{Board, Point, Stones};
use super::geometry::DIRECTIONS;
use super::lines::LineClass;
use super::rule::Color;

/// Why a point is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// Six or more in a row.
    Overline,
    /// Two fours or more.
    DoubleFour,
    /// Two threes or more.
    DoubleThree,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Forbidden::Overline => "overline",
            Forbidden::DoubleFour => "double four",
            Forbidden::DoubleThree => "double three",
        })
    }
}

/// Why an empty point is forbidden to a color, if it is.
pub fn forbidden(board: &Board, point: Point, color: Color) -> Option<Forbidden> {
    if !board.variant().rule.restricts(color) {
        return None;
    }
    let lines = board.line_classes(point, color);
    let by_lines = by_lines(lines);
    by_lines.unwrap_or_else(|| double_three(board, board.stones(), point, lines))
}

/// The answer that lines give without recursion; none if there may be a double three.
fn by_lines(lines: [LineClass; DIRECTIONS]) -> Option<Option<Forbidden>> {
    if lines.contains(&LineClass::Five) {
        return Some(None);
    }
    if lines.contains(&LineClass::Overline) {
        return Some(Some(Forbidden::Overline));
    }
    if lines.iter().map(|line| line.fours()).sum::<usize>() > 1 {
        return Some(Some(Forbidden::DoubleFour));
    }
    let threes = lines.iter().filter(|line| line.is_three()).count();
    (threes < 2).then_some(None)
}

/// The same among stones that are not all on the board.
fn among(board: &Board, stones: &Stones, point: Point) -> Option<Forbidden> {
    let lines = classes(board, stones, point);
    by_lines(lines).unwrap_or_else(|| double_three(board, stones, point, lines))
}

fn classes(board: &Board, stones: &Stones, point: Point) -> [LineClass; DIRECTIONS] {
    std::array::from_fn(|direction| board.seen(stones, point, Color::Black, direction))
}

/// Whether at least two of the lines with a three have a real one.
fn double_three(
    board: &Board,
    stones: &Stones,
    point: Point,
    lines: [LineClass; DIRECTIONS],
) -> Option<Forbidden> {
    let mut after = stones.clone();
    after.set(board.geometry(), point, Color::Black);
    let threes = (0..DIRECTIONS).filter(|&direction| lines[direction].is_three());
    let real = threes.filter(|&direction| is_three(board, &after, point, direction));
    (real.take(2).count() == 2).then_some(Forbidden::DoubleThree)
}

/// Whether a stone's three on a line may become a straight four. Its row is among `stones`.
fn is_three(board: &Board, stones: &Stones, point: Point, direction: usize) -> bool {
    let completes = |end: Point| {
        let lines = classes(board, stones, end);
        lines[direction] == LineClass::StraightFour
            && !lines.contains(&LineClass::Five)
            && among(board, stones, end).is_none()
    };
    board
        .beside(stones, point, Color::Black, direction)
        .any(completes)
}
