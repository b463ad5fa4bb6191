//! `keima uci`: chess for clients that speak UCI.

use std::io::{self, BufReader};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use super::board_games::serve_uci;

/// Play chess over UCI on stdin and stdout
#[derive(Args)]
pub struct UciArguments {}

/// Plays until the input ends or says `quit`.
pub fn run(_arguments: &UciArguments) -> Result<ExitCode> {
    serve_uci(BufReader::new(io::stdin()), io::stdout()).context("cannot answer")?;
    Ok(ExitCode::SUCCESS)
}
