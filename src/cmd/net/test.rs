//! `keima net test`: how well a network answers questions whose answers are known.

use std::path::PathBuf;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cmd::device::DeviceArguments;
use crate::console::{say, tell};
use crate::nn::evaluator::NetSettings;
use crate::nn::network::Network;
use crate::train::data::stream::files_of;
use crate::train::exam;

/// Compare what a network says with labels, and print the differences as JSON
#[derive(clap::Args)]
pub struct TestArguments {
    /// Network: a file of KataGo's or Leela Zero's, or a checkpoint
    #[arg(value_name = "FILE")]
    model: PathBuf,

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
    let network = Network::read_file(&arguments.model)?;
    let opened = arguments.device.open()?;
    let unusable = || format!("{} cannot be tested", arguments.model.display());
    let evaluator = network.evaluator(&opened.backend, NetSettings::default());
    let evaluator = evaluator.with_context(unusable)?;
    let computing = opened.describe(evaluator.computing());
    tell(format_args!("{} on {computing}", network.name()));
    let style = ProgressStyle::with_template("{spinner} {human_pos} labels, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length().with_style(style.expect("the template is valid"));
    let report = exam::of_evaluator(&evaluator, arguments.symmetries.into(), &files, &|labels| {
        bar.inc(labels as u64);
    });
    bar.finish_and_clear();
    let report = report?;
    if let Some(text) = report.remark() {
        tell(format_args!("{text}"));
    }
    say(format_args!("{:#}", report.to_json()))
}
