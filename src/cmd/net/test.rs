//! `keima net test`: accuracy of a network on positions with known answers.

use std::path::PathBuf;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cmd::device::DeviceArguments;
use crate::cmd::label::read_games;
use crate::cmd::players::load_networks;
use crate::console::{say, tell};
use crate::data::collection::Collection;
use crate::data::stream::files_of;
use crate::data::won_positions::{self, WonPosition};
use crate::nn::evaluator::NetSettings;
use crate::train::validation::{self, HumanMoves, Networks, Report, Winners};

use super::test_text;

/// Default symmetries for positions with a known winner.
const EXAM_SYMMETRIES: u8 = 8;

/// Compare a network's evaluations with labels, human moves, or known winners
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("questions").args(["labels", "games", "positions"]).required(true)))]
pub struct TestArguments {
    /// Network: a KataGo or Leela Zero file, or a checkpoint; by default the built-in ones, each on
    /// its boards
    #[arg(value_name = "FILE")]
    model: Option<PathBuf>,

    /// Folders of labels, as made by `keima label`; these, --games or --positions are needed
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    labels: Vec<PathBuf>,

    /// Game records, as `keima label` reads them: how often the network predicts the moves played,
    /// given the full history, komi and rules
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "labels")]
    games: Vec<PathBuf>,

    /// Game records, as `keima label` reads them, whose last position has a stated winner: how
    /// often the network predicts it
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["labels", "games"])]
    positions: Vec<PathBuf>,

    /// Maximal number of positions per game, spread evenly
    #[arg(long, value_name = "N", default_value_t = 8, requires = "games", value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,

    /// Symmetries of each position to average over. By default 1, and 8 with --positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    symmetries: Option<u8>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Results.
enum Tested {
    /// Labels or human moves.
    Compared(Report),
    /// Winners.
    Predicted(Winners),
}

/// Positions with known answers.
enum TestSet {
    Labels(Vec<PathBuf>),
    Games(Collection),
    Positions(Vec<WonPosition>),
}

/// Evaluates all labels, some positions of all games, or all positions.
pub fn run(arguments: &TestArguments) -> Result<()> {
    let test_set = test_set(arguments)?;
    let opened = arguments.device.open()?;
    let networks = load_networks(arguments.model.as_deref(), opened.backend.clone())?;
    let names = networks.names();
    let on_board = |size| {
        let evaluator = networks.evaluator(size, NetSettings::default());
        evaluator.with_context(|| format!("{names} cannot be tested"))
    };
    let computing = validation::default_network(&on_board)?;
    let computing = opened.describe(computing.computing());
    tell(format_args!("{names} on {computing}"));
    let style =
        ProgressStyle::with_template("{spinner} {human_pos} positions, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length().with_style(style.expect("the template is valid"));
    let progress = |positions| bar.inc(positions as u64);
    let tested = evaluate(arguments, &test_set, &on_board, &progress);
    bar.finish_and_clear();
    let tested = tested?;
    if let Tested::Compared(report) = &tested
        && let Some(text) = report.remark()
    {
        tell(format_args!("{text}"));
    }
    match (&tested, arguments.json) {
        (Tested::Compared(report), true) => say(format_args!("{:#}", report.to_json())),
        (Tested::Compared(report), false) => say(format_args!("{}", test_text::report(report))),
        (Tested::Predicted(winners), true) => say(format_args!("{:#}", winners.to_json())),
        (Tested::Predicted(winners), false) => say(format_args!("{}", test_text::winners(winners))),
    }
}

fn test_set(arguments: &TestArguments) -> Result<TestSet> {
    if !arguments.games.is_empty() {
        return Ok(TestSet::Games(read_games(&arguments.games)?));
    }
    if !arguments.positions.is_empty() {
        let positions = won_positions::read(&arguments.positions)?;
        return Ok(TestSet::Positions(positions));
    }
    Ok(TestSet::Labels(files_of(&arguments.labels)?))
}

fn evaluate(
    arguments: &TestArguments,
    test_set: &TestSet,
    on_board: &Networks,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Tested> {
    let symmetries = |default: u8| usize::from(arguments.symmetries.unwrap_or(default));
    let report = match test_set {
        TestSet::Labels(files) => {
            validation::of_networks(on_board, symmetries(1), files, progress)?
        }
        TestSet::Games(games) => {
            let human_moves = HumanMoves {
                per_game: arguments.per_game.into(),
                symmetries: symmetries(1),
            };
            validation::of_games(on_board, human_moves, games, progress)?
        }
        TestSet::Positions(positions) => {
            let symmetries = symmetries(EXAM_SYMMETRIES);
            let winners = validation::of_positions(on_board, symmetries, positions, progress)?;
            return Ok(Tested::Predicted(winners));
        }
    };
    Ok(Tested::Compared(report))
}
