//! Moves of a game by the policy. What the board alone says about a point is kept for both colors and
//! computed again only where a move has changed something; what recent moves say is multiplied in for each
//! move, row by row.

use std::sync::Arc;

use rand::Rng;

use super::changes::{Changes, Touched};
use super::recent::{Recent, answers};
use super::surroundings::{Contents, at_place, content, opposite, with_place};
use super::tables::{ROW, Tables};
use crate::go::point::MAX_SIZE;
use crate::go::{Board, Color, Point};

/// Factors that are multiplied together.
const BLOCK: usize = 8;

/// A number for each point, by row from the bottom and column.
type Factors = [[f32; ROW]; MAX_SIZE];

/// The factors of a board's points, and which of them have to be computed again.
pub struct Sampler {
    tables: Arc<Tables>,
    /// By color: what the board alone says. 0 at stones and off the board.
    by_board: [Factors; 2],
    contents: [Contents; 2],
    changed: [Changes; 2],
    touched: Touched,
    recent: Recent,
    /// With recent moves.
    now: Factors,
    /// Sums of its rows.
    rows: [f32; MAX_SIZE],
}

impl Sampler {
    /// For any board; [`Sampler::reset`] comes first.
    pub fn new(tables: Arc<Tables>) -> Sampler {
        Sampler {
            tables,
            by_board: [[[0.0; ROW]; MAX_SIZE]; 2],
            contents: [Contents::NONE; 2],
            changed: [Changes::NONE; 2],
            touched: Touched::default(),
            recent: Recent::default(),
            now: [[0.0; ROW]; MAX_SIZE],
            rows: [0.0; MAX_SIZE],
        }
    }

    /// Begins with a board, after these moves.
    pub fn reset(&mut self, board: &Board, recent: Recent) {
        self.by_board = [[[0.0; ROW]; MAX_SIZE]; 2];
        self.contents = [Contents::NONE; 2];
        self.changed = [Changes::NONE; 2];
        for point in board.points() {
            for color in Color::BOTH {
                self.changed[color as usize].insert(point);
                self.contents[color as usize].set(point, content(board, point, color));
            }
        }
        self.recent = recent;
    }

    /// Before a stone is played.
    #[inline]
    pub fn before_move(&mut self, board: &Board, point: Point) {
        self.touched = Touched::by(board, point);
    }

    /// After it was played and stones were removed.
    #[inline]
    pub fn after_move(&mut self, board: &Board, point: Point, removed: &[Point]) {
        let contents = &mut self.contents;
        let mut note = |stone: Point| {
            for color in Color::BOTH {
                contents[color as usize].set(stone, content(board, stone, color));
            }
        };
        note(point);
        removed.iter().for_each(|&stone| note(stone));
        let changes = self.touched.changes(board, point, removed, note);
        self.changed.iter_mut().for_each(|set| set.add(&changes));
        self.recent = self.recent.after(Some(point), removed);
    }

    /// After a pass.
    pub fn after_pass(&mut self) {
        self.recent = self.recent.after(None, &[]);
    }

    /// A move for `color`; none if no legal move is left that fills no eye.
    #[inline]
    pub fn choose<R: Rng>(&mut self, board: &Board, color: Color, rng: &mut R) -> Option<Point> {
        self.refresh(board, color);
        let total = self.weigh(board, color);
        // 24 bits, as many as a float holds.
        let share = (rng.next_u32() >> 8) as f32 / (1 << 24) as f32;
        self.find(board, share * total)
    }

    /// Computes what has changed for the color.
    fn refresh(&mut self, board: &Board, color: Color) {
        let factors = &mut self.by_board[color as usize];
        let contents = &self.contents[color as usize];
        let tables = &self.tables;
        self.changed[color as usize].drain(|point| {
            factors[point.row()][point.column()] = match board.is_empty(point) {
                true => tables.factor(board, point, color, contents.around(point)),
                false => 0.0,
            };
        });
    }

