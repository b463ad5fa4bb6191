//! Builds players from options: the network, the evaluators around it, the search.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::device::cores;
use super::player_arguments::{PlayerArguments, PlayerKind, SearchPreset};
use crate::clock::TimeParams;
use crate::console::current_parameter;
use crate::games::rollout_evaluator::{RolloutParams, SensibleEvaluator};
use crate::go::BoardSize;
use crate::memory::{self, default_tree_bytes};
use crate::nn::backend::Backend;
use crate::nn::metadata::check_profile;
use crate::nn::network::Network;
use crate::nn::network_set::NetworkSet;
use crate::nn::settings::NetParams;
use crate::nn::{LONGEST_SMALL_SIDE, default_network, default_small_network};
use crate::params::{Parameters, set_in};
use crate::player::Player;
use crate::player::analysis::AnalysisParams;
use crate::player::evaluation_player::{Choice, EvaluationPlayer};
use crate::player::evaluators::{Evaluators, Rollouts, ownership_by_rollouts};
use crate::player::networks::Networks;
use crate::player::resignation::ResignParams;
use crate::player::root_params::RootParams;
use crate::player::search_limits::SearchLimits;
use crate::player::search_player::SearchPlayer;
use crate::player::view::View;
use crate::search::params::SearchParams;
use crate::search::players::PolicyPlayer;

/// Visits of a move where nothing else limits it, for searches over random games, which are cheap.
const DEFAULT_ROLLOUT_VISITS: u64 = 10_000;
/// A player, and a line that says what it is.
pub struct BuiltPlayer {
    /// The player.
    pub player: Box<dyn Player>,
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
    refuse_useless_options(kind, arguments)?;
    match kind {
        PlayerKind::Random => random_player(arguments, seed),
        PlayerKind::Rollout => rollout_player(arguments, seed),
        _ => network_player(kind, arguments, seed),
    }
}

/// Lets a player give up hopeless games if it can, unless the options say something else.
pub fn let_resign(player: &mut BuiltPlayer, arguments: &PlayerArguments) {
    if !sets(arguments, "allowResignation") {
        // Players that cannot tell when to give up have no such parameter.
        let _ = player.player.set_parameter("allowResignation", "true");
    }
}

/// Whether the options set a parameter.
fn sets(arguments: &PlayerArguments, name: &str) -> bool {
    let mut settings = arguments.settings.iter();
    settings.any(|setting| {
        setting
            .split('=')
            .next()
            .is_some_and(|set| set.trim() == name)
    })
}

/// Whether nobody has named a seed, so that every game may have another.
fn has_free_seed(arguments: &PlayerArguments) -> bool {
    arguments.seed.is_none() && !sets(arguments, "seed")
}

