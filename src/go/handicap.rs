//! Handicap stones: the fixed points of the GTP draft, and points for any other number.

use smallvec::SmallVec;

use super::board::Board;
use super::color::Color;
use super::point::{BoardSize, Point};

/// Lines, counted from 0, that carry star points on a side of this length: the fourth line from
/// size 13 up, the third below (GTP draft 2, section 4.1.1), and the middle one of odd sides.
pub fn star_lines(side: usize) -> SmallVec<[usize; 3]> {
    let edge = if side >= 13 { 3 } else { 2 };
    match side {
        0..7 => SmallVec::new(),
        7 => SmallVec::from_slice(&[edge, side - 1 - edge]),
        _ if side % 2 == 1 => SmallVec::from_slice(&[edge, side / 2, side - 1 - edge]),
        _ => SmallVec::from_slice(&[edge, side - 1 - edge]),
    }
}

/// The largest number of fixed handicap stones; 0 where there is no table.
pub fn fixed_limit(size: BoardSize) -> usize {
    match star_lines(size.width())
        .len()
        .min(star_lines(size.height()).len())
    {
        0 => 0,
        3 => 9,
        _ => 4,
    }
}

/// The fixed places of `stones` handicap stones; none for a number the table lacks.
pub fn fixed(size: BoardSize, stones: usize) -> Option<Vec<Point>> {
    if stones < 2 || stones > fixed_limit(size) {
        return None;
    }
    let (columns, rows) = (star_lines(size.width()), star_lines(size.height()));
    let (left, right) = (columns[0], columns[columns.len() - 1]);
    let (bottom, top) = (rows[0], rows[rows.len() - 1]);
    let (middle, center) = (size.width() / 2, size.height() / 2);
    let places = [
        (left, bottom),
        (right, top),
        (left, top),
        (right, bottom),
        (left, center),
        (right, center),
        (middle, bottom),
        (middle, top),
    ];
    let has_center = stones >= 5 && stones % 2 == 1;
    let mut points: Vec<Point> = places[..stones - usize::from(has_center)]
        .iter()
        .map(|&(column, row)| Point::new(column, row))
        .collect();
    if has_center {
        points.push(Point::new(middle, center));
    }
    Some(points)
}

/// Points for any number of stones that leaves a point free: the fixed ones if there are any, then,
/// one after another, the point farthest from all stones and not too near the edge.
pub fn free(size: BoardSize, stones: usize) -> Vec<Point> {
    let stones = stones.min(size.area() - 1);
    if let Some(points) = fixed(size, stones) {
        return points;
    }
    let mut points = fixed(size, stones.min(fixed_limit(size))).unwrap_or_default();
    while points.len() < stones {
        let best = size
            .points()
            .filter(|p| !points.contains(p))
            .max_by_key(|&p| (spread(size, p, &points), std::cmp::Reverse(size.index(p))));
        points.extend(best);
    }
    points
}

/// Distance of a point from the stones placed, or from a line next to the edge.
fn spread(size: BoardSize, point: Point, placed: &[Point]) -> i64 {
    let squared = |a: Point, b: Point| {
        let (dx, dy) = (a.column().abs_diff(b.column()), a.row().abs_diff(b.row()));
        (dx * dx + dy * dy) as i64
    };
    let nearest = placed
        .iter()
        .map(|&p| squared(p, point))
        .min()
        .unwrap_or(i64::MAX);
    let to_edge = [
        point.column(),
        point.row(),
        size.width() - 1 - point.column(),
        size.height() - 1 - point.row(),
    ];
    let from_edge = to_edge.into_iter().min().unwrap_or(0) as i64;
    nearest.min((2 * from_edge + 1).pow(2))
}

/// Whether handicap stones can be put on all these points of an empty board.
pub fn is_valid_placement(board: &Board, points: &[Point]) -> bool {
    let count = points.len();
    let distinct = points
        .iter()
        .enumerate()
        .all(|(i, p)| !points[..i].contains(p));
    (2..board.size().area()).contains(&count)
        && distinct
        && points.iter().all(|&p| board.is_empty(p))
        && Color::BOTH
            .iter()
            .all(|&color| board.stone_count(color) == 0)
}
