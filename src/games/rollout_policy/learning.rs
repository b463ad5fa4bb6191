//! How the weights are learned from moves of game records: gradient descent on the cross entropy of the move
//! that was played.

use std::collections::HashMap;

use super::recent::Recent;
use super::surroundings::{
    at_place, canonical, canonical_without_place, opposite, surroundings, with_place,
};
use super::weights::{Candidates, Weights};
use crate::go::{Board, Color, Point};

/// Added to sums of squares, so that first steps are not too large.
const SMOOTHING: f32 = 0.1;

/// A move of a record.
#[derive(Clone, Copy)]
pub struct Example<'a> {
    /// The board before it.
    pub board: &'a Board,
    /// Who made it.
    pub mover: Color,
    /// The moves before it.
    pub recent: Recent,
    /// Where.
    pub played: Point,
}

/// How the policy saw a move that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// Moves counted.
    pub moves: u64,
    /// How often none was more probable.
    pub first: u64,
    /// Sum of the negative logarithms of the probabilities.
    pub nats: f64,
    /// The same if all legal moves that fill no eye were as probable.
    pub uniform_nats: f64,
}

impl Judged {
    /// Both together.
    pub fn add(&mut self, other: Judged) {
        self.moves += other.moves;
        self.first += other.first;
        self.nats += other.nats;
        self.uniform_nats += other.uniform_nats;
    }

    /// Share of moves that were the most probable.
    pub fn accuracy(&self) -> f64 {
        self.first as f64 / self.moves.max(1) as f64
    }

    /// Mean cross entropy in nats.
    pub fn cross_entropy(&self) -> f64 {
        self.nats / self.moves.max(1) as f64
    }

    /// The same of uniform probabilities.
    pub fn uniform_cross_entropy(&self) -> f64 {
        self.uniform_nats / self.moves.max(1) as f64
    }
}

/// How often patterns were played.
#[derive(Clone, Debug, Default)]
pub struct PatternCounts {
    liberties: HashMap<u32, u32>,
    responses: HashMap<u32, u32>,
}

impl PatternCounts {
    /// Counts the pattern of a move, and that with the place of the last move if that is close.
    pub fn count(&mut self, example: &Example<'_>) {
        let code = surroundings(example.board, example.played, example.mover);
        *self
            .liberties
            .entry(canonical_without_place(code))
            .or_default() += 1;
        let last = example.recent.last;
        let is_here = |&place: &usize| {
            let near = last.and_then(|last| at_place(last, place));
            near == Some(example.played)
        };
        if let Some(place) = (0..12).find(is_here) {
            let code = canonical(with_place(code, opposite(place)));
            *self.responses.entry(code).or_default() += 1;
        }
    }

    /// Weights, all zero, for the patterns that were played most often: at most `limit` of each kind,
    /// each at least `fewest` times.
    pub fn weights(&self, limit: usize, fewest: u32) -> Weights {
        let most = |counts: &HashMap<u32, u32>| {
            let often = counts.iter().filter(|&(_, &count)| count >= fewest);
            let mut often: Vec<(u32, u32)> = often
                .map(|(&code, &count)| (u32::MAX - count, code))
                .collect();
            often.sort_unstable();
            often.truncate(limit);
            let mut codes: Vec<u32> = often.into_iter().map(|(_, code)| code).collect();
            codes.sort_unstable();
            codes
        };
        Weights::new(most(&self.liberties), most(&self.responses))
    }
}

/// Weights while they are learned, by AdaGrad (Duchi, Hazan and Singer 2011).
pub struct Learner {
    weights: Weights,
    squares: Vec<f32>,
    gradient: Vec<f32>,
    touched: Vec<u32>,
    candidates: Candidates,
    probabilities: Vec<f32>,
}

impl Learner {
    /// Goes on from these weights.
    pub fn new(weights: Weights) -> Learner {
        Learner {
            squares: vec![SMOOTHING; weights.len()],
            gradient: vec![0.0; weights.len()],
            touched: Vec::new(),
            candidates: Candidates::default(),
            probabilities: Vec::new(),
            weights,
        }
    }

    /// The weights so far.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// How the policy sees a move. A move that a rollout never plays does not count.
    pub fn judge(&mut self, example: &Example<'_>) -> Judged {
        self.look(example).map_or(Judged::default(), |seen| seen.1)
    }

    /// The same, and a step of this size towards it.
    pub fn learn(&mut self, example: &Example<'_>, rate: f32) -> Judged {
        let Some((played, judged)) = self.look(example) else {
            return Judged::default();
        };
        let moves = self.candidates.moves.iter();
        for (index, (mv, probability)) in moves.zip(&self.probabilities).enumerate() {
            let step = f32::from(u8::from(index == played)) - probability;
            for &number in &self.candidates.features[mv.features.clone()] {
                let sum = &mut self.gradient[number as usize];
                if *sum == 0.0 {
                    self.touched.push(number);
                }
                *sum += step;
            }
        }
        for number in self.touched.drain(..) {
            let number = number as usize;
            let step = std::mem::take(&mut self.gradient[number]);
            self.squares[number] += step * step;
            self.weights.numbers[number] += rate * step / self.squares[number].sqrt();
        }
        judged
    }

    /// Finds the probabilities of all moves; the index of the one played.
    fn look(&mut self, example: &Example<'_>) -> Option<(usize, Judged)> {
        let Example { board, mover, .. } = *example;
        let found = &mut self.candidates;
        self.weights
            .candidates(board, mover, &example.recent, found);
        let is_played = |mv: &super::weights::Candidate| mv.point == example.played;
        let played = found.moves.iter().position(is_played)?;
        let sum = |mv: &super::weights::Candidate| {
            let numbers = found.features[mv.features.clone()].iter();
            numbers
                .map(|&number| self.weights.numbers[number as usize])
                .sum::<f32>()
        };
        self.probabilities.clear();
        self.probabilities.extend(found.moves.iter().map(sum));
        let largest = self.probabilities.iter().copied().fold(f32::MIN, f32::max);
        let logit = self.probabilities[played] - largest;
        let mut total = 0.0;
        for value in &mut self.probabilities {
            *value = (*value - largest).exp();
            total += *value;
        }
        self.probabilities.iter_mut().for_each(|it| *it /= total);
        let judged = Judged {
            moves: 1,
            first: u64::from(logit == 0.0),
            nats: f64::from(total.ln() - logit),
            uniform_nats: (found.moves.len() as f64).ln(),
        };
        Some((played, judged))
    }
}
