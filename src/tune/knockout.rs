//! A knock-out between weights, and children of the two finalists (Pospíšil 2007).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::cross::{Crossing, cross};
use super::duel::{DuelSettings, PLIES, conditions, points_in_pair};
use super::genome::{Genome, Units};
use crate::arena::board::openings::Book;
use crate::games::board_game::BoardGame;
use crate::threads;

/// A duel between two of the contestants, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bout {
    /// From 1.
    pub round: usize,
    /// The winner; the first of the two if they are equal.
    pub winner: usize,
    /// The other.
    pub loser: usize,
    /// The winner's points per game.
    pub score: f64,
}

/// The duels, and the children of the last two contestants.
pub struct Knockout {
    /// In order.
    pub bouts: Vec<Bout>,
    /// Crossed at one point.
    pub children: [Genome; 2],
}

/// Plays a knock-out. A contestant without opponent goes on to the next round.
pub fn play<G: BoardGame>(
    initial: &G,
    (evaluation, contestants): (&G::Evaluation, &[Genome]),
    units: &Units,
    settings: &DuelSettings,
    (seed, threads): (u64, usize),
    stop: &Arc<AtomicBool>,
) -> Result<Knockout> {
    ensure!(
        contestants.len() >= 2,
        "a knock-out needs at least two files of weights: give --start for each"
    );
    let pairs = settings.games.div_ceil(2).max(1);
    let book = Book::random(initial, PLIES, pairs, seed)?;
    let conditions = conditions(initial, settings.nodes, book.source);
    let mut left: Vec<usize> = (0..contestants.len()).collect();
    let mut bouts = Vec::new();
    let mut round = 1;
    loop {
        let finalists = [left[0], left[left.len() - 1]];
        let mut next = Vec::new();
        for pair in left.chunks(2) {
            let &[first, second] = pair else {
                next.extend(pair);
                continue;
            };
            let jobs = (0..pairs).collect();
            let points = threads::for_each_on(threads, jobs, "tune", |number| {
                let opening = &book.openings[number % book.openings.len()];
                let both = [&contestants[first], &contestants[second]];
                points_in_pair(&conditions, opening, evaluation, both, stop)
            });
            let points: f64 = points.into_iter().sum::<Result<f64>>()?;
            let score = points / (2 * pairs) as f64;
            let bout = match score >= 0.5 {
                true => Bout {
                    round,
                    winner: first,
                    loser: second,
                    score,
                },
                false => Bout {
                    round,
                    winner: second,
                    loser: first,
                    score: 1.0 - score,
                },
            };
            next.push(bout.winner);
            bouts.push(bout);
        }
        if left.len() == 2 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let both = finalists.map(|finalist| &contestants[finalist]);
            let children = cross(Crossing::One, both, units, &mut random);
            return Ok(Knockout { bouts, children });
        }
        left = next;
        round += 1;
    }
}
