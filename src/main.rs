//! The program: parse, dispatch, print the chain of errors.

use std::process::ExitCode;

use clap::Parser;
use keima::cli::Cli;
use keima::console::tell;

fn main() -> ExitCode {
    match keima::cmd::run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            tell(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
