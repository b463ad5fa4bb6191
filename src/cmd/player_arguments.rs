//! Options that say which player decides on the moves, and how.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::device::DeviceArguments;
use super::settings;
use crate::nn::metadata::HumanProfile;
use crate::nn::settings::Symmetries;

/// Memory for cached evaluations where nothing else is said, in megabytes.
const CACHE_MB: u32 = 256;

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
#[derive(Args, Clone)]
pub struct PlayerArguments {
    /// Network to play with: a KataGo or Leela Zero file, or a checkpoint; by default the built-in
    /// ones, one for boards up to 11x11 and one for larger boards
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// Player that chooses the moves; by default puct with a network, rollout without
    #[arg(long, value_enum, value_name = "NAME")]
    pub player: Option<PlayerKind>,

    /// Visits for each move, including those kept from the previous tree
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, { u32::MAX }>)]
    pub visits: Option<u32>,

    /// New visits for each move
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, { u32::MAX }>)]
    pub playouts: Option<u32>,

    /// Time for each move where the game has no clock
    #[arg(long, value_name = "SECONDS", value_parser = settings::positive_seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,

    /// Search threads; by default one for each core
    #[arg(long, value_name = "N", value_parser = settings::whole::<1, 1024>)]
    pub threads: Option<u32>,

    /// Rank to imitate, from rank_20k to rank_9d; for networks trained on human games
    #[arg(long, value_name = "PROFILE")]
    pub human_profile: Option<HumanProfile>,

    /// Symmetries shown to the network: random, average (of all eight, which takes eight times as
    /// long), none, or one from 0 to 7; by default random
    #[arg(long, value_name = "HOW")]
    pub symmetries: Option<Symmetries>,

    /// Positions from all threads that are evaluated in one batch; 1 lets each thread evaluate its
    /// own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = settings::whole::<1, 4096>)]
    pub batch: u32,

    /// What computes the network.
    #[command(flatten)]
    pub device: DeviceArguments,

    /// Rollouts for each evaluation without a network
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = settings::whole::<1, { u32::MAX }>)]
    pub rollouts: u32,

    /// Weight of a rollout's result in each value of the network, from 0 to 1; 0 by default
    #[arg(long, value_name = "SHARE", value_parser = settings::share)]
    pub rollout_mix: Option<f32>,

    /// Memory for cached evaluations, in megabytes
    #[arg(long, value_name = "MB", default_value_t = CACHE_MB, value_parser = settings::whole::<0, { 1 << 20 }>)]
    pub cache_mb: u32,

    /// Memory for the search tree, in megabytes: a search or analysis that reaches it adds nothing
    /// more and answers with what it has found; by default a quarter of the memory available to the
    /// process, at least 64 and at most 2048
    #[arg(long, value_name = "MB", value_parser = settings::whole::<1, { 1 << 30 }>)]
    pub max_memory: Option<u32>,

    /// Seed of all random choices: games with one thread and a limit of visits repeat themselves, on
    /// machines that compute the network by the same instructions (KEIMA_ISA: with `portable` figures
    /// are rounded otherwise than with `avx2`); by default a new one for each game
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Search parameters to start from; by default those that suit the player
    #[arg(long, value_name = "NAME")]
    pub preset: Option<SearchPreset>,

    /// Parameter of the search or the network, for example cpuct=1.5; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = settings::parameters())]
    pub settings: Vec<String>,
}

/// What holds where no option is given.
impl Default for PlayerArguments {
    fn default() -> PlayerArguments {
        PlayerArguments {
            model: None,
            player: None,
            visits: None,
            playouts: None,
            seconds: None,
            threads: None,
            human_profile: None,
            symmetries: None,
            batch: 1,
            device: DeviceArguments::default(),
            rollouts: 1,
            rollout_mix: None,
            cache_mb: CACHE_MB,
            max_memory: None,
            seed: None,
            preset: None,
            settings: Vec::new(),
        }
    }
}
