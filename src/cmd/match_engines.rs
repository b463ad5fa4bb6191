//! `keima match`: games between two GTP engines.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::gtp_contestant::{GtpContestant, Patience};
use super::match_openings;
use super::match_report::{MatchReport, game_line, match_head};
use super::settings;
use crate::arena::contest::Conditions;
use crate::arena::contestant::Contestant;
use crate::arena::series::{Series, SeriesGame};
use crate::console::say;
use crate::formats::{rules_json, sgf};
use crate::go::{BoardSize, Komi, Rules};
use crate::search::TimeControl;

/// Play two GTP engines against each other
///
/// Colors alternate, and each opening is played with both. An illegal move, an error, a crash or
/// too much time loses the game. After two passes the engines' views of dead stones decide where
/// they agree; else the game is marked, and counted as the board stands.
#[derive(Clone, Debug, clap::Args)]
pub struct MatchArguments {
    /// Command line of the engine that has Black in the first game (no shell is used)
    #[arg(long, value_name = "COMMAND")]
    pub black: String,

    /// Command line of the engine that has White in the first game
    #[arg(long, value_name = "COMMAND")]
    pub white: String,

    /// Number of games
    #[arg(long, short, value_name = "N", default_value_t = 10)]
    pub games: usize,

    /// Board size: 19, or width and height as in 9x7
    #[arg(long, short, default_value = "19", value_parser = settings::board_size)]
    pub size: BoardSize,

    /// Points for White
    #[arg(long, short, value_name = "POINTS", default_value = "7.5", value_parser = settings::komi, allow_negative_numbers = true)]
    pub komi: Komi,

    /// Rule set: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON
    #[arg(long, short, default_value = "chinese", value_parser = settings::rules)]
    pub rules: Rules,

    /// Time for each player: none, 10m (sudden death), 5m+3s (increment), 5m+30s/10 (Canadian),
    /// 5m+30sx3 (Japanese), 2s/move
    #[arg(long, short, value_name = "SPEC", default_value = "none")]
    pub time: TimeControl,

    /// Time forgiven on each move
    #[arg(long, value_name = "SECONDS", default_value_t = 0.2, value_parser = settings::seconds)]
    pub time_margin: f64,

    /// Openings: an SGF file, or a text file that has on each line vertices (D4 Q16 ...) or the
    /// name of an SGF file, possibly followed by the number of moves to take from it
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,

    /// Folder for an SGF file of each game
    #[arg(long, value_name = "DIR")]
    pub sgf: Option<PathBuf>,

    /// Moves after which a game is void [default: four times the points of the board]
    #[arg(long, value_name = "MOVES")]
    pub max_moves: Option<usize>,

    /// Games played at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    pub parallel: usize,

    /// Longest time to start and to answer commands that need no thought
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = settings::positive_seconds)]
    pub timeout: f64,

    /// Longest time for a move without time control, and for counting a game
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = settings::positive_seconds)]
    pub move_timeout: f64,
}

impl MatchArguments {
    fn conditions(&self) -> Conditions {
        Conditions {
            size: self.size,
            komi: self.komi,
            rules: self.rules,
            rules_text: match self.rules.name() {
                Some(name) => name.to_owned(),
                None => rules_json::print(&self.rules),
            },
            time: self.time,
            margin: Duration::from_secs_f64(self.time_margin),
            max_moves: self.max_moves.unwrap_or(4 * self.size.area()),
        }
    }

    fn series(&self) -> anyhow::Result<Series> {
        ensure!(self.games > 0, "no games to play");
        let conditions = self.conditions();
        let openings = match &self.openings {
            Some(path) => match_openings::read(path, self.size)
                .with_context(|| format!("cannot use the openings {}", path.display()))?,
            None => Vec::new(),
        };
        for opening in &openings {
            opening
                .position(&conditions)
                .with_context(|| format!("opening {}", opening.name))?;
        }
        Ok(Series {
            games: self.games,
            parallel: self.parallel,
            conditions,
            openings,
        })
    }

    fn patience(&self) -> Patience {
        Patience {
            command: Duration::from_secs_f64(self.timeout),
            genmove: Duration::from_secs_f64(self.move_timeout),
        }
    }
}

/// Plays the match; prints a line for each game and a table at the end, whose part so far is
/// printed also when the match cannot go on.
pub fn run(arguments: &MatchArguments) -> anyhow::Result<ExitCode> {
    let series = arguments.series()?;
    if let Some(folder) = &arguments.sgf {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let patience = arguments.patience();
    let maker = |command: &str| -> anyhow::Result<Box<dyn Contestant>> {
        Ok(Box::new(GtpContestant::new(command, patience)?))
    };
    let head = match_head(&series, [&arguments.black, &arguments.white]);
    say(format_args!("{head}"))?;
    let bar = progress_bar(series.games);
    let mut report = MatchReport::default();
    let result = series.run(
        [&|| maker(&arguments.black), &|| maker(&arguments.white)],
        |game| {
            report.add(&game);
            let line = game_line(&game, &series);
            bar.suspend(|| say(format_args!("{line}")))?;
            bar.inc(1);
            bar.set_message(report.running_score());
            match &arguments.sgf {
                Some(folder) => save(folder, &series, &game),
                None => Ok(()),
            }
        },
    );
    bar.finish_and_clear();
    let printed = match report.table(&series) {
        Some(table) => say(format_args!("{table}")),
        None => Ok(()),
    };
    result.and(printed).map(|()| ExitCode::SUCCESS)
}

fn progress_bar(games: usize) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} games  {msg}  {elapsed} (left {left})";
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    let bar = ProgressBar::new(games as u64).with_style(style.with_key("left", write_time_left));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// As long per game as so far: indicatif's own estimate forgets too fast for games.
fn write_time_left(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    let remaining = state.len().unwrap_or(0).saturating_sub(state.pos());
    let left = match state.pos() {
        0 => "?".to_owned(),
        done => {
            let seconds = state.elapsed().as_secs_f64() / done as f64 * remaining as f64;
            HumanDuration(Duration::from_secs_f64(seconds)).to_string()
        }
    };
    // A progress bar that cannot be written to is not worth a word.
    text.write_str(&left).unwrap_or_default();
}

fn save(folder: &Path, series: &Series, game: &SeriesGame) -> anyhow::Result<()> {
    let record = game.report.record(&series.conditions);
    let path = folder.join(format!("game-{:04}.sgf", game.pairing.game_index + 1));
    std::fs::write(&path, sgf::write(&record))
        .with_context(|| format!("cannot write {}", path.display()))
}
