//! The textbook algorithms, written for clarity: minimax, alpha-beta and beam search to a fixed
//! depth, with counts of nodes.
//!
//! Alpha-beta is fail-hard, as Knuth and Moore (1975) define it: its result is clamped to the
//! window. With the widest window it is minimax's value.

use std::sync::atomic::{AtomicBool, Ordering};

use super::line::Line;
use super::position::{Position, StaticEval, Verdict};
use super::score::{INFINITE, Score, lost_at};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All moves of all positions.
    Minimax,
    /// Moves that cannot change the result are left out.
    AlphaBeta,
    /// The same, with the moves that win most at first sight tried first.
    OrderedAlphaBeta,
    /// Minimax over the moves of each position that look best to the evaluation, at most this many.
    Beam(usize),
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searched<M> {
    /// Value of the position.
    pub score: Score,
    /// The first of the best moves; `None` if the game is over or the depth is 0.
    pub best: Option<M>,
    /// Positions visited, the root included.
    pub nodes: u64,
    /// Positions evaluated, or with the game over.
    pub leaves: u64,
}

/// A search by one of the methods.
pub struct Plain<'a, E> {
    /// Evaluates leaves.
    pub evaluator: &'a E,
    /// The algorithm.
    pub method: Method,
    /// Positions beyond this number are not searched further but evaluated.
    pub max_nodes: u64,
    /// When set, the search ends soon, with a value of no worth.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a, E> Plain<'a, E> {
    /// A search without limit of nodes.
    pub fn new(evaluator: &'a E, method: Method) -> Plain<'a, E> {
        Plain {
            evaluator,
            method,
            max_nodes: u64::MAX,
            stop: None,
        }
    }

    /// Searches a position to which the positions with keys `history` have led.
    pub fn search<P: Position>(
        &self,
        position: &P,
        history: &[u64],
        depth: u32,
    ) -> Searched<P::Move>
    where
        E: StaticEval<P>,
    {
        let mut run = Run {
            plain: self,
            line: Line::new(history),
            nodes: 0,
            leaves: 0,
        };
        let (score, best) = match self.method {
            Method::Minimax => run.minimax(position, depth, 0),
            Method::AlphaBeta | Method::OrderedAlphaBeta => {
                run.alpha_beta(position, depth, 0, -INFINITE, INFINITE)
            }
            Method::Beam(width) => run.beam(position, depth, 0, width),
        };
        Searched {
            score,
            best,
            nodes: run.nodes,
            leaves: run.leaves,
        }
    }
}

/// Value of a position, and its best move.
type Valued<M> = (Score, Option<M>);

struct Run<'a, E> {
    plain: &'a Plain<'a, E>,
    line: Line,
    nodes: u64,
    leaves: u64,
}

impl<E> Run<'_, E> {
    fn minimax<P: Position>(&mut self, position: &P, depth: u32, ply: usize) -> Valued<P::Move>
    where
        E: StaticEval<P>,
    {
        let moves = match self.open(position, depth, ply) {
            Ok(moves) => moves,
            Err(score) => return (score, None),
        };
        let mut best = (-INFINITE, None);
        self.line.push(position.key());
        for mv in moves {
            let (child, sign) = after(position, mv);
            let score = sign * self.minimax(&child, depth - 1, ply + 1).0;
            if score > best.0 {
                best = (score, Some(mv));
            }
        }
        self.line.pop();
        best
    }

    fn alpha_beta<P: Position>(
        &mut self,
        position: &P,
        depth: u32,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Valued<P::Move>
    where
        E: StaticEval<P>,
    {
        let mut moves = match self.open(position, depth, ply) {
            Ok(moves) => moves,
            Err(score) => return (score.clamp(alpha, beta), None),
        };
        if self.plain.method == Method::OrderedAlphaBeta {
            moves.sort_by_key(|&mv| match position.gain(mv) {
                0 => 0,
                _ => -position.urgency(mv),
            });
        }
        let mut best = (alpha, None);
        self.line.push(position.key());
        for mv in moves {
            let (child, sign) = after(position, mv);
            let (low, high) = match sign {
                1 => (best.0, beta),
                _ => (-beta, -best.0),
            };
            let score = sign * self.alpha_beta(&child, depth - 1, ply + 1, low, high).0;
            if score > best.0 {
                best = (score, Some(mv));
            }
            if score >= beta {
                break;
            }
        }
        self.line.pop();
        best
    }

    fn beam<P: Position>(
        &mut self,
        position: &P,
        depth: u32,
        ply: usize,
        width: usize,
    ) -> Valued<P::Move>
    where
        E: StaticEval<P>,
    {
        let moves = match self.open(position, depth, ply) {
            Ok(moves) => moves,
            Err(score) => return (score, None),
        };
        let look = |mv| {
            let (child, sign) = after(position, mv);
            (sign * self.plain.evaluator.evaluate(&child), mv)
        };
        let mut looks: Vec<(Score, P::Move)> = moves.into_iter().map(look).collect();
        looks.sort_by_key(|&(score, _)| -score);
        looks.truncate(width.max(1));
        let mut best = (-INFINITE, None);
        self.line.push(position.key());
        for (_, mv) in looks {
            let (child, sign) = after(position, mv);
            let score = sign * self.beam(&child, depth - 1, ply + 1, width).0;
            if score > best.0 {
                best = (score, Some(mv));
            }
        }
        self.line.pop();
        best
    }

    fn is_over(&self) -> bool {
        let is_stopped = |stop: &AtomicBool| stop.load(Ordering::Relaxed);
        self.nodes > self.plain.max_nodes || self.plain.stop.is_some_and(is_stopped)
    }

    /// Counts a node; its moves, or its score if it is a leaf.
    fn open<P: Position>(
        &mut self,
        position: &P,
        depth: u32,
        ply: usize,
    ) -> Result<Vec<P::Move>, Score>
    where
        E: StaticEval<P>,
    {
        self.nodes += 1;
        let mut moves = Vec::new();
        position.worthwhile(&mut moves);
        let verdict = position.verdict(moves.is_empty());
        let is_repetition = || {
            ply > 0
                && self
                    .line
                    .is_repetition(position.key(), position.reversible())
        };
        let leaf = match verdict {
            Some(Verdict::Lost) => Some(lost_at(ply)),
            Some(Verdict::Drawn) => Some(0),
            None if is_repetition() => Some(0),
            // Without moves and verdict the evaluation is the result.
            None if depth == 0 || moves.is_empty() || self.is_over() => {
                Some(self.plain.evaluator.evaluate(position))
            }
            None => None,
        };
        match leaf {
            Some(score) => {
                self.leaves += 1;
                Err(score)
            }
            None => Ok(moves),
        }
    }
}

/// The position after a move, and the sign that converts its scores to this side's view.
pub(super) fn after<P: Position>(position: &P, mv: P::Move) -> (P, Score) {
    let mut child = position.clone();
    child.play(mv);
    let sign = if child.to_move() == position.to_move() {
        1
    } else {
        -1
    };
    (child, sign)
}

/// The least number of leaves that alpha-beta visits in a tree with `branching` moves everywhere
/// (Knuth and Moore 1975): `b^ceil(d/2) + b^floor(d/2) - 1`.
pub fn fewest_leaves(branching: f64, depth: u32) -> f64 {
    branching.powi(depth.div_ceil(2) as i32) + branching.powi((depth / 2) as i32) - 1.0
}
