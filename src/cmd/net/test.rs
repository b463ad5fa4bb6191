//! `keima net test`: how well a network answers questions whose answers are known.

use std::path::PathBuf;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cmd::device::DeviceArguments;
use crate::cmd::players::load_networks;
use crate::console::{say, tell};
use crate::nn::evaluator::NetSettings;
use crate::train::data::stream::files_of;
use crate::train::exam;

/// Compare what a network says with labels, and print the differences as JSON
#[derive(clap::Args)]
pub struct TestArguments {
    /// Network: a file of KataGo's or Leela Zero's, or a checkpoint; without one those built in, each on
    /// the positions that it is for
    #[arg(value_name = "FILE")]
    model: Option<PathBuf>,

    /// Folders of labels, as `keima label` makes them
    #[arg(long, value_name = "FOLDER", num_args = 1.., required = true)]
    labels: Vec<PathBuf>,

    /// In how many symmetries each position is seen; the answers are averaged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    symmetries: u8,

    /// What computes the network.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Asks about all labels.
pub fn run(arguments: &TestArguments) -> Result<()> {
    let files = files_of(&arguments.labels)?;
    let opened = arguments.device.open()?;
    let lineup = load_networks(arguments.model.as_deref(), opened.backend.clone())?;
    let names = lineup.names();
    let team = lineup.team(NetSettings::default());
    let team = team.with_context(|| format!("{names} cannot be tested"))?;
    let computing = opened.describe(team.usual().computing());
    tell(format_args!("{names} on {computing}"));
    let style = ProgressStyle::with_template("{spinner} {human_pos} labels, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length().with_style(style.expect("the template is valid"));
    let report = exam::of_team(&team, arguments.symmetries.into(), &files, &|labels| {
        bar.inc(labels as u64);
    });
    bar.finish_and_clear();
    let report = report?;
    if let Some(text) = report.remark() {
        tell(format_args!("{text}"));
    }
    say(format_args!("{:#}", report.to_json()))
}