/// An option that the player would have to ignore is an error.
fn refuse_useless_options(kind: PlayerKind, arguments: &PlayerArguments) -> Result<()> {
    let of_networks = [
        ("--model", arguments.model.is_some()),
        ("--human-profile", arguments.human_profile.is_some()),
        ("--symmetries", arguments.symmetries.is_some()),
        ("--rollout-mix", arguments.rollout_mix.is_some()),
    ];
    let of_searches = [
        ("--visits", arguments.visits.is_some()),
        ("--playouts", arguments.playouts.is_some()),
        ("--seconds", arguments.seconds.is_some()),
        ("--threads", arguments.threads.is_some()),
        ("--preset", arguments.preset.is_some()),
        ("--max-memory", arguments.max_memory.is_some()),
    ];
    let given = |options: &[(&'static str, bool)]| options.iter().find(|option| option.1).copied();
    if let (false, Some((option, _))) = (kind.needs_network(), given(&of_networks)) {
        bail!("this player uses no network: leave {option} out");
    }
    if let (false, Some((option, _))) = (kind.searches(), given(&of_searches)) {
        bail!("this player does not search: leave {option} out");
    }
    Ok(())
}

/// The network of a file, or those built in.
pub(super) fn load_networks(file: Option<&Path>, backend: Backend) -> Result<NetworkSet> {
    let built_in = |bytes| Network::read_bytes(bytes).context("cannot use the built-in network");
    let usual = match (file, default_network()) {
        (Some(file), _) => return Ok(NetworkSet::new(Network::read_file(file)?, backend)),
        (None, Some(bytes)) => NetworkSet::new(built_in(bytes)?, backend),
        (None, None) => bail!("this player needs a network: give one with --model"),
    };
    Ok(match default_small_network() {
        Some(bytes) => usual.with_small(built_in(bytes)?, LONGEST_SMALL_SIDE),
        None => usual,
    })
}

fn random_player(arguments: &PlayerArguments, seed: u64) -> Result<BuiltPlayer> {
    apply_settings(arguments, &mut [])?;
    let view = View::new(Arc::new(SensibleEvaluator)).with_ownership(ownership_by_rollouts());
    let choice = Choice::Policy(PolicyPlayer::new(1.0, seed));
    Ok(BuiltPlayer {
        player: Box::new(EvaluationPlayer::new(choice, Box::new(view))),
        description: "random moves".to_string(),
    })
}

fn rollout_player(arguments: &PlayerArguments, seed: u64) -> Result<BuiltPlayer> {
    let mut rollout_params = RolloutParams {
        rollouts: arguments.rollouts,
        ..RolloutParams::default()
    };
    let mut params = search_params(SearchPreset::Rave, arguments, seed);
    let mut search_limits = search_limits(arguments, DEFAULT_ROLLOUT_VISITS);
    let mut player_params = PlayerParams::default();
    let mut groups = player_params.groups();
    groups.extend([
        &mut params as &mut dyn Parameters,
        &mut search_limits,
        &mut rollout_params,
    ]);
    apply_settings(arguments, &mut groups)?;
    let evaluators = Rollouts::new(rollout_params, seed);
    let player = SearchPlayer::new(params, Box::new(evaluators), search_limits)
        .with_fresh_seeds(has_free_seed(arguments));
    let description = "search over random games (no network)".to_string();
    Ok(BuiltPlayer {
        player: Box::new(player_params.of(player)),
        description,
    })
}

fn network_player(kind: PlayerKind, arguments: &PlayerArguments, seed: u64) -> Result<BuiltPlayer> {
    let mut params = search_params(SearchPreset::Default, arguments, seed);
    let mut net_params = net_params(arguments, seed);
    let mut search_limits = search_limits(arguments, SearchLimits::default().default_visits);
    let mut player_params = PlayerParams::default();
    if kind.searches() {
        let mut groups = player_params.groups();
        groups.extend([
            &mut params as &mut dyn Parameters,
            &mut search_limits,
            &mut net_params,
        ]);
        apply_settings(arguments, &mut groups)?;
    } else {
        apply_settings(arguments, &mut [&mut net_params])?;
    }
    let device = arguments.device.open()?;
    let networks = load_networks(arguments.model.as_deref(), device.backend.clone())?;
    check_profile(
        networks.default_network().takes_profile(),
        net_params.human_profile,
    )?;
    let names = networks.names();
    let cache_bytes = (arguments.cache_mb as usize) << 20;
    let batch = arguments.batch as usize;
    let networks = Networks::new(Arc::new(networks), net_params, batch, cache_bytes);
    let computing = networks.computing(BoardSize::square(19))?;
    let computing = device.describe(&computing);
    let networks: Box<dyn Evaluators> = Box::new(networks);
    let player: Box<dyn Player> = match kind {
        PlayerKind::Policy => {
            let choice = Choice::Policy(PolicyPlayer::new(0.0, seed));
            Box::new(EvaluationPlayer::new(choice, networks))
        }
        PlayerKind::Value => Box::new(EvaluationPlayer::new(Choice::Value, networks)),
        _ => {
            let player = SearchPlayer::new(params, networks, search_limits);
            Box::new(player_params.of(player.with_fresh_seeds(has_free_seed(arguments))))
        }
    };
    let how = match kind {
        PlayerKind::Policy => "policy of",
        PlayerKind::Value => "values of",
        _ => "search with",
    };
    Ok(BuiltPlayer {
        player,
        description: format!("{how} network {names} on {computing}"),
    })
}

/// What may be set about a searching player besides its search and its evaluations.
#[derive(Default)]
struct PlayerParams {
    analysis: AnalysisParams,
    timing: TimeParams,
    resignation: ResignParams,
    root: RootParams,
}

impl PlayerParams {
    fn groups(&mut self) -> Vec<&mut dyn Parameters> {
        vec![
            &mut self.analysis,
            &mut self.timing,
            &mut self.resignation,
            &mut self.root,
        ]
    }

    fn of(self, player: SearchPlayer) -> SearchPlayer {
        player
            .with_analysis(self.analysis)
            .with_manners(self.timing, self.resignation, self.root)
    }
}

/// How the network is asked, before `--set`.
fn net_params(arguments: &PlayerArguments, seed: u64) -> NetParams {
    let defaults = NetParams::default();
    NetParams {
        symmetries: arguments.symmetries.unwrap_or(defaults.symmetries),
        symmetry_seed: seed,
        human_profile: arguments.human_profile,
        rollout_mix: arguments.rollout_mix.unwrap_or(defaults.rollout_mix),
        ..defaults
    }
}

/// Parameters of the search, before `--set`: a preset, by default `usual`, and the machine's threads.
fn search_params(usual: SearchPreset, arguments: &PlayerArguments, seed: u64) -> SearchParams {
    let preset = match arguments.preset.unwrap_or(usual) {
        SearchPreset::Default => SearchParams::default(),
        SearchPreset::Plain => SearchParams::plain(),
        SearchPreset::Alphazero => SearchParams::alphazero(),
        SearchPreset::Uct => SearchParams::uct(),
        SearchPreset::Rave => SearchParams::rave(),
    };
    SearchParams {
        threads: arguments.threads.unwrap_or(cores() as u32),
        max_tree_bytes: arguments.max_memory.map_or_else(
            || default_tree_bytes(memory::available()),
            |megabytes| u64::from(megabytes) << 20,
        ),
        seed,
        ..preset
    }
}

/// Sets what `--set` says in the groups of parameters that the player has.
fn apply_settings(arguments: &PlayerArguments, groups: &mut [&mut dyn Parameters]) -> Result<()> {
    for setting in &arguments.settings {
        let (name, value) = setting
            .split_once('=')
            .with_context(|| format!("'{setting}' is not of the form NAME=VALUE"))?;
        let name = current_parameter(name.trim());
        set_in(groups, name, value)?;
    }
    Ok(())
}

fn search_limits(arguments: &PlayerArguments, default_visits: u64) -> SearchLimits {
    SearchLimits {
        max_visits: arguments.visits.map(u64::from),
        max_playouts: arguments.playouts.map(u64::from),
        max_time: arguments.seconds,
        default_visits,
        ..SearchLimits::default()
    }
}
