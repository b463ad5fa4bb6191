//! `keima piskvork`: five in a row for managers that speak the protocol of Piskvork and Gomocup.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum, value_parser};

use super::board_games::{PiskvorkOptions, serve_piskvork};

/// Play gomoku over the Piskvork (Gomocup) protocol on stdin and stdout
#[derive(Args, Default)]
pub struct PiskvorkArguments {
    /// Rule until the manager sends one: freestyle (by default), standard, renju, caro, caro-exact
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,

    /// Who chooses moves; by default the network, if one is built in or named
    #[arg(long, value_enum, value_name = "NAME")]
    pub player: Option<PlayerName>,

    /// Network of the player net, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// Nodes (visits, for a network) for each move, instead of the manager's time
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Search threads; by default 1
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,

    /// Send a line MESSAGE before each move: depth, value, expected moves
    #[arg(long)]
    pub messages: bool,
}

/// Who chooses moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlayerName {
    /// Alpha-beta search over the patterns of stones
    Alphabeta,
    /// Monte Carlo tree search with a network
    Net,
}

/// Whether the program was started by a name that begins with `pbrain-`, as managers name engines, which they give no
/// arguments.
pub fn is_program_name() -> bool {
    let path = std::env::args_os().next().map(PathBuf::from);
    let name = path.as_deref().and_then(Path::file_name);
    name.is_some_and(|name| name.to_string_lossy().starts_with("pbrain-"))
}

/// Plays until the input ends or says `END`.
pub fn run(arguments: &PiskvorkArguments) -> Result<ExitCode> {
    ensure!(
        arguments.model.is_none() || arguments.player != Some(PlayerName::Alphabeta),
        "--model is for --player net"
    );
    serve_piskvork(&arguments.options(), io::stdin().lock(), io::stdout())?;
    Ok(ExitCode::SUCCESS)
}

impl PiskvorkArguments {
    /// What the session needs of them.
    pub(super) fn options(&self) -> PiskvorkOptions<'_> {
        PiskvorkOptions {
            rule: self.rule.as_deref(),
            nodes: self.nodes,
            threads: usize::from(self.threads.unwrap_or(1)),
            by_network: self.player.map(|player| player == PlayerName::Net),
            model: self.model.as_deref(),
            messages: self.messages,
        }
    }
}
