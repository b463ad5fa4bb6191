//! `keima report`: an HTML page about training runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::value_parser;

use super::device::DeviceArguments;
use crate::console::{say, tell};
use crate::data::stream::files_of;
use crate::files;
use crate::nn::evaluator::{NetEvaluator, NetSettings};
use crate::nn::network::Network;

mod calibration;
mod examples;
mod games;
pub use games::spread;
mod log;
mod loop_tables;
mod page;
mod references;
mod sections;
mod text;

use calibration::Calibration;
use examples::Example;
use log::Log;
use loop_tables::Table;
use page::Contents;

/// Sample positions and games where nothing else is said.
const SAMPLES: u16 = 8;

/// Make an HTML report of training runs: curves, accuracy, sample positions, settings
///
/// The page is one self-contained file. Runs are those of `keima train`; self-play folders are
/// shown too, with the training run in their folder `train`, if there is one.
#[derive(clap::Args)]
pub struct ReportArguments {
    /// Folders of runs, the most important one first
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,

    /// File for the page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,

    /// Network for the sample positions; by default the averaged network of the first run
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Labels for the sample positions and the calibration; by default the first run's validation
    /// labels
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    labels: Vec<PathBuf>,

    /// Number of sample positions
    #[arg(long, value_name = "N", default_value_t = SAMPLES, value_parser = value_parser!(u16).range(..=200))]
    positions: u16,

    /// Number of self-play games
    #[arg(long, value_name = "N", default_value_t = SAMPLES, value_parser = value_parser!(u16).range(..=200))]
    games: u16,

    /// Print a summary of the folders instead of making a page
    #[arg(long)]
    text: bool,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Writes the page.
pub fn run(arguments: &ReportArguments) -> Result<ExitCode> {
    let runs = Runs::read(&arguments.runs)?;
    if arguments.text {
        let text = text::text(&arguments.runs, &runs.logs, &runs.tables)?;
        say(format_args!("{}", text.trim_end()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (examples, calibration) = match examples_of(arguments, &runs.logs) {
        Ok(examples) => examples,
        Err(error) => {
            tell(format_args!("no sample positions: {error:#}"));
            Default::default()
        }
    };
    let page = runs.page(arguments, &examples, &calibration)?;
    files::write_page(&arguments.out, &page)?;
    say(format_args!("{}", arguments.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// An error if the folders are no runs.
pub(super) fn check(folders: &[PathBuf]) -> Result<()> {
    Runs::read(folders).map(drop)
}

/// The page of runs with the default samples; without sample positions where there are none.
pub(super) fn page_of(folders: &[PathBuf], device: DeviceArguments) -> Result<String> {
    let arguments = ReportArguments {
        runs: folders.to_vec(),
        out: PathBuf::new(),
        model: None,
        labels: Vec::new(),
        positions: SAMPLES,
        games: SAMPLES,
        text: false,
        device,
    };
    let runs = Runs::read(folders)?;
    let (examples, calibration) = examples_of(&arguments, &runs.logs).unwrap_or_default();
    runs.page(&arguments, &examples, &calibration)
}

/// What the folders of runs tell.
struct Runs {
    logs: Vec<Log>,
    tables: Vec<Table>,
}

impl Runs {
    fn read(folders: &[PathBuf]) -> Result<Runs> {
        let mut logs: Vec<Log> = Vec::new();
        for run in folders {
            logs.extend(Log::read(run)?);
        }
        let tables = loop_tables::of(folders)?;
        let first = folders.first().map_or(Path::new(""), PathBuf::as_path);
        ensure!(
            !logs.is_empty() || !tables.is_empty(),
            "{} is no folder of `keima train` or `keima selfplay`",
            first.display()
        );
        Ok(Runs { logs, tables })
    }

    fn page(
        &self,
        arguments: &ReportArguments,
        examples: &[Example],
        calibration: &Calibration,
    ) -> Result<String> {
        page::page(&Contents {
            logs: &self.logs,
            tables: &self.tables,
            games: &games::of(&arguments.runs, arguments.games.into())?,
            calibration,
            examples,
        })
    }
}

fn examples_of(arguments: &ReportArguments, logs: &[Log]) -> Result<(Vec<Example>, Calibration)> {
    if arguments.positions == 0 {
        return Ok(Default::default());
    }
    let first = logs.first();
    let of_run = || first.map(|log| log.path.join("net.safetensors"));
    let model = arguments.model.clone().or_else(of_run);
    let model = model.context("there is no network: see --model")?;
    let labels = match (&arguments.labels[..], first) {
        ([], Some(log)) => &log.manifest.plan.validate[..],
        (given, _) => given,
    };
    ensure!(!labels.is_empty(), "there are no labels: see --labels");
    let evaluator = evaluator(&model, &arguments.device)?;
    let shards = examples::shards(&files_of(labels)?)?;
    let examples = examples::of(&evaluator, &shards, arguments.positions.into())?;
    Ok((examples, calibration::of(&evaluator, &shards)?))
}

fn evaluator(model: &Path, device: &DeviceArguments) -> Result<NetEvaluator> {
    let net = Network::read_file(model)?.into_net()?;
    let network = Network::KataGo(Box::new(net));
    network.evaluator(&device.open()?.backend, NetSettings::default())
}
