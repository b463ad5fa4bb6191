//! Options that say which player decides on the moves, and how.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::device::DeviceArguments;
use super::engine_config::{ConfigSource, Origin, Setting, value_name};
use super::settings;
use crate::nn::metadata::HumanProfile;
use crate::nn::symmetry_choice::SymmetryChoice;
use crate::player::search_player::HUMAN_PROFILE;

/// Who decides on the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlayerKind {
    /// Search guided by a network
    Puct,
    /// Search over rollouts (UCT); needs no network
    Rollout,
    /// The network's most probable move, without search
    Policy,
    /// The move after which the network's value is best, one move deep
    Value,
    /// Any legal move that fills no eye
    Random,
}

/// Where a search's parameters start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchPreset {
    /// All of KataGo's features
    Default,
    /// Without weighting, bias correction and graph search
    Plain,
    /// Like the first replicas of AlphaZero
    Alphazero,
    /// UCB1 without priors
    Uct,
    /// UCT with all-moves-as-first values (RAVE)
    Rave,
}

impl PlayerKind {
    /// Whether the player asks a network.
    pub fn needs_network(self) -> bool {
        !matches!(self, PlayerKind::Rollout | PlayerKind::Random)
    }

    /// Whether the player searches.
    pub fn searches(self) -> bool {
        matches!(self, PlayerKind::Puct | PlayerKind::Rollout)
    }
}

/// How moves are found.
#[derive(Args, Clone, Default)]
pub struct PlayerArguments {
    /// Configuration file, keima's or one of KataGo's (.cfg), or `none`; by default the one that the
    /// variable KEIMA_CONFIG names, or keima/keima.toml in the user's configuration folder, if it
    /// exists (`keima config init` makes it). May be repeated for KataGo's: later files override earlier ones
    #[arg(long, value_name = "FILE")]
    pub config: Vec<PathBuf>,

    /// Settings under KataGo's names that override the configuration file, as in maxVisits=100,rules=japanese
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub override_config: Vec<String>,

    /// Network to play with: a KataGo or Leela Zero file, a checkpoint, or a name from the folder of
    /// networks; by default the built-in ones, one for boards up to 11x11 and narrow ones, and one for
    /// larger boards
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// Network that imitates humans: it chooses the moves while --model searches; --human-profile says
    /// whom to imitate. In `analysis` it gives the fields human..., `review` does not use it
    #[arg(long, value_name = "FILE")]
    pub human_model: Option<PathBuf>,

    /// Folder in which networks are found by name; by default keima/models in your data folder
    #[arg(long, value_name = "FOLDER")]
    pub models: Option<PathBuf>,

    /// Player that chooses the moves; puct by default. `analysis`, `review` and `serve` need puct or rollout, which
    /// search
    #[arg(long, value_enum, value_name = "NAME")]
    pub player: Option<PlayerKind>,

