//! The subcommands: what was typed becomes players, engines and matches.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::{Cli, Command};
use crate::threads::start_pool;

mod bench;
pub mod bench_search;
mod bench_tune;
pub mod device;
pub mod gate;
mod gtp;
pub mod gtp_contestant;
mod interrupts;
pub mod label;
pub mod match_engines;
mod match_openings;
mod match_page;
mod match_plot;
mod match_report;
mod match_run;
pub mod net;
mod network_service;
mod perft;
mod players;
pub mod regress;
pub mod report;
mod rollout_service;
pub mod selfplay;
pub mod settings;
pub mod sprt;
pub mod train;
mod train_progress;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<ExitCode> {
    start_pool(device::pool_threads());
    match cli.command {
        None => gtp::run(cli.gtp),
        Some(Command::Gtp(arguments)) => gtp::run(arguments),
        Some(Command::Match(arguments)) => match_engines::run(&arguments),
        Some(Command::Gate(arguments)) => gate::run(&arguments),
        Some(Command::Regress(arguments)) => regress::run(&arguments),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Label(arguments)) => label::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
    }
}
