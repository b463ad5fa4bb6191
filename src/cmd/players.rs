//! Builds players from a resolved configuration: networks, the evaluations by them, the search.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};

use super::device::{default_batch, evaluating_threads};
use super::engine_config::EngineConfig;
use super::player_arguments::PlayerKind;
use super::rollout_policy::read_weights;
use crate::console::tell;
use crate::games::rollout_evaluator::SensibleEvaluator;
use crate::games::rollout_policy::Tables;
use crate::go::BoardSize;
use crate::nn::backend::Backend;
use crate::nn::metadata::check_profile;
use crate::nn::network::{BUILT_IN, Network, is_built_in};
use crate::nn::network_set::NetworkSet;
use crate::nn::settings::NetParams;
use crate::nn::{default_network, default_small_network};
use crate::player::Player;
use crate::player::evaluation_player::{Choice, EvaluationPlayer};
use crate::player::evaluators::{Evaluators, Rollouts, ownership_by_rollouts};
use crate::player::networks::Networks;
use crate::player::search_player::{HUMAN_PROFILE, SearchPlayer};
use crate::player::view::View;
use crate::search::players::PolicyPlayer;

/// For display: a search without a network.
pub(super) const ROLLOUTS: &str = "search over rollouts (no network)";

/// Whom a network of human play imitates as long as nobody is named, which is never seen.
const ANY_PROFILE: &str = "rank_5k";

/// A player, and a line that says what it is.
pub struct BuiltPlayer {
    /// The player.
    pub player: Box<dyn Player>,
    /// What it plays with, for display.
    pub description: String,
}

/// Builds the player that the configuration describes.
pub fn build(config: &EngineConfig) -> Result<BuiltPlayer> {
    Ok(Builder::new(config.clone())?.player())
}

/// Makes players that a configuration describes; they share networks, which are loaded once.
pub struct Builder {
    config: EngineConfig,
    /// None for kinds of players without network.
    loaded: Option<LoadedNetworks>,
    /// Of rollouts without network.
    learned: Option<Arc<Tables>>,
}

impl Builder {
    /// Loads the networks.
    pub fn new(config: EngineConfig) -> Result<Builder> {
        let loaded = match config.kind {
            PlayerKind::Random | PlayerKind::Rollout => None,
            _ => {
                let default = |backend: &Backend| default_batch(threads(&config, backend), backend);
                let batch = |backend: &Backend| config.batch.unwrap_or_else(|| default(backend));
                Some(load(&config, batch)?)
            }
        };
        // Networks come with theirs.
        let learned = match loaded {
            Some(_) => None,
            None => learned_policy(&config)?,
        };
        Ok(Builder {
            config,
            loaded,
            learned,
        })
    }

    /// A player that shares evaluations with the others of its kind.
    pub fn player(&self) -> BuiltPlayer {
        self.player_with(Networks::clone)
    }

    /// A player whose moves do not depend on what others evaluate.
    pub fn independent_player(&self) -> BuiltPlayer {
        let cache_bytes = cache_bytes(&self.config);
        self.player_with(|networks| networks.clone().with_own_store(cache_bytes))
    }

    fn player_with(&self, networks: impl Fn(&Networks) -> Networks) -> BuiltPlayer {
        match (&self.loaded, self.config.kind) {
            (Some(loaded), _) => network_player(&self.config, loaded, networks),
            (None, PlayerKind::Random) => random_player(&self.config),
            (None, _) => rollout_player(&self.config, self.learned.clone()),
        }
    }
}

/// Memory for cached evaluations.
fn cache_bytes(config: &EngineConfig) -> usize {
    (config.cache_mb as usize) << 20
}

/// Threads of a search.
pub(super) fn threads(config: &EngineConfig, backend: &Backend) -> usize {
    match config.source.find("numSearchThreads") {
        Some(_) => config.player.search.threads as usize,
        None => evaluating_threads(None, backend),
    }
}

/// The network of a file, or those built in.
pub(super) fn load_networks(file: Option<&Path>, backend: Backend) -> Result<NetworkSet> {
    let built_in = |bytes| Network::read_bytes(bytes).context("cannot use the built-in network");
    // The name of the first means what is used without a name: both.
    let file = file.filter(|file| !is_built_in(file) || **file != *BUILT_IN[0]);
    let default = match (file, default_network()) {
        (Some(file), _) => return Ok(NetworkSet::new(Network::read_file(file)?, backend)),
        (None, Some(bytes)) => NetworkSet::new(built_in(bytes)?, backend),
        (None, None) => bail!("this player needs a network: give one with --model"),
    };
    Ok(match default_small_network() {
        Some(bytes) => default.with_small(built_in(bytes)?),
        None => default,
    })
}

