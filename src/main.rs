//! The program: parse, dispatch, print the chain of errors.

use std::process::ExitCode;

use clap::Parser;
use keima::cli::Cli;

fn main() -> ExitCode {
    match keima::cmd::run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("keima: {error:#}");
            ExitCode::FAILURE
        }
    }
}
