//! Builds players from options: the network, the evaluators around it, the search.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::cli::{PlayerArguments, PlayerKind};
use crate::games::rollout_evaluator::{RolloutEvaluator, SensibleEvaluator};
use crate::go::{BoardSize, Color, Position, Symmetry};
use crate::gtp::judge::Judge;
use crate::gtp::search_thinker::{SearchThinker, Spending};
use crate::gtp::simple_thinker::SimpleThinker;
use crate::gtp::thinker::{Network, RawNetwork, Thinker};
use crate::nn::batcher::Batcher;
use crate::nn::cache::EvalCache;
use crate::nn::desc::leela;
use crate::nn::evaluator::{NetEvaluator, NetSettings, Question, SymmetryChoice};
use crate::nn::{default_network, network};
use crate::search::evaluator::Evaluator;
use crate::search::limits::Limits;
use crate::search::params::SearchParams;
use crate::search::players::{PolicyPlayer, ValuePlayer};

/// Visits of a move where nothing else limits it: about a second on a laptop.
const DEFAULT_VISITS: u64 = 200;
/// The same for searches over random games, which are cheaper.
const DEFAULT_ROLLOUT_VISITS: u64 = 10_000;
/// Random games that decide who owns what.
const JUDGING_ROLLOUTS: u32 = 500;

/// A player, and a line that says what it is.
pub struct BuiltPlayer {
    /// The player.
    pub thinker: Box<dyn Thinker>,
    /// What it plays with, for people.
    pub description: String,
}

/// Builds the player that the options describe.
pub fn build(arguments: &PlayerArguments) -> Result<BuiltPlayer> {
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let has_network = arguments.model.is_some() || default_network().is_some();
    let kind = arguments.player.unwrap_or(if has_network {
        PlayerKind::Puct
    } else {
        PlayerKind::Rollout
    });
    if !kind.needs_network() && arguments.model.is_some() {
        bail!("this player uses no network: leave --model out");
    }
    match kind {
        PlayerKind::Random => Ok(random_player(seed)),
        PlayerKind::Rollout => rollout_player(arguments, seed),
        _ => network_player(
            kind,
            &load_network(arguments.model.as_deref())?,
            arguments,
            seed,
        ),
    }
}

/// The network of a file, or the one built in.
fn load_network(file: Option<&Path>) -> Result<network::Network> {
    match (file, default_network()) {
        (Some(file), _) => network::Network::read_file(file),
        (None, Some(bytes)) => {
            network::Network::read_bytes(bytes).context("cannot use the built-in network")
        }
        (None, None) => bail!("this player needs a network: give one with --model"),
    }
}

fn random_player(seed: u64) -> BuiltPlayer {
    let player = PolicyPlayer::new(Arc::new(SensibleEvaluator), 1.0, seed);
    let thinker = SimpleThinker::new(Box::new(player), rollout_judge(seed));
    BuiltPlayer {
        thinker: Box::new(thinker),
        description: "random moves".to_string(),
    }
}

fn rollout_player(arguments: &PlayerArguments, seed: u64) -> Result<BuiltPlayer> {
    let evaluator = Arc::new(RolloutEvaluator::new(arguments.rollouts, seed));
    let params = search_params(SearchParams::uct(), arguments, seed)?;
    let spending = spending(arguments, DEFAULT_ROLLOUT_VISITS);
    let judge = rollout_judge(seed);
    let thinker = SearchThinker::new(params, evaluator, judge, spending, Box::new(|| {}));
    let description = "search over random games (no network)".to_string();
    Ok(BuiltPlayer {
        thinker: Box::new(thinker),
        description,
    })
}

fn rollout_judge(seed: u64) -> Judge {
    Judge::new(rollouts(seed), None)
}

/// Random games enough to tell who owns what.
fn rollouts(seed: u64) -> Arc<RolloutEvaluator> {
    Arc::new(RolloutEvaluator::new(JUDGING_ROLLOUTS, seed))
}

