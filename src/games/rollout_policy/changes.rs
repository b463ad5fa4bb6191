//! Which points a move concerns: those around it, around removed stones, and around chains whose few
//! liberties have changed.

use smallvec::SmallVec;

use crate::go::point::{MAX_SIZE, STRIDE};
use crate::go::{Board, Point};

/// Liberties from which on features no longer depend on their number.
const MANY: usize = 3;
/// Rows of points with one more at each end.
const ROWS: usize = MAX_SIZE + 2;

/// A set of points, a word for each row as in [`Point::raw`].
#[derive(Clone, Copy)]
pub(super) struct Changes([u32; ROWS]);

impl Changes {
    pub(super) const NONE: Changes = Changes([0; ROWS]);

    #[inline]
    pub(super) fn insert(&mut self, point: Point) {
        let raw = point.raw();
        self.0[raw / STRIDE] |= 1 << (raw % STRIDE);
    }

    /// The point and the eight around it.
    #[inline]
    fn insert_around(&mut self, point: Point) {
        let (row, column) = (point.raw() / STRIDE, point.raw() % STRIDE);
        let three = 7 << (column - 1);
        for row in &mut self.0[row - 1..=row + 1] {
            *row |= three;
        }
    }

    #[inline]
    pub(super) fn add(&mut self, other: &Changes) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// Takes out all points that a board can have.
    #[inline]
    pub(super) fn drain(&mut self, mut take: impl FnMut(Point)) {
        for row in 1..ROWS - 1 {
            // Columns 1 to 25.
            let mut rest = self.0[row] & ((1 << STRIDE) - 2);
            while rest != 0 {
                let column = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                take(Point::new(column - 1, row - 1));
            }
        }
        *self = Changes::NONE;
    }
}

/// The chains beside a point before a stone is played there: a stone of each with its liberties.
#[derive(Default)]
pub(super) struct Touched(SmallVec<[(Point, usize); 4]>);

impl Touched {
    #[inline]
    pub(super) fn by(board: &Board, point: Point) -> Touched {
        let beside = board.neighbors(point);
        let stones = beside.filter(|&beside| board.color_at(beside).is_some());
        Touched(
            stones
                .map(|stone| (stone, board.liberties(stone)))
                .collect(),
        )
    }

    /// The points whose features the move may have changed. `note` is told of the stones of all chains with
    /// few liberties whose number has changed.
    pub(super) fn changes(
        &self,
        board: &Board,
        point: Point,
        removed: &[Point],
        mut note: impl FnMut(Point),
    ) -> Changes {
        let mut changes = Changes::NONE;
        changes.insert_around(point);
        let Some(color) = board.color_at(point) else {
            return changes;
        };
        let mut done: SmallVec<[Point; 12]> = SmallVec::new();
        let mut mark = |stone: Point, before: usize, changes: &mut Changes| {
            let head = board.chain_head(stone);
            let now = board.liberties(stone);
            if before.min(now) < MANY && !done.contains(&head) {
                done.push(head);
                board.chain(stone).for_each(&mut note);
                mark_chain(board, stone, before == 1 || now == 1, changes);
            }
        };
        // The new chain's liberties are others than those of its parts, even if they are as many.
        let is_own = |&&(stone, _): &&(Point, usize)| board.color_at(stone) == Some(color);
        let parts = self.0.iter().filter(is_own).map(|&(_, before)| before);
        mark(point, parts.min().unwrap_or(MANY), &mut changes);
        for &(stone, before) in &self.0 {
            if board.color_at(stone) == Some(!color) {
                mark(stone, before, &mut changes);
            }
        }
        for &stone in removed {
            changes.insert_around(stone);
            for beside in board.neighbors(stone) {
                if board.color_at(beside).is_some() {
                    mark(beside, 1, &mut changes);
                }
            }
        }
        changes
    }
}

/// The surroundings of a chain; if it is or was in atari also where chains beside it can be captured.
fn mark_chain(board: &Board, stone: Point, is_atari: bool, changes: &mut Changes) {
    for stone in board.chain(stone) {
        changes.insert_around(stone);
        if !is_atari {
            continue;
        }
        let owner = board.color_at(stone);
        for beside in board.neighbors(stone) {
            let other = board.color_at(beside);
            if other.is_some() && other != owner && board.liberties(beside) == 1 {
                for liberty in board.liberty_points(beside) {
                    changes.insert(liberty);
                }
            }
        }
    }
}
