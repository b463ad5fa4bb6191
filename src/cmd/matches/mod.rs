//! `keima match`: games between two GTP engines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::value_parser;

use crate::arena::contest::Conditions;
use crate::arena::series::{Division, Series};
use crate::arena::sprt::Sprt;
use crate::clock::TimeControl;
use crate::cmd::settings;
use crate::formats::rules_json;
use crate::go::{BoardSize, Komi, Rules};

pub mod gtp_contestant;
pub mod local_engine;
mod openings;
mod page;
mod plot;
mod report;
pub mod run;
pub mod sprt;

use gtp_contestant::{GtpContestant, Patience};
use run::{MatchFiles, MatchPlan, MatchPlayer};
use sprt::SprtArguments;

/// Play two GTP engines against each other
///
/// Colors alternate, and each opening is played with both. An illegal move, an error, a crash or a
/// time forfeit loses the game. After two passes the engines' lists of dead stones decide where
/// they agree; otherwise the game is marked, and scored as the board stands.
///
/// For a match at equal visits give --visits, for one at equal time --time 1s/move or the like. A
/// match with --out or --resume is resumed when the same command is given again.
#[derive(Clone, Debug, clap::Args)]
pub struct MatchArguments {
    /// Command line of the engine that has Black in the first game (no shell is used)
    #[arg(long, value_name = "COMMAND")]
    pub black: String,

    /// Command line of the engine that has White in the first game
    #[arg(long, value_name = "COMMAND")]
    pub white: String,

    /// Number of games; the maximum if a test ends the match [default: 10, or 20000 with --sprt]
    #[arg(long, short, value_name = "N")]
    pub games: Option<usize>,

    /// Stopping rule.
    #[command(flatten)]
    pub sprt: SprtArguments,

    /// Board size: 19, or width and height as in 9x7; several, as in 9,13, are used in turn
    #[arg(long, short, default_value = "19", value_delimiter = ',', value_parser = settings::board_size)]
    pub size: Vec<BoardSize>,

    /// Komi
    #[arg(long, short, value_name = "POINTS", default_value = "7.5", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Komi,

    /// Rule set: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON
    #[arg(long, short, default_value = "chinese", value_parser = settings::rules)]
    pub rules: Rules,

    /// Time for each player: none, 10m (sudden death), 5m+3s (increment), 5m+30s/10 (Canadian),
    /// 5m+30sx3 (Japanese), 2s/move
    #[arg(long, short, value_name = "SPEC", default_value = "none")]
    pub time: TimeControl,

    /// Visits per move, for both engines, which must support kata-set-param
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub visits: Option<u32>,

    /// Tolerance per move for communication delays
    #[arg(long, value_name = "SECONDS", default_value_t = 0.2, value_parser = settings::seconds)]
    pub time_margin: f64,

    /// Openings: an SGF file, or a text file that has on each line vertices (D4 Q16 ...) or the
    /// name of an SGF file, possibly followed by the number of moves to take from it; once for each
    /// board size
    #[arg(long, value_name = "FILE")]
    pub openings: Vec<PathBuf>,

    /// Folder for an SGF file of each game
    #[arg(long, value_name = "DIR")]
    pub sgf: Option<PathBuf>,

    /// File for each game as a line of JSON, which lets the match be resumed
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// File for an HTML page with the result, its course and all games
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Folder for all of these: games.jsonl, sgf and match.html
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Moves after which a game is void [default: four times the board's points]
    #[arg(long, value_name = "MOVES")]
    pub max_moves: Option<usize>,

    /// Games played at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    pub parallel: usize,

    /// Timeout for the start and for commands without a search
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = settings::positive_seconds)]
    pub timeout: f64,

    /// Timeout for a move without time control, and for scoring a game
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = settings::positive_seconds)]
    pub move_timeout: f64,
}

impl MatchArguments {
    fn conditions(&self, size: BoardSize) -> Conditions {
        Conditions {
            size,
            komi: self.komi,
            rules: self.rules,
            rules_text: rules_json::text(&self.rules),
            time: self.time,
            visits: self.visits,
            margin: Duration::from_secs_f64(self.time_margin),
            max_moves: self.max_moves.unwrap_or(4 * size.area()),
        }
    }

    fn division(&self, index: usize) -> anyhow::Result<Division> {
        let size = self.size[index];
        let conditions = self.conditions(size);
        let openings = match self.openings.get(index) {
            Some(path) => openings::read(path, size)
                .with_context(|| format!("cannot use the openings {}", path.display()))?,
            None => Vec::new(),
        };
        for opening in &openings {
            opening
                .position(&conditions)
                .with_context(|| format!("opening {}", opening.name))?;
        }
        Ok(Division::new(conditions, openings))
    }

    fn series(&self, sprt: Option<Sprt>) -> anyhow::Result<Series> {
        let games = self
            .games
            .unwrap_or(if sprt.is_some() { 20_000 } else { 10 });
        ensure!(games > 0, "no games to play");
        ensure!(
            self.openings.is_empty() || self.openings.len() == self.size.len(),
            "give --openings once for each board size"
        );
        let sizes = 0..self.size.len();
        Ok(Series {
            games,
            parallel: self.parallel,
            divisions: sizes
                .map(|index| self.division(index))
                .collect::<anyhow::Result<_>>()?,
        })
    }

    fn plan(&self) -> anyhow::Result<MatchPlan> {
        let sprt = self.sprt.test()?;
        let in_folder = self.out.as_deref().map(MatchFiles::in_folder);
        let default = in_folder.unwrap_or_default();
        Ok(MatchPlan {
            series: self.series(sprt)?,
            players: [&self.black, &self.white].map(|command| self.player(command)),
            sprt,
            files: MatchFiles {
                log: self.resume.clone().or(default.log),
                sgf: self.sgf.clone().or(default.sgf),
                page: self.html.clone().or(default.page),
            },
            stop: run::interrupted()?,
        })
    }

    fn player(&self, command_line: &str) -> MatchPlayer {
        let (command, patience) = (command_line.to_owned(), self.patience());
        MatchPlayer {
            description: command_line.to_owned(),
            identity: command_line.to_owned(),
            make: Box::new(move || Ok(Box::new(GtpContestant::new(&command, patience)?))),
        }
    }

    fn patience(&self) -> Patience {
        Patience {
            command: Duration::from_secs_f64(self.timeout),
            genmove: Duration::from_secs_f64(self.move_timeout),
        }
    }
}

pub fn run(arguments: &MatchArguments) -> anyhow::Result<ExitCode> {
    run::play(&arguments.plan()?)?;
    Ok(ExitCode::SUCCESS)
}
