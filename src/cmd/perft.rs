//! `keima perft`: leaf counts of the game tree from the empty board.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use super::settings;
use crate::console::say;
use crate::go::perft::perft;
use crate::go::{BoardSize, Komi, Position, Rules};

#[derive(Args)]
pub struct PerftArguments {
    /// Length of the move sequences
    #[arg(long, value_name = "MOVES", default_value_t = 4)]
    pub depth: u32,

    /// Board size: 5, or width and height as in 3x4
    #[arg(long, default_value = "5", value_parser = settings::board_size)]
    pub size: BoardSize,

    /// Rule set: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON
    #[arg(long, default_value = "tromp-taylor", value_parser = settings::rules)]
    pub rules: Rules,
}

/// Prints a line for each depth.
pub fn run(arguments: &PerftArguments) -> Result<ExitCode> {
    let mut position = Position::new(arguments.size, arguments.rules, Komi::default());
    for depth in 0..=arguments.depth {
        let start = Instant::now();
        let leaves = perft(&mut position, depth);
        let seconds = start.elapsed().as_secs_f64();
        say(format_args!("{depth} {leaves} ({seconds:.2} s)"))?;
    }
    Ok(ExitCode::SUCCESS)
}