fn network_player(
    kind: PlayerKind,
    net: &network::Network,
    arguments: &PlayerArguments,
    seed: u64,
) -> Result<BuiltPlayer> {
    let settings = NetSettings {
        symmetry: SymmetryChoice::ByPosition { seed },
        profile: arguments.human_profile,
        ..NetSettings::default()
    };
    let device = arguments.device.open()?;
    let network = Arc::new(net.evaluator(&device.backend, settings)?);
    let cache = Arc::new(EvalCache::new(
        batched(Arc::clone(&network), arguments.batch),
        (arguments.cache_mb as usize) << 20,
    ));
    let judge = match net {
        network::Network::KataGo(_) => {
            Judge::new(cache.clone(), Some(Arc::new(RawOutputs(network))))
        }
        // These know neither other boards nor owners of points.
        network::Network::LeelaZero(_) => Judge::new(cache.clone(), None)
            .with_owners(rollouts(seed))
            .only_on(BoardSize::square(leela::SIDE)),
    };
    let temperature = 0.0;
    let thinker: Box<dyn Thinker> = match kind {
        PlayerKind::Policy => {
            let player = PolicyPlayer::new(cache, temperature, seed);
            Box::new(SimpleThinker::new(Box::new(player), judge))
        }
        PlayerKind::Value => Box::new(SimpleThinker::new(Box::new(ValuePlayer::new(cache)), judge)),
        _ => {
            let params = search_params(SearchParams::default(), arguments, seed)?;
            let spending = spending(arguments, DEFAULT_VISITS);
            let forget = Arc::clone(&cache);
            let clear = Box::new(move || forget.clear());
            Box::new(SearchThinker::new(params, cache, judge, spending, clear))
        }
    };
    let how = match kind {
        PlayerKind::Policy => "policy of",
        PlayerKind::Value => "values of",
        _ => "search with",
    };
    Ok(BuiltPlayer {
        thinker,
        description: format!("{how} network {} on {device}", net.name()),
    })
}

/// The network, asked for `batch` positions at a time where more than one is wanted.
fn batched(network: Arc<NetEvaluator>, batch: u32) -> Arc<dyn Evaluator<Position>> {
    match batch {
        0 | 1 => network,
        _ => Arc::new(Batcher::new(network, batch as usize)),
    }
}

/// Parameters of the search: a preset, the machine's threads, then what the options say.
fn search_params(
    preset: SearchParams,
    arguments: &PlayerArguments,
    seed: u64,
) -> Result<SearchParams> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let threads = arguments.threads.unwrap_or(cores);
    let mut params = SearchParams {
        threads,
        seed,
        ..preset
    };
    for setting in &arguments.settings {
        let (name, value) = setting
            .split_once('=')
            .with_context(|| format!("'{setting}' is not of the form NAME=VALUE"))?;
        params.set(name.trim(), value)?;
    }
    Ok(params)
}

fn spending(arguments: &PlayerArguments, default_visits: u64) -> Spending {
    let time = arguments.seconds.map(Duration::from_secs_f64);
    let always = Limits {
        visits: arguments.visits.map(u64::from),
        playouts: arguments.playouts.map(u64::from),
        time: None,
    };
    let mut without_clock = always.with_time(time);
    if without_clock == Limits::default() {
        without_clock.visits = Some(default_visits);
    }
    Spending {
        always,
        without_clock,
    }
}

/// A network's own outputs for the protocol.
struct RawOutputs(Arc<NetEvaluator>);

impl Network for RawOutputs {
    fn raw(&self, position: &Position, symmetry: Symmetry) -> Result<RawNetwork> {
        let output = self.0.ask(position, &Question::raw(symmetry))?;
        let output = output.seen_by(Color::White);
        let area = position.size().area();
        let shown = |&share: &f32| (share >= 0.0).then_some(share);
        Ok(RawNetwork {
            symmetry,
            white_win: output.win,
            white_loss: output.loss,
            no_result: output.no_result,
            white_lead: output.lead,
            white_score_mean: output.score_mean,
            white_score_mean_square: output.score_mean_square,
            variance_time_left: output.variance_time_left,
            shortterm_win_loss_error: output.shortterm_win_loss_error,
            shortterm_score_error: output.shortterm_score_error,
            policy: output.policy[..area].iter().map(shown).collect(),
            policy_pass: output.policy[area],
            white_ownership: output.ownership,
        })
    }
}
