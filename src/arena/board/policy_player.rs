//! Players by an evaluator without a search tree: its most probable move, or the best of several moves by games
//! drawn from its policy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;

use super::player::{BoardPlayer, Choice, Turn, check};
use super::tree_player::score;
use crate::arena::contestant::{Fault, refused};
use crate::games::board_game::BoardGame;
use crate::games::coded::{Coded, Listing};
use crate::search::{Evaluation, Evaluator, Game, MoveCode, Request};

/// Games drawn from the policy, as in a thesis on gomoku by networks (Bako): the most probable first moves are
/// compared by the results of games in which both sides draw their moves from the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyGames {
    /// First moves that are compared.
    pub first: usize,
    /// Games for each of them.
    pub width: usize,
    /// Moves after which a game ends by the value of its position; none: it is played to its end.
    pub depth: Option<usize>,
}

/// Plays by the policy.
pub struct PolicyPlayer<G: BoardGame> {
    /// For reports.
    pub name: String,
    /// Gives the policy.
    pub evaluator: Box<dyn Evaluator<Coded<G>>>,
    /// The moves that it chooses from.
    pub listing: Listing<G>,
    /// Games that choose; none: the most probable move is played.
    pub games: Option<PolicyGames>,
    /// Of the random numbers, together with the position.
    pub seed: u64,
    /// Once this is set the player gives up its game.
    pub stop: Arc<AtomicBool>,
}

impl<G: BoardGame> PolicyPlayer<G> {
    fn evaluation(&self, coded: &Coded<G>) -> Result<Evaluation> {
        self.evaluator.evaluate_one(Request::inner(coded.clone()))
    }

    /// The move to play, with its expected result from -1 to 1 where games tell it.
    fn chosen(&self, root: &Coded<G>, random: &mut ChaCha8Rng) -> Result<(MoveCode, Option<f64>)> {
        let policy = self.evaluation(root)?.policy;
        let mut moves: Vec<MoveCode> = (0..policy.len() as u16).map(MoveCode).collect();
        moves.sort_by(|a, b| policy[usize::from(b.0)].total_cmp(&policy[usize::from(a.0)]));
        let first = *moves.first().context("there is no legal move")?;
        let Some(games) = self.games else {
            return Ok((first, None));
        };
        let mut best = (first, f64::NEG_INFINITY);
        for &code in moves.iter().take(games.first) {
            let mut sum = 0.0;
            for _ in 0..games.width {
                ensure!(!self.stop.load(Ordering::Relaxed), "interrupted");
                let mut coded = root.clone();
                coded.play(code);
                sum += root.to_move().sign() * self.drawn(coded, games.depth, random)?;
            }
            let mean = sum / games.width as f64;
            if mean > best.1 {
                best = (code, mean);
            }
        }
        Ok((best.0, Some(best.1)))
    }

    /// The result of a game drawn from the policy, for the first side.
    fn drawn(
        &self,
        mut coded: Coded<G>,
        depth: Option<usize>,
        random: &mut ChaCha8Rng,
    ) -> Result<f64> {
        let mut moves = 0;
        loop {
            if let Some(outcome) = coded.outcome() {
                return Ok(outcome.win_loss.into());
            }
            let evaluation = self.evaluation(&coded)?;
            if evaluation.is_certain || depth.is_some_and(|depth| moves >= depth) {
                return Ok(coded.to_move().sign() * f64::from(evaluation.win_loss));
            }
            let place = WeightedIndex::new(&evaluation.policy)?.sample(random);
            coded.play(MoveCode(place as u16));
            moves += 1;
        }
    }
}

impl<G: BoardGame> BoardPlayer<G> for PolicyPlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    /// The same position gets the same move.
    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        check(&self.stop)?;
        let root = Coded::with_moves(turn.position.clone(), turn.history, self.listing);
        let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ turn.position.key());
        let (code, value) = self.chosen(&root, &mut random).map_err(refused)?;
        Ok(Choice {
            mv: root.mv(code),
            score: value.map(score),
            depth: None,
        })
    }
}
