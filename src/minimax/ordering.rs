//! The order in which moves are tried: the table's move, captures that win, killers, quiet moves by
//! history, captures that lose.

use super::position::Position;
use crate::search::game::Side;

/// Bound of history scores.
const HISTORY_MAX: i32 = 16_384;
/// Order of the table's move.
const FROM_TABLE: i32 = i32::MAX;
/// Base of captures, above quiet moves.
const CAPTURE: i32 = 10_000_000;
/// Killers, between captures and other quiet moves.
const KILLER: i32 = 1_000_000;
/// Base of captures that lose material, below quiet moves.
const LOSING: i32 = -10_000_000;

/// A move with its place in the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<M> {
    pub mv: M,
    pub order: i32,
}

impl<M> Candidate<M> {
    /// Whether this is a capture that loses material.
    pub fn is_losing(&self) -> bool {
        self.order <= LOSING / 2
    }

    /// Whether this is neither a capture nor the table's move.
    fn is_quiet(&self) -> bool {
        (LOSING / 2..CAPTURE / 2).contains(&self.order)
    }
}

/// The moves that were best in similar positions.
pub(super) struct History<P: Position> {
    /// By side and shape.
    quiet: Vec<i16>,
    /// By side, shape of the move before, shape.
    answers: Vec<i16>,
    killers: Vec<[Option<P::Move>; 2]>,
}

impl<P: Position> History<P> {
    /// Empty tables for paths of up to `plies`.
    pub fn new(plies: usize) -> History<P> {
        History {
            quiet: vec![0; 2 * P::SHAPES],
            answers: vec![0; 2 * P::SHAPES * P::SHAPES],
            killers: vec![[None; 2]; plies],
        }
    }

    fn indices(side: Side, before: Option<usize>, shape: usize) -> (usize, Option<usize>) {
        let side = side as usize;
        let answer = before.map(|before| (side * P::SHAPES + before) * P::SHAPES + shape);
        (side * P::SHAPES + shape, answer)
    }

    /// Scores of quiet moves by shape: of the moves themselves, and as answers.
    fn rows(&self, side: Side, before: Option<usize>) -> (&[i16], Option<&[i16]>) {
        let (quiet, answer) = History::<P>::indices(side, before, 0);
        let row = |at: usize| at..at + P::SHAPES;
        (
            &self.quiet[row(quiet)],
            answer.map(|at| &self.answers[row(at)]),
        )
    }

    /// Score of a quiet move, within twice the bound of histories.
    pub fn score(&self, side: Side, before: Option<usize>, shape: usize) -> i32 {
        let (quiet, answer) = History::<P>::indices(side, before, shape);
        i32::from(self.quiet[quiet]) + answer.map_or(0, |at| i32::from(self.answers[at]))
    }

    pub fn is_killer(&self, ply: usize, mv: P::Move) -> bool {
        self.killers[ply].contains(&Some(mv))
    }

    /// Forgets killers two plies down, which belong to another branch.
    pub fn forget_killers(&mut self, ply: usize) {
        if let Some(killers) = self.killers.get_mut(ply) {
            *killers = [None; 2];
        }
    }

    /// A quiet move has caused a cut-off, those before it have not.
    pub fn reward(
        &mut self,
        position: &P,
        before: Option<usize>,
        depth: i32,
        ply: usize,
        tried: &[P::Move],
        best: P::Move,
    ) {
        if !self.is_killer(ply, best) {
            let [first, second] = &mut self.killers[ply];
            *second = first.replace(best);
        }
        let bonus = (16 * depth * depth).min(1200);
        let side = position.to_move();
        self.add(side, before, position.shape(best), bonus);
        for &mv in tried.iter().filter(|mv| **mv != best) {
            self.add(side, before, position.shape(mv), -bonus);
        }
    }

    /// History with gravity: the larger a score, the less it grows.
    fn add(&mut self, side: Side, before: Option<usize>, shape: usize, bonus: i32) {
        let (quiet, answer) = History::<P>::indices(side, before, shape);
        let change = |score: &mut i16| {
            let old = i32::from(*score);
            *score = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
        };
        change(&mut self.quiet[quiet]);
        if let Some(at) = answer {
            change(&mut self.answers[at]);
        }
    }

