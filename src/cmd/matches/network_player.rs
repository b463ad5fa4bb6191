//! Networks as players of board games besides Go: `net visits=400 model=FILE` searches, `policy model=FILE` plays the
//! move that the network expects.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::arena::board::{BoardPlayer, Choice, GameStart, Turn};
use crate::arena::board::tree_player::{KeptTree, TreePlayer};
use crate::arena::contestant::Fault;
use crate::cmd::board_games::network_for;
use crate::data::board_games::no_networks;
use crate::games::board_game::BoardGame;
use crate::nn::backend::{self, DeviceChoice, Precision};
use crate::nn::board_evaluator::BoardEvaluator;
use crate::params::Parameters;
use crate::search::{Limits, SearchParams};

/// Names of the kinds of players.
pub const KINDS: [&str; 2] = ["net", "policy"];
/// Time that a player leaves on its clock at each move.
const OVERHEAD: Duration = Duration::from_millis(10);

/// A player, described.
#[derive(Clone, Debug)]
pub struct NetworkPlayer {
    searches: bool,
    /// The network's file; without one the built-in network.
    pub model: Option<PathBuf>,
    limits: Limits,
    params: SearchParams,
    solves: bool,
}

impl NetworkPlayer {
    /// Reads a description. None if it does not begin with the name of a kind.
    pub fn parse(text: &str) -> Option<Result<NetworkPlayer>> {
        let mut words = text.split_whitespace();
        let kind = words.next().filter(|kind| KINDS.contains(kind))?;
        let mut player = NetworkPlayer {
            searches: kind == "net",
            model: None,
            limits: Limits::default(),
            params: playing_params(),
            solves: true,
        };
        let set = words.try_for_each(|setting| {
            let set = setting.split_once('=').context("a setting is NAME=VALUE");
            set.and_then(|(name, value)| player.set(name, value))
                .with_context(|| format!("'{setting}' of the player '{text}'"))
        });
        Some(set.map(|()| player))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "model" => self.model = Some(value.into()),
            "solver" => self.solves = value.parse().context("solver is true or false")?,
            _ if !self.searches => bail!("there is no such setting: there are model and solver"),
            "visits" => {
                let visits = value.parse().ok().filter(|visits| *visits > 0);
                self.limits.visits = Some(visits.context("visits is a whole number above 0")?);
            }
            "time" => {
                let seconds = value.parse().ok().filter(|seconds| *seconds > 0.0);
                let time = seconds.and_then(|time| Duration::try_from_secs_f64(time).ok());
                self.limits.time = Some(time.context("time is a number of seconds for each move")?);
            }
            _ => self.params.set(name, value)?,
        }
        Ok(())
    }

    /// Whether it knows by itself how long to think.
    pub fn has_limits(&self) -> bool {
        !self.searches || self.limits != Limits::default()
    }

    /// The network, ready to play.
    pub fn evaluator<G: BoardGame>(&self) -> Result<BoardEvaluator<G>> {
        let inputs = G::NETWORK_INPUTS.with_context(|| no_networks::<G>())?;
        let net = network_for::<G>(self.model.as_deref())?;
        let backend = backend::open(DeviceChoice::Auto, Precision::Auto)?.backend;
        let evaluator = BoardEvaluator::new(&net, inputs, &backend)?;
        Ok(match self.solves {
            true => evaluator,
            false => evaluator.without_solver(),
        })
    }

    /// Makes the player. Once `stop` is set it gives up its game.
    pub fn make<G: BoardGame>(
        &self,
        name: &str,
        evaluator: &BoardEvaluator<G>,
        stop: &Arc<AtomicBool>,
    ) -> Box<dyn BoardPlayer<G>> {
        let evaluator = evaluator.clone();
        match self.searches {
            true => {
                let (moves, limits) = (evaluator.inputs().moves, (self.limits, OVERHEAD));
                let evaluator = Box::new(evaluator);
                let tree = KeptTree::new(self.params).with_moves(moves);
                Box::new(TreePlayer::new(name.to_owned(), tree, evaluator, limits, stop))
            }
            false => Box::new(PolicyPlayer {
                name: name.to_owned(),
                evaluator,
            }),
        }
    }
}

/// Settings of a search for play: the best move, in games without a score.
pub fn playing_params() -> SearchParams {
    SearchParams {
        temperature_early: 0.0,
        temperature: 0.0,
        proves: true,
        ..SearchParams::default()
    }
}

/// Plays the most probable move.
struct PolicyPlayer<G: BoardGame> {
    name: String,
    evaluator: BoardEvaluator<G>,
}

impl<G: BoardGame> BoardPlayer<G> for PolicyPlayer<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, _game: &GameStart<G>) -> Result<()> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault> {
        let coded = self.evaluator.coded(turn.position.clone(), turn.history);
        let refused = |error: anyhow::Error| Fault::Refused(format!("{error:#}"));
        let evaluation = self.evaluator.evaluation(&coded).map_err(refused)?;
        let moves = coded.moves().iter().zip(&evaluation.policy);
        let best = moves.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (&mv, _) = best.ok_or_else(|| Fault::Refused("there is no legal move".to_owned()))?;
        Ok(Choice {
            mv,
            score: None,
            depth: None,
        })
    }
}