    /// Visits for each move, including those kept from the previous tree; in `analysis` (500 by default) and `review` (100)
    /// for each position
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, { u32::MAX }>, allow_negative_numbers = true)]
    pub visits: Option<u32>,

    /// New visits for each move
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, { u32::MAX }>, allow_negative_numbers = true)]
    pub playouts: Option<u32>,

    /// Time for each move, of which a clock may allow less
    #[arg(long, value_name = "SECONDS", value_parser = settings::positive_seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,

    /// Search threads, in `analysis` and `review` of all positions together; by default one for each core, 128 for each GPU
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, 1024>, allow_negative_numbers = true)]
    pub threads: Option<u32>,

    /// Whom to imitate: rank_5k (from rank_20k to rank_9d), rank_5k_3d for Black and White, preaz_5k
    /// before AlphaZero, proyear_1990; for networks trained on human games
    #[arg(long, value_name = "PROFILE")]
    pub human_profile: Option<HumanProfile>,

    /// Symmetries shown to the network: random, average (of all eight, which takes eight times as
    /// long), none, or one from 0 to 7; by default random
    #[arg(long, value_name = "HOW")]
    pub symmetries: Option<SymmetryChoice>,

    /// Positions from all threads that are evaluated in one batch; 1, the default on CPUs, lets each thread
    /// evaluate its own; on GPUs by default half the threads
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, 4096>, allow_negative_numbers = true)]
    pub batch: Option<u32>,

    /// What computes the network.
    #[command(flatten)]
    pub device: DeviceArguments,

    /// Rollouts for each evaluation without a network; 1 by default
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, { u32::MAX }>, allow_negative_numbers = true)]
    pub rollouts: Option<u32>,

    /// Play rollouts, those of --rollout-mix too, by a policy that `keima rollout-policy train` has learned; the
    /// built-in one: --set rolloutPolicy=learned or rolloutMixPolicy=learned
    #[arg(long, value_name = "FILE")]
    pub rollout_weights: Option<PathBuf>,

    /// Weight of a rollout's result in each value of the network, from 0 to 1; 0 by default
    #[arg(long, value_name = "SHARE", value_parser = settings::share)]
    pub rollout_mix: Option<f32>,

    /// Memory for cached evaluations, in megabytes; 256 by default
    #[arg(long, value_name = "MB", value_parser = settings::whole::<0, { 1 << 20 }>, allow_negative_numbers = true)]
    pub cache_mb: Option<u32>,

    /// Memory limit of the search tree, in megabytes; a search that reaches it answers with what it has
    /// found. By default a quarter of the memory available to the process, at least 64 and at most 2048
    #[arg(long, value_name = "MB", value_parser = settings::whole::<1, { 1 << 30 }>, allow_negative_numbers = true)]
    pub max_memory: Option<u32>,

    /// Seed of all random choices: games with one thread and a limit of visits repeat themselves, on
    /// machines that compute the network by the same instructions (KEIMA_ISA: with `portable` values
    /// are rounded otherwise than with `avx2`); by default a new one for each game
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Search parameters to start from; by default those that suit the player
    #[arg(long, value_name = "NAME")]
    pub preset: Option<SearchPreset>,

    /// Parameter of the search or the network, for example cpuctExploration=1.5; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = settings::parameters())]
    pub settings: Vec<String>,
}

impl PlayerArguments {
    /// The options as a source of the configuration.
    pub fn source(self) -> Result<ConfigSource> {
        let mut source = ConfigSource::default();
        for file in self.config {
            source.add("config", Some(file));
        }
        let overrides = self.override_config.join(",");
        let overrides = (!overrides.is_empty()).then_some(overrides);
        source.add("override-config", overrides);
        source.add("model", self.model);
        source.add("human-model", self.human_model);
        source.add("models", self.models);
        source.add("player", self.player.map(|it| value_name(&it)));
        source.add("preset", self.preset.map(|it| value_name(&it)));
        source.add("rollout-weights", self.rollout_weights);
        source.add("device", text(self.device.device));
        source.add("precision", text(self.device.precision));
        source.add("batch", text(self.batch));
        source.add("cache-mb", text(self.cache_mb));
        source.add("seed", text(self.seed));
        source.add_as("visits", "maxVisits", text(self.visits));
        source.add_as("playouts", "maxPlayouts", text(self.playouts));
        source.add_as("seconds", "maxTime", text(self.seconds));
        source.add_as("threads", "numSearchThreads", text(self.threads));
        source.add_as("human-profile", HUMAN_PROFILE, text(self.human_profile));
        source.add("symmetries", text(self.symmetries));
        source.add("rollouts", text(self.rollouts));
        source.add_as("rollout-mix", "rolloutMix", text(self.rollout_mix));
        let tree_bytes = self.max_memory.map(|megabytes| u64::from(megabytes) << 20);
        source.add_as("max-memory", "maxTreeBytes", text(tree_bytes));
        for setting in &self.settings {
            let origin = Origin::Option("--set".to_owned());
            source.settings.push(Setting::parse(origin, setting)?);
        }
        Ok(source)
    }
}

/// A value as text, which its parser accepts.
pub(super) fn text(value: Option<impl ToString>) -> Option<OsString> {
    value.map(|value| value.to_string().into())
}
