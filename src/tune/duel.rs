//! Fitness by games: every individual plays the same openings against the same opponents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::genome::{Genome, weights};
use crate::arena::board::engine_player::EnginePlayer;
use crate::arena::board::openings::Book;
use crate::arena::board::{Adjudication, BoardConditions, BoardOpening, BoardPlayer, ResignRule};
use crate::arena::series::pair_of_games;
use crate::clock::TimeControl;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::minimax::{Engine, Limits};
use crate::threads;

/// Random moves at the start of each game.
pub const PLIES: usize = 6;
/// Moves of both sides after which a game is a draw.
const MOST_MOVES: usize = 300;
/// Games in which both players see one of them ahead by this for four moves each are decided.
const CLEAR: ResignRule = ResignRule {
    moves: 4,
    score: 800,
};
/// Size of the table of a player in MiB: searches are short.
const TABLE_MIB: usize = 1;

/// How games between weights are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuelSettings {
    /// Nodes per move.
    pub nodes: u64,
    /// Games of each individual in a generation, an even number.
    pub games: usize,
}

/// The conditions of these games.
pub fn conditions<G: BoardGame>(initial: &G, nodes: u64, openings: String) -> BoardConditions<G> {
    BoardConditions {
        initial: initial.clone(),
        time: TimeControl::Unlimited,
        nodes: Some(nodes),
        depth: None,
        margin: Duration::ZERO,
        max_moves: MOST_MOVES,
        adjudication: Adjudication {
            resign: Some(CLEAR),
            draw: None,
        },
        openings,
    }
}

/// A player with this evaluation.
pub fn player<G: BoardGame>(
    name: &str,
    evaluation: G::Evaluation,
    stop: &Arc<AtomicBool>,
) -> Box<dyn BoardPlayer<G>> {
    let engine = Engine::new(evaluation, TABLE_MIB);
    let name = name.to_owned();
    Box::new(EnginePlayer::new(name, engine, Limits::default(), stop))
}

/// The points of the first of two weights in two games of an opening.
pub fn points_in_pair<G: BoardGame>(
    conditions: &BoardConditions<G>,
    opening: &BoardOpening<G>,
    evaluation: &G::Evaluation,
    [first, second]: [&Genome; 2],
    stop: &Arc<AtomicBool>,
) -> Result<f64> {
    let with = |genome| evaluation.with_weights(&weights(genome));
    let mut first = player("first", with(first), stop);
    let mut second = player("second", with(second), stop);
    let points = pair_of_games(conditions, opening, first.as_mut(), second.as_mut())?;
    ensure!(!stop.load(Ordering::Relaxed), "interrupted");
    Ok(points)
}

/// Games of a population against opponents.
pub struct Duel<'a, G: BoardGame> {
    /// Where openings begin.
    pub initial: &'a G,
    /// The evaluation whose weights are meant.
    pub evaluation: &'a G::Evaluation,
    /// How games are played.
    pub settings: &'a DuelSettings,
    /// Of the openings.
    pub seed: u64,
    /// Threads that play.
    pub threads: usize,
    /// At least one; individuals play each equally often, as far as possible.
    pub opponents: Vec<Genome>,
    /// Ends the games.
    pub stop: &'a Arc<AtomicBool>,
}

impl<G: BoardGame> Duel<'_, G> {
    /// Points per game of each individual, which are comparable within the generation.
    pub fn scores(&self, generation: usize, population: &[Genome]) -> Result<Vec<f64>> {
        let pairs = self.settings.games.div_ceil(2).max(1);
        let seed = self.seed.wrapping_add(generation as u64);
        let book = Book::random(self.initial, PLIES, pairs, seed)?;
        let conditions = conditions(self.initial, self.settings.nodes, book.source);
        let jobs =
            (0..population.len()).flat_map(|individual| (0..pairs).map(move |it| (individual, it)));
        let results = threads::for_each_on(
            self.threads,
            jobs.collect(),
            "tune",
            |(individual, pair)| {
                let opponent = &self.opponents[pair % self.opponents.len()];
                let opening = &book.openings[pair % book.openings.len()];
                let points = points_in_pair(
                    &conditions,
                    opening,
                    self.evaluation,
                    [&population[individual], opponent],
                    self.stop,
                );
                (individual, points)
            },
        );
        let mut scores = vec![0.0; population.len()];
        for (individual, points) in results {
            scores[individual] += points?;
        }
        // Points are halves, so that their sums are exact and do not depend on the order of the games.
        Ok(scores
            .iter()
            .map(|points| points / (2 * pairs) as f64)
            .collect())
    }
}
