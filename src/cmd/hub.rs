//! `keima hub`: draughts for clients that speak Hub.

use std::io::{self, BufReader};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::board_games::serve_hub;

/// Play draughts over the Hub protocol on stdin and stdout
#[derive(Args)]
pub struct HubArguments {
    /// Variant until the client sets one, such as russian or english; by default international draughts
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
}

/// Plays until the input ends or says `quit`.
pub fn run(arguments: &HubArguments) -> Result<ExitCode> {
    let variant = arguments.variant.as_deref();
    serve_hub(variant, BufReader::new(io::stdin()), io::stdout())?;
    Ok(ExitCode::SUCCESS)
}
