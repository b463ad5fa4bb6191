//! What may be typed on the command line; the comments are the help. What it means is decided in
//! [`crate::cmd`].

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cmd;

/// A Go engine that speaks GTP.
#[derive(Parser)]
#[command(name = "keima", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without it, `gtp`.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of `gtp`.
    #[command(flatten)]
    pub gtp: GtpArguments,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Play over GTP on stdin and stdout.
    Gtp(GtpArguments),
    /// Play two GTP engines against each other.
    Match(cmd::match_engines::MatchArguments),
    /// Run golden GTP scripts against an engine.
    Regress(cmd::regress::RegressArguments),
    /// Search stored positions and print one number that changes when the search does.
    Bench,
    /// Count the leaves of the game tree.
    Perft(PerftArguments),
}

/// Options of the engine.
#[derive(Args, Clone)]
pub struct GtpArguments {
    /// How moves are found.
    #[command(flatten)]
    pub player: PlayerArguments,
    /// Rule set at the start: a name such as chinese or japanese, or KataGo's JSON.
    #[arg(long, default_value = "tromp-taylor", value_name = "RULES")]
    pub rules: String,
    /// Komi at the start; by default the one usual under the rules.
    #[arg(long, allow_negative_numbers = true, value_name = "POINTS")]
    pub komi: Option<f64>,
    /// Board size at the start: 19, or 9x13.
    #[arg(long, default_value = "19")]
    pub size: String,
    /// Answer to the command `name`.
    #[arg(long, default_value = "keima")]
    pub gtp_name: String,
    /// Answer to the command `version`.
    #[arg(long, default_value = env!("CARGO_PKG_VERSION"))]
    pub gtp_version: String,
}

/// Who decides on the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlayerKind {
    /// Search guided by a network.
    Puct,
    /// Search over random games (UCT); needs no network.
    Rollout,
    /// The network's most probable move, without search.
    Policy,
    /// The move whose position the network likes best, one move deep.
    Value,
    /// Any legal move that fills no eye.
    Random,
}

/// How moves are found.
#[derive(Args, Clone)]
pub struct PlayerArguments {
    /// Network to play with, in KataGo's format. Without it, the one built in, or none.
    #[arg(long, value_name = "FILE")]
    pub model: Option<std::path::PathBuf>,
    /// Who decides on the moves; by default puct with a network, rollout without.
    #[arg(long, value_enum)]
    pub player: Option<PlayerKind>,
    /// Positions in the tree for each move, those kept from the move before included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub visits: Option<u32>,
    /// New positions for each move.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub playouts: Option<u32>,
    /// Seconds for each move where the game has no clock.
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// Threads that search; by default as many as there are cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Random games for each evaluation without a network.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub rollouts: u32,
    /// Memory for remembered evaluations, in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 256)]
    pub cache_mb: usize,
    /// Seed of all random choices; by default a new one each time.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Sets a parameter of the search, for example --set cpuct=1.5. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
}

/// Options of `perft`.
#[derive(Args)]
pub struct PerftArguments {
    /// Length of the move sequences.
    #[arg(long, default_value_t = 4)]
    pub depth: u32,
    /// Board size: 5, or 3x4.
    #[arg(long, default_value = "5")]
    pub size: String,
    /// Rule set.
    #[arg(long, default_value = "tromp-taylor")]
    pub rules: String,
}
