//! `keima backgammon train`: an evaluation that learns from games against itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum, value_parser};
use serde::{Deserialize, Serialize};

use super::page;
use crate::cmd::board_games::{Learning, LearningSettings, read_file, reference_model};
use crate::cmd::settings;
use crate::console::{say, tell};
use crate::files;
use crate::files::difference::difference;
use crate::files::lines::JsonLines;

/// Checkpoints of a run.
const CHECKPOINTS: u64 = 40;

/// Learn an evaluation of backgammon from games against itself, by TD(lambda) from random weights
///
/// RUN gets the weights (net or linear.json, for players like 'net weights=RUN/net'), figures of each of 40 checkpoints
/// (progress.jsonl), a page (report.html), and what the same command needs to go on after an interruption (state).
#[derive(Args)]
pub struct TrainArguments {
    /// Folder of the run
    run: PathBuf,

    /// What learns: a network, or the weights of the linear evaluation
    #[arg(long, value_enum, default_value_t = Kind::Net)]
    evaluation: Kind,

    /// Hidden units of the network
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = value_parser!(u16).range(1..=1024))]
    hidden: u16,

    /// Games in all
    #[arg(long, value_name = "N", default_value_t = 300_000, value_parser = value_parser!(u64).range(1..))]
    games: u64,

    /// How much later positions count for the targets of earlier ones, from 0 to 1
    #[arg(long, value_name = "L", default_value_t = 0.7, value_parser = settings::share)]
    lambda: f32,

    /// Size of the first steps [default: 0.05, linear 0.02]
    #[arg(long, value_name = "R", value_parser = settings::from_to::<f32>(1e-6, 10.0))]
    first_rate: Option<f32>,

    /// Size of the last steps
    #[arg(long, value_name = "R", default_value_t = 0.0003, value_parser = settings::from_to::<f32>(1e-6, 10.0))]
    last_rate: f32,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Games of each checkpoint against the built-in linear evaluation
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = value_parser!(u64).range(0..=1_000_000))]
    judge_games: u64,
}

/// What learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A network with one hidden layer
    Net,
    /// Features times weights
    Linear,
}

/// Figures of the games since the checkpoint before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Games so far.
    pub games: u64,
    /// Plies per game.
    pub plies: f64,
    /// Share of games that ended by a gammon or a backgammon.
    pub gammons: f64,
    /// Root of the mean squared difference between targets and evaluations of the probability to win.
    pub error: f64,
    /// Size of steps.
    pub rate: f64,
    /// Share of games won against the built-in linear evaluation, and their number.
    pub judged: (f64, u64),
    /// Seconds.
    pub seconds: f64,
}

impl TrainArguments {
    fn settings(&self) -> LearningSettings {
        let first_rate = match self.evaluation {
            Kind::Net => 0.05,
            Kind::Linear => 0.02,
        };
        LearningSettings {
            hidden: (self.evaluation == Kind::Net).then_some(self.hidden.into()),
            games: self.games,
            lambda: self.lambda,
            first_rate: self.first_rate.unwrap_or(first_rate),
            last_rate: self.last_rate,
            seed: self.seed,
        }
    }

    fn weights(&self) -> PathBuf {
        self.run.join(match self.evaluation {
            Kind::Net => "net",
            Kind::Linear => "linear.json",
        })
    }
}

/// Goes on with a run, or begins one.
pub fn run(arguments: &TrainArguments) -> Result<ExitCode> {
    let (run, settings) = (&arguments.run, arguments.settings());
    files::make_folder(run)?;
    let state = run.join("state");
    let (mut log, mut checkpoints) = JsonLines::open::<Checkpoint>(&run.join("progress.jsonl"))?;
    let mut learning = started(&state, settings)?;
    if learning.games > 0 {
        tell(format_args!("{} games are played already", learning.games));
    }
    let opponent = reference_model();
    let part = settings.games.div_ceil(CHECKPOINTS);
    while learning.games < settings.games {
        let begun = Instant::now();
        let figures = learning.go_on(part);
        let seconds = begun.elapsed().as_secs_f64();
        let games = arguments.judge_games / 2 * 2;
        let checkpoint = Checkpoint {
            games: learning.games,
            plies: figures.plies as f64 / figures.games.max(1) as f64,
            gammons: figures.gammons as f64 / figures.games.max(1) as f64,
            error: (figures.error / figures.plies.max(1) as f64).sqrt(),
            rate: learning.rate().into(),
            judged: (learning.score(&opponent, games), games),
            seconds,
        };
        // A killed run may have logged more than it has stored.
        if checkpoints
            .iter()
            .all(|earlier| earlier.games != checkpoint.games)
        {
            log.add(&checkpoint)?;
            checkpoints.push(checkpoint);
        }
        files::write_whole(&arguments.weights(), &learning.model.to_bytes(), true)?;
        let page = page::page(&settings, &checkpoints)?;
        files::write_whole(&run.join("report.html"), page.as_bytes(), true)?;
        files::write_whole(&state, &learning.to_bytes()?, true)?;
        say(format_args!("{}", line(&checkpoint)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn started(state: &Path, settings: LearningSettings) -> Result<Learning> {
    if !files::exists(state) {
        return Ok(Learning::new(settings));
    }
    let learning = Learning::from_bytes(&read_file(state)?)
        .with_context(|| format!("cannot go on with {}", state.display()))?;
    if let Some(difference) = difference(&learning.settings, &settings)? {
        let state = state.display();
        bail!(
            "{state} is a run with other settings: {difference}; give the same, or another folder"
        );
    }
    Ok(learning)
}

fn line(checkpoint: &Checkpoint) -> String {
    let Checkpoint {
        games,
        plies,
        gammons,
        error,
        rate,
        judged: (score, count),
        seconds,
    } = checkpoint;
    let judged = match count {
        0 => String::new(),
        _ => format!(
            ", {:.1} % against the built-in linear evaluation",
            100.0 * score
        ),
    };
    format!(
        "{games} games: {plies:.1} plies, {:.1} % gammons, error {error:.4}, rate {rate:.4}{judged}, {seconds:.1} s",
        100.0 * gammons
    )
}
