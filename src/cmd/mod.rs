//! The command line and its subcommands, which assemble players, engines and matches.

use std::process::ExitCode;

use anyhow::Result;

use clap::{Parser, Subcommand};

use bench_search::BenchArguments;
use gate::GateArguments;
use gtp::GtpArguments;
use label::LabelArguments;
use matches::MatchArguments;
use net::NetArguments;
use perft::PerftArguments;
use play::PlayArguments;
use regress::RegressArguments;
use report::ReportArguments;
use selfplay::SelfplayArguments;
use solve::SolveArguments;
use train::TrainArguments;
use tree::TreeArguments;
use uci::UciArguments;

use crate::threads::start_pool;

mod bench;
pub mod bench_search;
mod bench_tune;
mod board_games;
pub mod device;
mod engine_config;
pub mod gate;
pub mod gtp;
mod interrupts;
pub mod label;
pub mod matches;
pub mod net;
pub mod perft;
pub mod play;
pub mod player_arguments;
mod players;
pub mod regress;
pub mod report;
pub mod selfplay;
pub mod settings;
pub mod solve;
pub mod train;
mod train_progress;
pub mod tree;
pub mod uci;

/// A Go engine that speaks GTP.
#[derive(Parser)]
#[command(name = "keima", version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Subcommand; `gtp` by default.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of `gtp`.
    #[command(flatten)]
    pub gtp: GtpArguments,
}

/// The subcommands. Those without a comment have their help at their arguments.
#[derive(Subcommand)]
pub enum Command {
    /// Play over GTP on stdin and stdout; the default command
    Gtp(GtpArguments),
    Match(MatchArguments),
    Gate(GateArguments),
    Regress(RegressArguments),
    Net(NetArguments),
    Label(LabelArguments),
    Train(TrainArguments),
    Selfplay(SelfplayArguments),
    Report(ReportArguments),
    Solve(SolveArguments),
    Bench(BenchArguments),
    /// Count the leaves of the game tree
    Perft(PerftArguments),
    Uci(UciArguments),
    Play(PlayArguments),
    Tree(TreeArguments),
}

pub fn run(cli: Cli) -> Result<ExitCode> {
    start_pool(device::pool_threads());
    match cli.command {
        None => gtp::run(cli.gtp, true),
        Some(Command::Gtp(arguments)) => gtp::run(arguments, false),
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Gate(arguments)) => gate::run(&arguments),
        Some(Command::Regress(arguments)) => regress::run(&arguments),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Label(arguments)) => label::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Uci(arguments)) => uci::run(&arguments),
        Some(Command::Play(arguments)) => play::run(&arguments),
        Some(Command::Tree(arguments)) => tree::run(&arguments),
    }
}
