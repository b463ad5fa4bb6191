//! `keima perft`: leaf counts of the game tree from the empty board.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::cli::PerftArguments;
use crate::console::say;
use crate::go::perft::perft;
use crate::go::{Komi, Position};

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
