//! Games of self-play at board games besides Go, with a search for each move.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::params::BoardSelfplayParams;
use crate::data::board_games::{Search as StoredSearch, StoredGame, default_inputs};
use crate::games::board_game::{BoardGame, outcome};
use crate::games::coded::{Coded, win_loss};
use crate::games::network_inputs::NetworkInputs;
use crate::search::evaluator::{Evaluation, Evaluator, Request};
use crate::search::game::{Game, MoveCode};
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::search::params::SearchParams;
use crate::search::report::Report;

/// Openings that are drawn until one is even enough.
const MOST_OPENINGS: usize = 10;
/// Moves until half of the change from the early to the late temperature of a game.
const TEMPERATURE_HALFLIFE: f64 = 6.0;

/// Plays games of a network against itself.
pub struct BoardTable<'a, G: BoardGame> {
    /// The network.
    pub evaluator: &'a dyn Evaluator<Coded<G>>,
    /// Settings of the games.
    pub params: &'a BoardSelfplayParams,
    /// Set from outside to abandon games.
    pub stop: &'a AtomicBool,
}

/// A game in progress.
struct Progress<G: BoardGame> {
    position: G,
    keys: Vec<u64>,
    moves: Vec<String>,
}

impl<G: BoardGame> Progress<G> {
    fn play(&mut self, mv: G::Move) {
        self.moves.push(self.position.move_text(mv));
        self.keys.push(self.position.key());
        self.position.play(mv);
    }
}

impl<G: BoardGame> BoardTable<'_, G> {
    /// Plays a game of a variant; none if it was abandoned. It ends where a short search finds a forced win.
    pub fn play(&self, variant: &str, rng: &mut ChaCha8Rng) -> Result<Option<StoredGame>> {
        let inputs = default_inputs::<G>()?;
        let start = G::initial(Some(variant))?;
        let mut game = self.opening(&start, &inputs, rng)?;
        let mut searches = Vec::new();
        let result = loop {
            let position = &game.position;
            let sign = if position.to_move() == start.to_move() {
                1.0
            } else {
                -1.0
            };
            if let Some((verdict, _)) = outcome(position, &game.keys) {
                let of_first = win_loss(verdict, position.to_move());
                break (of_first * start.to_move().sign()) as f32;
            }
            if (inputs.winning_move)(position).is_some() {
                break sign;
            }
            let coded = Coded::with_moves(position.clone(), &game.keys, inputs.moves);
            let mv = match coded.moves() {
                &[only] => only,
                _ => match self.turn(coded, &game, &inputs, rng)? {
                    Some((mv, search)) => {
                        searches.extend(search);
                        mv
                    }
                    None => return Ok(None),
                },
            };
            game.play(mv);
        };
        Ok(Some(StoredGame {
            variant: variant.to_owned(),
            moves: game.moves,
            result,
            searches,
        }))
    }

    /// A few moves drawn from the policy, after which neither side is far ahead.
    fn opening(
        &self,
        start: &G,
        inputs: &NetworkInputs<G>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Progress<G>> {
        let mut drawn = 1;
        loop {
            let mut game = Progress {
                position: start.clone(),
                keys: Vec::new(),
                moves: Vec::new(),
            };
            let plies = rng.random_range(0..=self.params.opening);
            for _ in 0..plies {
                let coded = Coded::with_moves(game.position.clone(), &game.keys, inputs.moves);
                if coded.outcome().is_some() {
                    break;
                }
                let policy = self.evaluation(&coded)?.policy;
                let temperature = self.params.opening_temperature as f32;
                let weights = policy.iter().map(|p| p.max(1e-4).powf(1.0 / temperature));
                let place = WeightedIndex::new(weights)?.sample(rng);
                game.play(coded.moves()[place]);
            }
            let coded = Coded::with_moves(game.position.clone(), &game.keys, inputs.moves);
            let is_even = coded.outcome().is_none()
                && f64::from(self.evaluation(&coded)?.win_loss).abs() < self.params.even;
            if is_even || drawn == MOST_OPENINGS {
                return Ok(game);
            }
            drawn += 1;
        }
    }

    fn evaluation(&self, coded: &Coded<G>) -> Result<Evaluation> {
        self.evaluator.evaluate_one(Request::inner(coded.clone()))
    }

    /// Searches a position and chooses a move; the search is returned if it is to be learned from. None if it was stopped.
    fn turn(
        &self,
        coded: Coded<G>,
        game: &Progress<G>,
        inputs: &NetworkInputs<G>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<(G::Move, Option<StoredSearch>)>> {
        let is_full = rng.random_bool(self.params.full_share);
        let visits = match is_full {
            true => self.params.visits,
            false => self.params.fast_visits,
        };
        let params = self.search(is_full, rng.next_u64());
        let mut search = Search::new(params);
        search.set_root(coded.clone());
        search.run(self.evaluator, &Limits::visits(visits.into()), self.stop)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let ply = game.moves.len();
        let chosen = search.choose(ply).context("the search chose no move")?;
        let report = search.report().context("the search found nothing")?;
        let cell = |code: MoveCode| (inputs.cell)(&game.position, coded.mv(code)) as u16;
        let stored = is_full.then(|| StoredSearch {
            ply,
            win_loss: report.win_loss as f32,
            policy: shares(&report)
                .map(|(code, share)| (cell(code), share))
                .collect(),
        });
        let stored = stored.filter(|search| !search.policy.is_empty());
        Ok(Some((coded.mv(chosen), stored)))
    }

    /// Settings of a search.
    fn search(&self, is_full: bool, seed: u64) -> SearchParams {
        let own = self.params;
        let base = SearchParams {
            temperature_early: own.temperature_early,
            temperature: own.temperature,
            temperature_halflife: TEMPERATURE_HALFLIFE,
            // The lower confidence bound would sharpen uncertain policies.
            lcb_deviations: 0.0,
            proves: true,
            max_tree_bytes: 1 << 28,
            seed,
            ..SearchParams::default()
        };
        match is_full {
            true => SearchParams {
                root_policy_temperature: own.root_temperature,
                noise_weight: own.noise,
                ..base
            },
            false => base,
        }
    }
}

/// Moves with their shares of the search, rounded to a thousandth.
fn shares(report: &Report) -> impl Iterator<Item = (MoveCode, f32)> {
    let total: f64 = report.moves.iter().map(|tried| tried.selection_value).sum();
    let share = move |value: f64| ((1000.0 * value / total).round() / 1000.0) as f32;
    let tried = report.moves.iter();
    tried
        .map(move |tried| (tried.code, share(tried.selection_value)))
        .filter(|(_, share)| *share > 0.0)
}
