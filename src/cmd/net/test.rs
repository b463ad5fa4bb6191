//! `keima net test`: how well a network answers questions whose answers are known.

use std::path::PathBuf;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cmd::device::DeviceArguments;
use crate::cmd::label::read_games;
use crate::cmd::players::load_networks;
use crate::console::{say, tell};
use crate::data::stream::files_of;
use crate::go::BoardSize;
use crate::nn::evaluator::NetSettings;
use crate::train::validation::{self, HumanMoves};

/// Compare what a network says with labels, or with people's moves, and print the differences as JSON
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("questions").args(["labels", "games"]).required(true)))]
pub struct TestArguments {
    /// Network: a file of KataGo's or Leela Zero's, or a checkpoint; without one those built in, each on
    /// the boards that it is for
    #[arg(value_name = "FILE")]
    model: Option<PathBuf>,

    /// Folders of labels, as `keima label` makes them; these or --games are needed
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    labels: Vec<PathBuf>,

    /// Game records, as `keima label` reads them: how often the network finds the moves made there,
    /// knowing all moves before, the komi and the rules
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "labels")]
    games: Vec<PathBuf>,

    /// Moves of each game that are asked about, spread evenly over it
    #[arg(long, value_name = "N", default_value_t = 8, requires = "games", value_parser = clap::value_parser!(u16).range(1..))]
    per_game: u16,

    /// In how many symmetries each position is seen; the answers are averaged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    symmetries: u8,

    /// What computes the network.
    #[command(flatten)]
    device: DeviceArguments,
}

/// Asks about all labels, or about some moves of all games.
pub fn run(arguments: &TestArguments) -> Result<()> {
    let files = files_of(&arguments.labels)?;
    let games = match arguments.games.is_empty() {
        true => None,
        false => Some(read_games(&arguments.games)?),
    };
    let opened = arguments.device.open()?;
    let networks = load_networks(arguments.model.as_deref(), opened.backend.clone())?;
    let names = networks.names();
    let on_board = |size| {
        let evaluator = networks.evaluator(size, NetSettings::default());
        evaluator.with_context(|| format!("{names} cannot be tested"))
    };
    let computing = on_board(BoardSize::square(19))?;
    let computing = opened.describe(computing.computing());
    tell(format_args!("{names} on {computing}"));
    let style =
        ProgressStyle::with_template("{spinner} {human_pos} positions, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length().with_style(style.expect("the template is valid"));
    let watch = |positions| bar.inc(positions as u64);
    let symmetries = arguments.symmetries.into();
    let report = match &games {
        None => validation::of_networks(&on_board, symmetries, &files, &watch),
        Some(games) => {
            let human_moves = HumanMoves {
                per_game: arguments.per_game.into(),
                symmetries,
            };
            validation::of_games(&on_board, human_moves, games, &watch)
        }
    };
    bar.finish_and_clear();
    let report = report?;
    if let Some(text) = report.remark() {
        tell(format_args!("{text}"));
    }
    say(format_args!("{:#}", report.to_json()))
}
