//! Random games: each move uniformly chosen among those that are legal and do not fill a
//! single-point eye of the mover's own, to the end, counted by area.
//!
//! Only the simple ko is heeded; a cap on the number of moves ends what superko would have.

use rand::Rng;

use crate::go::{Board, Color, Point};

/// A random game in progress. One value can play many games, from any board, without allocating.
pub struct Rollout {
    board: Board,
    to_move: Color,
    empty: Vec<Point>,
    removed: Vec<Point>,
}

impl Rollout {
    /// Ready to play from a board.
    pub fn new(board: &Board, to_move: Color) -> Rollout {
        let mut rollout = Rollout {
            board: board.clone(),
            to_move,
            empty: Vec::with_capacity(board.size().area()),
            removed: Vec::with_capacity(board.size().area()),
        };
        rollout.list_empty_points();
        rollout
    }

    /// Starts over from a board.
    pub fn reset(&mut self, board: &Board, to_move: Color) {
        self.board.clone_from(board);
        self.to_move = to_move;
        self.list_empty_points();
    }

    /// The board as it stands.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Plays on until both sides pass or three moves for each point have been made. Returns the
    /// number of moves, passes included.
    pub fn finish<R: Rng>(&mut self, rng: &mut R) -> usize {
        let cap = 3 * self.board.size().area();
        let (mut moves, mut passes) = (0, 0);
        while passes < 2 && moves < cap {
            passes = if self.step(rng) { 0 } else { passes + 1 };
            moves += 1;
        }
        moves
    }

    /// Makes one random move. Returns false for a pass, which happens when no sensible move is
    /// left.
    #[inline]
    pub fn step<R: Rng>(&mut self, rng: &mut R) -> bool {
        let mover = self.to_move;
        self.to_move = !mover;
        // Points found unfit are moved behind `candidates`, so that the choice stays uniform.
        let mut candidates = self.empty.len();
        while candidates > 0 {
            let chosen = ((u64::from(rng.next_u32()) * candidates as u64) >> 32) as usize;
            let point = self.empty[chosen];
            if self.is_sensible(point, mover) {
                self.play(chosen, mover);
                return true;
            }
            candidates -= 1;
            self.empty.swap(chosen, candidates);
        }
        self.board.clear_ko();
        false
    }

    /// Whether a move is legal (but for superko), fills no eye of its own and is no suicide.
    #[inline]
    fn is_sensible(&self, point: Point, color: Color) -> bool {
        !is_eye(&self.board, point, color) && self.board.is_legal(point, color, false)
    }

    #[inline]
    fn play(&mut self, chosen: usize, color: Color) {
        let point = self.empty[chosen];
        self.empty.swap_remove(chosen);
        self.removed.clear();
        self.board.play(point, color, &mut self.removed);
        self.empty.extend_from_slice(&self.removed);
    }

    fn list_empty_points(&mut self) {
        self.empty.clear();
        self.empty.extend(
            self.board
                .points()
                .filter(|&point| self.board.is_empty(point)),
        );
    }

    /// Who owns a point of a board played to the end: the stone's color, or that of the only
    /// color beside an empty point.
    pub fn owner(&self, point: Point) -> Option<Color> {
        self.board.color_at(point).or_else(|| {
            let mut beside = [false; 2];
            for neighbor in point.neighbors() {
                if let Some(color) = self.board.color_at(neighbor) {
                    beside[color as usize] = true;
                }
            }
            match beside {
                [true, false] => Some(Color::Black),
                [false, true] => Some(Color::White),
                _ => None,
            }
        })
    }

    /// Black's area less White's, of a board played to the end.
    pub fn black_area_lead(&self) -> i32 {
        let stones = |color| self.board.stone_count(color) as i32;
        let eyes: i32 = self
            .empty
            .iter()
            .map(|&point| match self.owner(point) {
                Some(Color::Black) => 1,
                Some(Color::White) => -1,
                None => 0,
            })
            .sum();
        stones(Color::Black) - stones(Color::White) + eyes
    }
}

/// Whether an empty point is a single-point eye that a random player had better not fill: all
/// neighbors are the color's, and of the diagonal points at most one (none at the edge) is the
/// opponent's.
#[inline]
pub fn is_eye(board: &Board, point: Point, color: Color) -> bool {
    let mut at_edge = false;
    for neighbor in point.neighbors() {
        match board.color_at(neighbor) {
            Some(owner) if owner == color => {}
            None if !board.contains(neighbor) => at_edge = true,
            _ => return false,
        }
    }
    let hostile = point
        .diagonals()
        .into_iter()
        .filter(|&d| board.color_at(d) == Some(!color));
    hostile.count() + usize::from(at_edge) < 2
}