fn random_player(config: &EngineConfig) -> BuiltPlayer {
    let view = View::new(Arc::new(SensibleEvaluator)).with_ownership(ownership_by_rollouts());
    let choice = Choice::Policy(Box::new(PolicyPlayer::new(1.0, config.seed)));
    BuiltPlayer {
        player: Box::new(EvaluationPlayer::new(choice, Box::new(view))),
        description: "random moves".to_string(),
    }
}

/// The learned policy of rollouts that the configuration names; none for that of the program.
pub(super) fn learned_policy(config: &EngineConfig) -> Result<Option<Arc<Tables>>> {
    match &config.rollout_weights {
        Some(file) => Ok(Some(Arc::new(Tables::new(&read_weights(file)?)))),
        None => Ok(None),
    }
}

fn rollout_player(config: &EngineConfig, learned: Option<Arc<Tables>>) -> BuiltPlayer {
    let rollouts = Rollouts::new(config.rollouts, config.seed).with_learned(learned);
    let player = SearchPlayer::new(config.player, Box::new(rollouts));
    BuiltPlayer {
        player: Box::new(player.with_fresh_seeds(config.renews_seed)),
        description: ROLLOUTS.to_string(),
    }
}

/// The network of human play, if there is one; whom it imitates may change later.
fn human_networks(
    config: &EngineConfig,
    backend: Backend,
    batch: usize,
) -> Result<Option<Networks>> {
    let Some(file) = &config.human_model else {
        return Ok(None);
    };
    let network = Network::read_file(file)?;
    ensure!(
        network.takes_profile(),
        "{} is not a network of human play, which --human-model is for",
        file.display()
    );
    let params = NetParams {
        human_profile: config.net.human_profile.or(ANY_PROFILE.parse().ok()),
        ..config.net
    };
    let networks = Arc::new(NetworkSet::new(network, backend).in_batches(batch));
    Ok(Some(Networks::new(networks, params, cache_bytes(config))))
}

/// Networks as players use them.
pub(super) struct LoadedNetworks {
    /// The networks, with the configuration's parameters.
    pub networks: Networks,
    /// A network of human play, if there is one.
    pub human: Option<Networks>,
    /// What computes them.
    pub backend: Backend,
    /// For display: names, and what computes them.
    pub description: String,
}

/// Loads the networks that the configuration names, to be asked in batches of `batch` positions.
pub(super) fn load(
    config: &EngineConfig,
    batch: impl FnOnce(&Backend) -> usize,
) -> Result<LoadedNetworks> {
    let device = config.device.open()?;
    let batch = batch(&device.backend);
    let human = human_networks(config, device.backend.clone(), batch)?;
    let set = load_networks(config.model.as_deref(), device.backend.clone())?;
    let takes_profile = set.default_network().takes_profile();
    match config.source.find(HUMAN_PROFILE) {
        Some(_) if human.is_some() && !takes_profile => {}
        // As a file may speak of another network.
        Some(setting) if setting.origin.is_general() && !takes_profile => {
            tell(format_args!(
                "{}: this network imitates nobody",
                setting.origin
            ));
        }
        _ => check_profile(takes_profile, config.net.human_profile)?,
    }
    let names = set.names();
    let set = Arc::new(set.in_batches(batch));
    let networks =
        Networks::new(set, config.net, cache_bytes(config)).with_learned(learned_policy(config)?);
    let computing = device.describe(&networks.computing(BoardSize::square(19))?);
    Ok(LoadedNetworks {
        description: format!("network {names} on {computing}"),
        backend: device.backend,
        networks,
        human,
    })
}

fn network_player(
    config: &EngineConfig,
    loaded: &LoadedNetworks,
    copy: impl Fn(&Networks) -> Networks,
) -> BuiltPlayer {
    let mut params = config.player;
    params.search.threads = threads(config, &loaded.backend) as u32;
    let networks: Box<dyn Evaluators> = Box::new(copy(&loaded.networks));
    let by_evaluations = |choice, networks| Box::new(EvaluationPlayer::new(choice, networks));
    let (how, player): (_, Box<dyn Player>) = match config.kind {
        PlayerKind::Policy => {
            let choice = Choice::Policy(Box::new(PolicyPlayer::new(0.0, config.seed)));
            ("policy of", by_evaluations(choice, networks))
        }
        PlayerKind::Value => ("values of", by_evaluations(Choice::Value, networks)),
        _ => {
            let player = SearchPlayer::new(params, networks);
            let player = player.with_fresh_seeds(config.renews_seed);
            let human = loaded
                .human
                .as_ref()
                .map(|human| Box::new(copy(human)) as _);
            ("search with", Box::new(player.with_human(human)))
        }
    };
    BuiltPlayer {
        player,
        description: format!("{how} {}", loaded.description),
    }
}
