//! The subcommands: what was typed becomes players, engines and matches.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{Cli, Command};

mod bench;
pub mod bench_search;
pub mod device;
mod gtp;
pub mod gtp_contestant;
pub mod label;
pub mod match_engines;
mod match_openings;
mod match_report;
pub mod net;
mod network_service;
mod perft;
mod players;
pub mod regress;
mod rollout_service;
pub mod settings;
pub mod train;
mod train_progress;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        None => gtp::run(cli.gtp),
        Some(Command::Gtp(arguments)) => gtp::run(arguments),
        Some(Command::Match(arguments)) => match_engines::run(&arguments),
        Some(Command::Regress(arguments)) => regress::run(&arguments),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Label(arguments)) => label::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
    }
}
