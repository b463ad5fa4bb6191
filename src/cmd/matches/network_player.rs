//! Networks as players of board games besides Go: `net visits=400 model=FILE` searches, `policy model=FILE` plays the
//! move that the network expects, `policy-games first=10 width=20` compares moves by games drawn from its policy.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::arena::board::BoardPlayer;
use crate::arena::board::policy_player::{PolicyGames, PolicyPlayer};
use crate::arena::board::settings::{move_time, set_each};
use crate::arena::board::tree_player::{KeptTree, TreePlayer};
use crate::cmd::board_games::evaluator_for;
use crate::games::board_game::BoardGame;
use crate::nn::board_evaluator::BoardEvaluator;
use crate::params::Parameters;
use crate::search::{Limits, SearchParams};

/// Names of the kinds of players.
pub const KINDS: [&str; 3] = ["net", "policy", "policy-games"];
/// Time that a player leaves on its clock at each move.
const OVERHEAD: Duration = Duration::from_millis(10);
/// Games drawn from a policy, where nothing else is said.
const GAMES: PolicyGames = PolicyGames {
    first: 10,
    width: 10,
    depth: None,
};

/// A player, described.
#[derive(Clone, Debug)]
pub struct NetworkPlayer {
    /// The network's file; without one the built-in network.
    model: Option<PathBuf>,
    way: Way,
    /// Whether short searches for forced wins are made.
    solves: bool,
}

/// How it chooses moves.
#[derive(Clone, Debug)]
enum Way {
    Search {
        limits: Limits,
        params: Box<SearchParams>,
    },
    Policy {
        games: Option<PolicyGames>,
        seed: u64,
    },
}

impl NetworkPlayer {
    /// Reads a description. None if it does not begin with the name of a kind.
    pub fn parse(text: &str) -> Option<Result<NetworkPlayer>> {
        let mut words = text.split_whitespace();
        let kind = words.next().filter(|kind| KINDS.contains(kind))?;
        let way = match kind {
            "net" => Way::Search {
                limits: Limits::default(),
                params: Box::new(playing_params()),
            },
            kind => Way::Policy {
                games: (kind == "policy-games").then_some(GAMES),
                seed: 0,
            },
        };
        let mut player = NetworkPlayer {
            model: None,
            way,
            solves: true,
        };
        let set = set_each(text, words, |name, value| player.set(name, value));
        Some(set.map(|()| player))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let whole = || -> Result<u64> {
            let number = value.parse().ok().filter(|number| *number > 0);
            number.with_context(|| format!("{name} is a whole number above 0"))
        };
        match (&mut self.way, name) {
            (_, "model") => self.model = Some(value.into()),
            (_, "solver") => self.solves = value.parse().context("solver is true or false")?,
            (Way::Search { limits, .. }, "visits") => limits.visits = Some(whole()?),
            (Way::Search { limits, .. }, "time") => limits.time = Some(move_time(value)?),
            (Way::Search { params, .. }, _) => params.set(name, value)?,
            (Way::Policy { seed, .. }, "seed") => {
                *seed = value.parse().context("seed is a number")?
            }
            (
                Way::Policy {
                    games: Some(games), ..
                },
                "first",
            ) => games.first = whole()? as usize,
            (
                Way::Policy {
                    games: Some(games), ..
                },
                "width",
            ) => games.width = whole()? as usize,
            (
                Way::Policy {
                    games: Some(games), ..
                },
                "depth",
            ) => {
                games.depth = Some(whole()? as usize);
            }
            _ => bail!("there is no such setting"),
        }
        Ok(())
    }

    /// Whether it knows by itself how long to think.
    pub fn has_limits(&self) -> bool {
        match &self.way {
            Way::Search { limits, .. } => *limits != Limits::default(),
            Way::Policy { .. } => true,
        }
    }

    /// The network, ready to play, with the checksum of its file.
    pub fn evaluator<G: BoardGame>(&self) -> Result<(BoardEvaluator<G>, String)> {
        let (evaluator, checksum) = evaluator_for(self.model.as_deref())?;
        let evaluator = match self.solves {
            true => evaluator,
            false => evaluator.without_solver(),
        };
        Ok((evaluator, checksum))
    }

    /// Makes the player. Once `stop` is set it gives up its game.
    pub fn make<G: BoardGame>(
        &self,
        name: &str,
        evaluator: &BoardEvaluator<G>,
        stop: &Arc<AtomicBool>,
    ) -> Box<dyn BoardPlayer<G>> {
        let listing = evaluator.inputs().moves;
        let (name, evaluator) = (name.to_owned(), Box::new(evaluator.clone()));
        match &self.way {
            Way::Search { limits, params } => {
                let tree = KeptTree::new(**params).with_moves(listing);
                Box::new(TreePlayer::new(
                    name,
                    tree,
                    evaluator,
                    (*limits, OVERHEAD),
                    stop,
                ))
            }
            Way::Policy { games, seed } => Box::new(PolicyPlayer {
                name,
                evaluator,
                listing,
                games: *games,
                seed: *seed,
                stop: Arc::clone(stop),
            }),
        }
    }
}

/// Settings of a search for play: always the best move, proven where possible.
pub fn playing_params() -> SearchParams {
    SearchParams {
        temperature_early: 0.0,
        temperature: 0.0,
        proves: true,
        ..SearchParams::default()
    }
}
