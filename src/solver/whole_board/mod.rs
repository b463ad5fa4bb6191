//! Exact values of small boards: the score under area scoring if both sides play their best, from a position
//! on up to 25 points whose history is only itself. Suicide is illegal, superko holds, two passes end the game.
//!
//! The value is found by asking whether Black gets at least some score, for several scores. Each question is answered by
//! proof-number search of all moves (`search`) that ends at two passes, or where pass-alive stones decide (`sure`). Positions
//! are remembered with what their proofs rely on (`memory`, `proof`), and used again only in games whose histories leave
//! these proofs valid: the answers are exact, whatever superko does.

mod board;
mod memory;
mod proof;
mod search;
mod sure;
mod symmetry;

#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;

use crate::go::{Color, PerColor};
pub use board::MOST_POINTS;
use board::{Board, Geometry};
use search::Search;

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Superko {
    /// Of the stones on the board.
    Positional,
    /// Of the stones with the same side to move.
    Situational,
}

/// A board with its stones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallBoard {
    width: usize,
    height: usize,
    stones: PerColor<u32>,
    to_move: Color,
}

impl SmallBoard {
    /// An empty board, Black to move. None for more than 25 points, or none.
    pub fn new(width: usize, height: usize) -> Option<SmallBoard> {
        Geometry::new(width, height)?;
        Some(SmallBoard {
            width,
            height,
            stones: PerColor([0; 2]),
            to_move: Color::Black,
        })
    }

    /// The same with these stones, by number of the point, row by row from the top left. None if a point is not on the
    /// board or taken, or if a chain has no liberty.
    pub fn with_stones(mut self, stones: &[(usize, Color)]) -> Option<SmallBoard> {
        for &(point, color) in stones {
            let taken = self.stones[Color::Black] | self.stones[Color::White];
            if point >= self.width * self.height || taken & 1 << point != 0 {
                return None;
            }
            self.stones[color] |= 1 << point;
        }
        let geometry = Geometry::new(self.width, self.height)?;
        let taken = self.stones[Color::Black] | self.stones[Color::White];
        let lives = |chain| geometry.beside(chain) & !taken != 0;
        let all = Color::BOTH.into_iter();
        all.flat_map(|color| geometry.parts(self.stones[color]))
            .all(lives)
            .then_some(self)
    }

    /// The same with this side to move.
    #[must_use]
    pub fn with_to_move(self, to_move: Color) -> SmallBoard {
        SmallBoard { to_move, ..self }
    }
}

/// The value of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Black's area less White's.
    pub score: i32,
    /// The moves that keep it, as numbers of points; none for a pass.
    pub best: Vec<Option<usize>>,
    /// Positions visited.
    pub nodes: u64,
}

/// Finds the value with at most this many positions visited and remembered; none if they do not suffice.
pub fn value(small: &SmallBoard, superko: Superko, nodes: u64, memory: usize) -> Option<Value> {
    let geometry = Geometry::new(small.width, small.height)?;
    let area = geometry.area() as i32;
    let board = Board {
        stones: small.stones,
        to_move: small.to_move,
        has_passed: false,
    };
    let is_situational = superko == Superko::Situational;
    let mut search = Search::new(geometry, is_situational, nodes, memory);
    // Black gets at least `low` and less than `high`.
    let (mut low, mut high) = (-area, area + 1);
    while low + 1 < high {
        let goal = low + (high - low) / 2;
        match search.decide(&[], &board, goal)? {
            true => low = goal,
            false => high = goal,
        }
    }
    let best = best_moves(&mut search, &board, low)?;
    Some(Value {
        score: low,
        best,
        nodes: search.nodes,
    })
}

/// The moves after which the side to move still gets the value.
fn best_moves(search: &mut Search, board: &Board, score: i32) -> Option<Vec<Option<usize>>> {
    let points = 0..search.geometry.area();
    let moves: Vec<(Option<usize>, Board)> = points
        .filter(|point| (board.stones[Color::Black] | board.stones[Color::White]) >> point & 1 == 0)
        .filter_map(|point| Some((Some(point), board.played(&search.geometry, point)?)))
        .chain([(None, board.passed())])
        .collect();
    let mut best = Vec::new();
    for (mv, child) in moves {
        let keeps = match board.to_move {
            Color::Black => search.decide(&[*board], &child, score)?,
            Color::White => !search.decide(&[*board], &child, score + 1)?,
        };
        if keeps {
            best.push(mv);
        }
    }
    Some(best)
}
