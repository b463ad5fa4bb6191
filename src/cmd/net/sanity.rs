//! `keima net sanity`: tests whether a network's outputs are consistent with rules and komi.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::value_parser;
use serde_json::{Map, Value, json};

use crate::cmd::device::DeviceArguments;
use crate::cmd::settings;
use crate::console::{say, tell};
use crate::go::{BoardSize, Symmetry};
use crate::nn::evaluator::NetSettings;
use crate::nn::network::Network;
use crate::nn::symmetry_choice::SymmetryChoice;

mod checks;
mod positions;

use checks::{Finding, Findings};

/// Exit status for a net that fails; errors have 1.
const FAILED: u8 = 3;

/// Test a network's outputs against facts about rules and komi
///
/// Positions come from games that the network plays against itself by its policy. Its win rate must
/// not rise with komi, and its lead must fall by a point per point of komi; area and territory
/// scoring must agree on quiet boards; it must pass when nothing is left to do, and not before. The
/// exit status is 3 if one of these fails.
#[derive(clap::Args)]
pub struct SanityArguments {
    /// Network: a KataGo file or a checkpoint
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u32).range(1..=100_000))]
    positions: u32,

    /// Board sizes, used in turn
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_value = "9,13,19", value_parser = settings::board_size)]
    sizes: Vec<BoardSize>,

    /// Random seed of the games
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Runs the checks and prints the results.
pub fn run(arguments: &SanityArguments) -> Result<ExitCode> {
    let network = Network::read_file(&arguments.model)?;
    let unusable = || format!("{} cannot be tested", arguments.model.display());
    if let Network::LeelaZero(_) = network {
        bail!("{}: it knows neither rules nor komi", unusable());
    }
    let opened = arguments.device.open()?;
    // The symmetry is fixed, so that compared evaluations do not differ by it.
    let settings = NetSettings {
        symmetry: SymmetryChoice::Fixed(Symmetry::IDENTITY),
        ..NetSettings::default()
    };
    let evaluator = network.evaluator(&opened.backend, settings);
    let evaluator = evaluator.with_context(unusable)?;
    let computing = opened.describe(evaluator.computing());
    tell(format_args!("{} on {computing}", network.name()));
    let count = arguments.positions as usize;
    let positions = positions::of(&evaluator, &arguments.sizes, count, arguments.seed)?;
    let findings = checks::of(&evaluator, &positions)?;
    match arguments.json {
        true => say(format_args!("{:#}", to_json(&network.name(), &findings)))?,
        false => print(&findings)?,
    }
    Ok(match findings.0.iter().all(Finding::is_fine) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAILED),
    })
}

fn to_json(name: &str, findings: &Findings) -> Value {
    let findings = findings.0.iter().map(|it| {
        let value = json!({
            "value": it.value, "wanted": it.wanted(), "cases": it.cases, "fine": it.is_fine(),
        });
        (it.name.to_owned(), value)
    });
    json!({"network": name, "findings": findings.collect::<Map<_, _>>()})
}

fn print(findings: &Findings) -> Result<()> {
    for it in &findings.0 {
        let verdict = match (it.value, it.is_fine()) {
            (None, _) => "-",
            (_, true) => "ok",
            (_, false) => "FAILS",
        };
        let (value, wanted) = (it.value_text(), it.wanted());
        say(format_args!(
            "{verdict:<6}{:<52}{value:>9}   {wanted:<16}{} cases",
            it.meaning, it.cases
        ))?;
    }
    Ok(())
}