    /// Multiplies in recent moves; the sum over all points.
    fn weigh(&mut self, board: &Board, color: Color) -> f32 {
        let size = board.size();
        let (width, height) = (size.width().next_multiple_of(BLOCK), size.height());
        let Recent { last, before, .. } = self.recent;
        let near = |age: usize, played: Point, row: usize| {
            let factors = &self.tables.near[age][played.row().abs_diff(row)];
            &factors[MAX_SIZE - 1 - played.column()..][..width]
        };
        for row in 0..height {
            let by_board = &self.by_board[color as usize][row][..width];
            let now = &mut self.now[row][..width];
            self.rows[row] = match (last, before) {
                (Some(last), Some(before)) => {
                    multiply(now, by_board, near(0, last, row), near(1, before, row))
                }
                (Some(last), None) => multiply(now, by_board, near(0, last, row), &ONES),
                (None, Some(before)) => multiply(now, by_board, near(1, before, row), &ONES),
                (None, None) => multiply(now, by_board, &ONES, &ONES),
            };
        }
        self.answer(board, color);
        self.rows[..height].iter().sum()
    }

    /// Multiplies in what concerns single points: answers, patterns beside the last move, a ko.
    fn answer(&mut self, board: &Board, color: Color) {
        for (point, answer) in answers(board, color, &self.recent) {
            self.multiply(point, self.tables.answers[answer]);
        }
        if let Some(last) = self.recent.last {
            for place in 0..12 {
                let Some(point) = at_place(last, place) else {
                    continue;
                };
                if self.now[point.row()][point.column()] > 0.0 && board.contains(point) {
                    let code = self.contents[color as usize].around(point);
                    if let Some(factor) = self.tables.response(with_place(code, opposite(place))) {
                        self.multiply(point, factor);
                    }
                }
            }
        }
        if let Some(ko) = board.ko() {
            self.multiply(ko, 0.0);
        }
    }

    #[inline]
    fn multiply(&mut self, point: Point, factor: f32) {
        let value = &mut self.now[point.row()][point.column()];
        // A sum may be off by rounding, but for a share below the smallest that is chosen.
        self.rows[point.row()] += *value * (factor - 1.0);
        *value *= factor;
    }

    /// The point at which the sum of factors, row by row, exceeds `rest`.
    fn find(&self, board: &Board, rest: f32) -> Option<Point> {
        let size = board.size();
        let mut rest = rest;
        let mut latest = None;
        for row in 0..size.height() {
            if rest >= self.rows[row] && row + 1 < size.height() {
                rest -= self.rows[row];
                continue;
            }
            for (column, &value) in self.now[row][..size.width()].iter().enumerate() {
                if value > 0.0 {
                    latest = Some(Point::new(column, row));
                    if rest < value {
                        return latest;
                    }
                }
                rest -= value;
            }
        }
        // Rounding has led past the end.
        latest.or_else(|| self.heaviest(board))
    }

    fn heaviest(&self, board: &Board) -> Option<Point> {
        let value = |point: &Point| self.now[point.row()][point.column()];
        let open = board.points().filter(|point| value(point) > 0.0);
        open.max_by(|a, b| value(a).total_cmp(&value(b)))
    }

    /// The probability of each move for `color` as [`Sampler::choose`] chooses it.
    pub fn probabilities(&mut self, board: &Board, color: Color) -> Vec<(Point, f32)> {
        self.refresh(board, color);
        self.weigh(board, color);
        let value = |point: Point| self.now[point.row()][point.column()];
        let values = board.points().map(|point| (point, value(point)));
        let mut values: Vec<(Point, f32)> = values.filter(|(_, value)| *value > 0.0).collect();
        let total: f32 = values.iter().map(|(_, value)| value).sum();
        values.iter_mut().for_each(|(_, value)| *value /= total);
        values
    }
}

/// Where there is no move.
const ONES: [f32; ROW] = [1.0; ROW];

/// Products of three rows of factors; their sum.
#[inline]
fn multiply(now: &mut [f32], a: &[f32], b: &[f32], c: &[f32]) -> f32 {
    let mut sums = [0.0; BLOCK];
    let (now, _) = now.as_chunks_mut::<BLOCK>();
    let [a, b, c] = [a, b, c].map(|row| row.as_chunks::<BLOCK>().0);
    for (((now, a), b), c) in now.iter_mut().zip(a).zip(b).zip(c) {
        for lane in 0..BLOCK {
            now[lane] = a[lane] * b[lane] * c[lane];
            sums[lane] += now[lane];
        }
    }
    sums.iter().sum()
}