    /// Appends a candidate for each move.
    pub fn rank(
        &self,
        position: &P,
        moves: &[P::Move],
        from_table: u16,
        before: Option<usize>,
        ply: usize,
        candidates: &mut Vec<Candidate<P::Move>>,
    ) {
        let side = position.to_move();
        let [first, second] = self.killers[ply];
        let (quiet, answers) = self.rows(side, before);
        candidates.extend(moves.iter().map(|&mv| {
            let order = if from_table != 0 && position.code(mv) == from_table {
                FROM_TABLE
            } else if position.gain(mv) > 0 {
                CAPTURE + position.urgency(mv)
            } else if first == Some(mv) {
                KILLER + 1
            } else if second == Some(mv) {
                KILLER
            } else {
                let shape = position.shape(mv);
                i32::from(quiet[shape]) + answers.map_or(0, |answers| i32::from(answers[shape]))
            };
            Candidate { mv, order }
        }));
    }
}

/// The moves of a node in the order in which they are tried.
pub(super) struct Queue<M> {
    pub candidates: Vec<Candidate<M>>,
    /// How many of the candidates have been taken out.
    taken: usize,
    /// Moves that other threads were searching, with their numbers; they come last.
    put_off: Vec<(Candidate<M>, usize)>,
    /// How many of these have been taken out again.
    resumed: usize,
}

impl<M> Default for Queue<M> {
    fn default() -> Queue<M> {
        Queue {
            candidates: Vec::new(),
            taken: 0,
            put_off: Vec::new(),
            resumed: 0,
        }
    }
}

/// A move to be tried.
pub(super) struct Next<M> {
    pub candidate: Candidate<M>,
    /// Its number in the order, from 1.
    pub number: usize,
    pub was_put_off: bool,
}

impl<M: Copy> Queue<M> {
    /// Removes all moves, but keeps the memory.
    pub fn clear(&mut self) {
        self.candidates.clear();
        self.put_off.clear();
        (self.taken, self.resumed) = (0, 0);
    }

    /// Whether no move has been taken out.
    pub fn is_untouched(&self) -> bool {
        self.taken == 0
    }

    /// Takes out the next move. Captures are tested for losses only here, since most are never
    /// reached.
    pub fn next<P: Position<Move = M>>(&mut self, position: &P) -> Option<Next<M>> {
        if let Some(candidate) = self.pick(position) {
            self.taken += 1;
            return Some(Next {
                candidate,
                number: self.taken,
                was_put_off: false,
            });
        }
        let &(candidate, number) = self.put_off.get(self.resumed)?;
        self.resumed += 1;
        Some(Next {
            candidate,
            number,
            was_put_off: true,
        })
    }

    /// The best of the candidates that have not been taken out, moved to their front.
    fn pick<P: Position<Move = M>>(&mut self, position: &P) -> Option<Candidate<M>> {
        let left = &mut self.candidates[self.taken..];
        loop {
            let (mut best, mut top) = (0, left.first()?.order);
            for (at, candidate) in left.iter().enumerate().skip(1) {
                if candidate.order > top {
                    (best, top) = (at, candidate.order);
                }
            }
            left.swap(0, best);
            let candidate = &mut left[0];
            let is_untested = (CAPTURE / 2..FROM_TABLE).contains(&candidate.order);
            if is_untested && !position.keeps(candidate.mv, 0) {
                candidate.order += LOSING - CAPTURE;
                continue;
            }
            return Some(*candidate);
        }
    }

    /// Removes the quiet moves that have not been taken out.
    pub fn drop_quiet(&mut self) {
        let mut at = 0;
        self.candidates.retain(|candidate| {
            at += 1;
            at <= self.taken || !candidate.is_quiet()
        });
    }

    /// Puts a move that was taken out behind all others.
    pub fn put_off(&mut self, candidate: Candidate<M>, number: usize) {
        self.put_off.push((candidate, number));
    }
}
