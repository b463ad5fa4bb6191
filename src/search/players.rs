//! Choosing a move by one or few evaluations.
//!
//! A random player is a [`PolicyPlayer`] at temperature 1 with a uniform evaluator.

use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::evaluator::{Evaluation, Evaluator, Request};
use super::game::{Game, MoveCode, Side};
use super::root::{Heat, choose_index, first_largest};

/// Plays by an evaluator's policy alone.
pub struct PolicyPlayer {
    temperature: f64,
    rng: ChaCha8Rng,
}

impl PolicyPlayer {
    /// Draws moves with probability in proportion to p^(1/T); at temperature 0 always the first of
    /// the most probable ones.
    pub fn new(temperature: f64, seed: u64) -> PolicyPlayer {
        PolicyPlayer {
            temperature,
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// A move for the side to move. The game must not be over.
    pub fn choose<G: Game>(
        &mut self,
        evaluator: &dyn Evaluator<G>,
        position: &G,
    ) -> Result<MoveCode> {
        let answer = evaluator.evaluate_one(Request::root(position.clone()))?;
        let moves = legal_moves(position)?;
        let policy: Vec<f64> = answer
            .policy
            .iter()
            .map(|&p| f64::from(p.max(0.0)))
            .collect();
        ensure!(
            policy.len() == moves.len(),
            "the policy does not fit the legal moves"
        );
        let index = choose_index(&policy, Heat::of(self.temperature), &mut self.rng)
            .context("there is no legal move")?;
        Ok(moves[index])
    }
}

/// The first of the moves after which the opponent's evaluation is worst. The game must not be over.
pub fn value_move<G: Game>(evaluator: &dyn Evaluator<G>, position: &G) -> Result<MoveCode> {
    let moves = legal_moves(position)?;
    let best = first_largest(&values(evaluator, position, &moves)?);
    best.map(|index| moves[index])
        .context("there is no legal move")
}

/// The value of each of the moves for the side to move, from one batch.
fn values<G: Game>(
    evaluator: &dyn Evaluator<G>,
    position: &G,
    moves: &[MoveCode],
) -> Result<Vec<f64>> {
    let mover = position.to_move();
    let children: Vec<G> = moves.iter().map(|&code| after(position, code)).collect();
    let requests: Vec<Request<G>> = children
        .iter()
        .filter(|child| child.outcome().is_none())
        .map(|child| Request::inner(child.clone()))
        .collect();
    let answers = evaluator.evaluate(&requests)?;
    ensure!(
        answers.len() == requests.len(),
        "the evaluator left requests unanswered"
    );
    let mut answers = answers.iter();
    Ok(children
        .iter()
        .map(|child| value_for(mover, child, &mut answers))
        .collect())
}

/// Value of `child` for `mover`: the result if its game is over, else the next of the answers.
fn value_for<'a, G: Game>(
    mover: Side,
    child: &G,
    answers: &mut impl Iterator<Item = &'a Evaluation>,
) -> f64 {
    match child.outcome() {
        Some(outcome) => mover.sign() * f64::from(outcome.win_loss),
        None => {
            let answer = answers
                .next()
                .expect("every unfinished child was evaluated");
            mover.sign() * child.to_move().sign() * f64::from(answer.win_loss)
        }
    }
}

fn legal_moves<G: Game>(position: &G) -> Result<Vec<MoveCode>> {
    if position.outcome().is_some() {
        bail!("the game is over");
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    Ok(moves)
}

fn after<G: Game>(position: &G, code: MoveCode) -> G {
    let mut child = position.clone();
    child.play(code);
    child
}
