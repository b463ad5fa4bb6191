//! The command line of `keima review`.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::cmd::engine_config::ConfigSource;
use crate::cmd::player_arguments::PlayerArguments;
use crate::cmd::rules_arguments::RulesArguments;
use crate::cmd::settings::from_to;
use crate::review::settings::Thresholds;

/// Review games: each position of each game is analyzed
///
/// For each game the folder gets a page to step through (NAME.html), the record with comments and better
/// variations (NAME.sgf) and all figures (NAME.json); index.html lists the games. Each position gets 100
/// visits unless --visits says otherwise. The same command resumes after an interruption, and several
/// processes may fill one folder.
#[derive(clap::Args, Clone)]
pub struct ReviewArguments {
    /// Game records (.sgf; the main line of the first game of a file), or folders of them
    #[arg(value_name = "FILE|FOLDER", required = true)]
    pub games: Vec<PathBuf>,

    /// Folder for the reviews
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Points that a move must lose to be a mistake
    #[arg(long, value_name = "POINTS", default_value_t = Thresholds::default().mistake, value_parser = from_to::<f64>(0.1, 1000.0))]
    pub mistake: f64,

    /// Points that a move must lose to be a blunder
    #[arg(long, value_name = "POINTS", default_value_t = Thresholds::default().blunder, value_parser = from_to::<f64>(0.1, 1000.0))]
    pub blunder: f64,

    /// Rules and komi.
    #[command(flatten)]
    pub rules: RulesArguments,

    /// How positions are searched: --visits is the number for each position, 100 by default, --threads the
    /// number of positions searched at once.
    #[command(flatten)]
    pub player: PlayerArguments,
}

impl ReviewArguments {
    /// The options as a source of the configuration.
    pub(super) fn source(&self) -> Result<ConfigSource> {
        let mut source = self.player.clone().source()?;
        self.rules.add_to(&mut source);
        Ok(source)
    }

    /// From when on moves count as mistakes and blunders.
    pub(super) fn thresholds(&self) -> Result<Thresholds> {
        ensure!(
            self.mistake <= self.blunder,
            "--mistake {} is more than --blunder {}",
            self.mistake,
            self.blunder
        );
        Ok(Thresholds {
            mistake: self.mistake,
            blunder: self.blunder,
        })
    }
}
