//! Evaluators of board games for Monte Carlo tree search: random games, and the evaluation of
//! alpha-beta search.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::coded::{Coded, LEAD_SCALE, win_loss};
use crate::minimax::{Position, Score, StaticEval, Wanted};
use crate::search::evaluator::{Evaluation, Evaluator, Request};
use crate::search::game::Game;

/// A random game that is not over after so many moves ends by the evaluation, ...
const MOST_PLIES: usize = 200;
/// ... as a draw if no side is so many hundredths ahead.
const CLEAR_LEAD: Score = 300;
/// Hundredths by which a move must look better to be e times as probable.
const POLICY_SCALE: f64 = 100.0;
/// Hundredths by which a move looks worse that loses material to a recapture.
const UNSOUND: f64 = 200.0;

/// Random games from the position, all moves equally probable. The same position always gets the
/// same answer.
#[derive(Debug)]
pub struct Playouts<E> {
    /// Decides games that take too long.
    pub evaluation: E,
    /// Games for each position, at least 1.
    pub games: u32,
    /// Varies the games.
    pub seed: u64,
}

impl<E> Playouts<E> {
    /// The result of a random game, for the first side.
    fn play_out<P: Position>(&self, start: &P, random: &mut ChaCha8Rng) -> f64
    where
        E: StaticEval<P>,
    {
        let mut position = start.clone();
        let mut moves = Vec::new();
        for _ in 0..MOST_PLIES {
            moves.clear();
            position.moves(Wanted::All, &mut moves);
            if let Some(verdict) = position.verdict(moves.is_empty()) {
                return win_loss(verdict, position.to_move());
            }
            position.play(moves[random.random_range(0..moves.len())]);
        }
        let lead = self.evaluation.evaluate(&position);
        let is_clear = lead.abs() > CLEAR_LEAD;
        f64::from(lead.signum() * i32::from(is_clear)) * position.to_move().sign()
    }
}

impl<P: Position, E: StaticEval<P> + Send> Evaluator<Coded<P>> for Playouts<E> {
    fn evaluate(&self, requests: &[Request<Coded<P>>]) -> Result<Vec<Evaluation>> {
        let answer = |request: &Request<Coded<P>>| {
            let coded = &request.position;
            let mut random = ChaCha8Rng::seed_from_u64(coded.key() as u64 ^ self.seed);
            let games = self.games.max(1);
            let sum: f64 = (0..games)
                .map(|_| self.play_out(coded.position(), &mut random))
                .sum();
            let moves = coded.moves().len();
            Evaluation {
                policy: vec![1.0 / moves as f32; moves],
                win_loss: (coded.to_move().sign() * sum / f64::from(games)) as f32,
                ..Evaluation::default()
            }
        };
        Ok(requests.iter().map(answer).collect())
    }
}

/// The evaluation as the expected result, and moves by the evaluation one ply on.
#[derive(Debug)]
pub struct Heuristic<E> {
    /// The evaluation.
    pub evaluation: E,
}

impl<E> Heuristic<E> {
    /// How good a move looks, in hundredths for its mover.
    fn look<P: Position>(&self, coded: &Coded<P>, mv: P::Move) -> f64
    where
        E: StaticEval<P>,
    {
        let after = coded.after(mv);
        let value = f64::from(self.evaluation.evaluate(&after));
        let value = match after.to_move() == coded.to_move() {
            true => value,
            false => -value,
        };
        match coded.position().keeps(mv, 0) {
            true => value,
            false => value - UNSOUND,
        }
    }
}

impl<P: Position, E: StaticEval<P> + Send> Evaluator<Coded<P>> for Heuristic<E> {
    fn evaluate(&self, requests: &[Request<Coded<P>>]) -> Result<Vec<Evaluation>> {
        let answer = |request: &Request<Coded<P>>| {
            let coded = &request.position;
            let lead = f64::from(self.evaluation.evaluate(coded.position()));
            let looks = coded.moves().iter().map(|&mv| self.look(coded, mv));
            Evaluation {
                policy: softmax(looks.collect()),
                win_loss: (lead / LEAD_SCALE).tanh() as f32,
                ..Evaluation::default()
            }
        };
        Ok(requests.iter().map(answer).collect())
    }
}

/// Probabilities from hundredths.
fn softmax(looks: Vec<f64>) -> Vec<f32> {
    let best = looks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = looks
        .iter()
        .map(|look| ((look - best) / POLICY_SCALE).exp());
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}
