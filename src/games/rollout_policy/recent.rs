//! Features of a move by what has just been played: distance, answers, nakade.

use smallvec::SmallVec;

use crate::go::{Board, Color, Point};

/// Names of the answers to the last move, one feature each.
pub(super) const ANSWERS: [&str; 6] = [
    // A liberty of an own chain that the last move has put in atari.
    "extend",
    // Capturing a chain beside such a chain.
    "counter",
    // Capturing the chain of the last move.
    "capture",
    // A liberty of an own chain beside the last move that has two left.
    "strengthen",
    // A liberty of the last move's chain if that has two.
    "chase",
    // The vital point of the space that the last capture has left.
    "nakade",
];
const EXTEND: usize = 0;
const COUNTER: usize = 1;
const CAPTURE: usize = 2;
const STRENGTHEN: usize = 3;
const CHASE: usize = 4;
const NAKADE: usize = 5;

/// Number of distances; the last stands for all that are larger.
pub(super) const DISTANCES: usize = 18;

/// What has been played last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// The last move; none for a pass.
    pub last: Option<Point>,
    /// The one before.
    pub before: Option<Point>,
    /// The vital point of the space that the last move's capture has left, if it has one.
    pub vital: Option<Point>,
}

impl Recent {
    /// After a move that removed these stones.
    #[must_use]
    pub fn after(self, played: Option<Point>, removed: &[Point]) -> Recent {
        Recent {
            last: played,
            before: self.last,
            vital: vital_point(removed),
        }
    }
}

/// The distance of two points (Coulom 2007): that of columns, that of rows, and the larger of the two
/// once more.
pub(super) fn distance(columns: usize, rows: usize) -> usize {
    (columns + rows + columns.max(rows)).min(DISTANCES - 1)
}

/// The same between points.
pub(super) fn distance_between(a: Point, b: Point) -> usize {
    distance(a.column().abs_diff(b.column()), a.row().abs_diff(b.row()))
}

/// The point of an eye space of three to six points that makes two eyes of it or prevents them, for the
/// shapes that have one: the point with the most neighbors.
fn vital_point(space: &[Point]) -> Option<Point> {
    if !(3..=6).contains(&space.len()) {
        return None;
    }
    let count = |&point: &Point| {
        let beside = space.iter().filter(|other| point.is_adjacent_to(**other));
        beside.count()
    };
    let mut degrees: SmallVec<[(usize, Point); 6]> =
        space.iter().map(|point| (count(point), *point)).collect();
    degrees.sort_by_key(|&(degree, _)| std::cmp::Reverse(degree));
    let shape: SmallVec<[usize; 6]> = degrees.iter().map(|&(degree, _)| degree).collect();
    let has_vital_point = matches!(
        shape[..],
        // Three in a row or bent; the pyramid; the cross and the bulky five; the rabbity six.
        [2, 1, 1] | [3, 1, 1, 1] | [4, 1, 1, 1, 1] | [3, 2, 2, 2, 1] | [4, 2, 2, 2, 1, 1]
    );
    has_vital_point.then(|| degrees[0].1)
}

/// The answers to the last move: points with the numbers of their features. A point may have several, but
/// no feature twice.
pub(super) fn answers(
    board: &Board,
    mover: Color,
    recent: &Recent,
) -> SmallVec<[(Point, usize); 16]> {
    let mut found = SmallVec::new();
    if let Some(vital) = recent.vital.filter(|&point| board.is_empty(point)) {
        found.push((vital, NAKADE));
    }
    let Some(last) = recent.last.filter(|&last| board.contains(last)) else {
        return found;
    };
    let mut add = |stone: Point, feature: usize| {
        for liberty in board.liberty_points(stone) {
            if !found.contains(&(liberty, feature)) {
                found.push((liberty, feature));
            }
        }
    };
    if board.color_at(last).is_some() {
        match board.liberties(last) {
            1 => add(last, CAPTURE),
            2 => add(last, CHASE),
            _ => {}
        }
    }
    for beside in board.neighbors(last) {
        if board.color_at(beside) != Some(mover) {
            continue;
        }
        match board.liberties(beside) {
            1 => {
                add(beside, EXTEND);
                for other in board.chain(beside).flat_map(Point::neighbors) {
                    if board.color_at(other) == Some(!mover) && board.liberties(other) == 1 {
                        add(other, COUNTER);
                    }
                }
            }
            2 => add(beside, STRENGTHEN),
            _ => {}
        }
    }
    found
}
