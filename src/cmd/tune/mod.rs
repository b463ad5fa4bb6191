//! `keima tune`: weights of an evaluation, tuned by games.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, value_parser};
use serde::de::DeserializeOwned;

use super::board_games::with_game;
use crate::files;
use crate::games::board_game::BoardGame;
use crate::games::weighted::Weighted;
use crate::tune::cross::Crossing;
use crate::tune::duel::DuelSettings;
use crate::tune::genetic::GeneticSettings;
use crate::tune::replace::Replacement;
use crate::tune::select::Selection;

mod genetic;
mod page;
mod texel;

/// Tune the weights of an evaluation
#[derive(Args)]
pub struct TuneArguments {
    #[command(subcommand)]
    method: Method,
}

#[derive(Subcommand)]
enum Method {
    Genetic(GeneticArguments),
    Texel(TexelArguments),
}

/// By a genetic algorithm: weights play games against each other, the better ones have children
///
/// RUN/champion.json and best.json have the weights, for players like 'alphabeta weights=FILE' and, where they are
/// those of the standard evaluation, for the UCI option Weights; RUN/report.html shows the progress. The same command
/// goes on after an interruption.
#[derive(Args)]
pub struct GeneticArguments {
    /// Game: chess, draughts, gomoku
    pub game: String,

    /// Folder of the run
    pub run: PathBuf,

    /// Variant of the game, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Weights to start from, by default the built-in ones; may be given several times, then champions are
    /// measured against the first
    #[arg(long, value_name = "FILE")]
    pub start: Vec<PathBuf>,

    /// Evaluation whose built-in weights are the start: standard (chess, draughts; the default), thesis
    /// (chess, draughts), simple and material (draughts)
    #[arg(long, value_name = "NAME", conflicts_with = "start")]
    pub evaluation: Option<String>,

    /// Individuals of a generation
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = value_parser!(u32).range(2..=10_000))]
    pub population: u32,

    /// Games of each individual in a generation, in pairs with both colors
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = pairs_of_games)]
    pub games: u32,

    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,

    /// Generations, with those that are there
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub generations: usize,

    /// How parents are chosen
    #[arg(long, default_value = "elite", value_parser = named::<Selection>(&[
        ("elite", "The best fifth"),
        ("tournament", "The better of two drawn at random"),
        ("roulette", "In proportion to how much better than the worst"),
        ("sus", "Stochastic universal sampling"),
    ]))]
    pub select: Selection,

    /// How they are crossed
    #[arg(long, default_value = "uniform", value_parser = named::<Crossing>(&[
        ("one", "At one place"),
        ("multi", "At three places"),
        ("uniform", "Each unit with probability 1/2"),
    ]))]
    pub cross: Crossing,

    /// Which individuals make way for children
    #[arg(long, default_value = "worst", value_parser = named::<Replacement>(&[
        ("all", "All"),
        ("worst", "The worst half"),
        ("random", "Half of them, drawn at random"),
        ("best", "All; of twice as many children the best stay"),
    ]))]
    pub replace: Replacement,

    /// Probability that a child is mutated
    #[arg(long, value_name = "P", default_value_t = 0.01)]
    pub mutate: f64,

    /// Largest change by a mutation, as a share of the weight
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub sigma: f64,

    /// What is inherited and mutated as a whole: each weight, or groups like the squares of a piece
    #[arg(long, value_enum, default_value_t = UnitChoice::Groups)]
    pub units: UnitChoice,

    /// Play a match of the champion against the start every so many generations; 0 for never
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub judge_every: usize,

    /// Games of such a match, in pairs with both colors
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = pairs_of_games)]
    pub judge_games: u32,

    /// End after so many generations without a better match
    #[arg(long, value_name = "N")]
    pub stall: Option<usize>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    pub threads: u32,

    /// thesis: instead of generations, a knock-out between the files of --start; the two finalists are
    /// crossed at one point, and the children written to RUN/child-1.json and child-2.json
    #[arg(long, value_enum, requires = "start", conflicts_with_all = OF_GENERATIONS)]
    pub preset: Option<Preset>,
}

/// By Texel's method: weights that predict the results of the engine's own games best
///
/// RUN/weights.json gets the weights, RUN/report.html shows the errors and what has changed. The same
/// command goes on after an interruption; with a larger --games it plays more.
#[derive(Args)]
pub struct TexelArguments {
    /// Game: chess, draughts, gomoku
    pub game: String,

    /// Folder of the run
    pub run: PathBuf,

    /// Variant of the game, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Weights to start from; by default the built-in ones
    #[arg(long, value_name = "FILE")]
    pub start: Option<PathBuf>,

    /// Evaluation whose built-in weights are the start: standard (chess, draughts; the default), thesis
    /// (chess, draughts), simple and material (draughts)
    #[arg(long, value_name = "NAME", conflicts_with = "start")]
    pub evaluation: Option<String>,

    /// Games to learn from; one in ten is held out
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = value_parser!(u32).range(10..))]
    pub games: u32,

    /// Nodes per move
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,

    /// Steps of the fit
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value_parser!(u32).range(1..=100_000))]
    pub epochs: u32,

    /// Largest change of a weight in a step, in hundredths
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub rate: f64,

    /// How far from the start weights are expected, in hundredths (a standard deviation);
    /// weights that few games speak of stay near it
    #[arg(long, value_name = "X", default_value_t = 30.0)]
    pub prior: f64,

    /// Seed of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    pub threads: u32,
}

/// Options that a knock-out does not have.
const OF_GENERATIONS: [&str; 10] = [
    "population",
    "generations",
    "select",
    "cross",
    "replace",
    "mutate",
    "sigma",
    "judge_every",
    "judge_games",
    "stall",
];

/// An even number of games.
fn pairs_of_games(text: &str) -> Result<u32, String> {
    let games = text
        .parse()
        .ok()
        .filter(|games| (2..=1_000_000).contains(games));
    let games: u32 = games.ok_or("it is a number from 2 to 1000000")?;
    match games.is_multiple_of(2) {
        true => Ok(games),
        false => Err("games are played in pairs: give an even number".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    Thesis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnitChoice {
    Weights,
    Groups,
}

/// Takes the names under which settings are stored, each with what help says of it.
fn named<T>(names: &'static [(&'static str, &'static str)]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let value = |(name, help): (&'static str, &'static str)| PossibleValue::new(name).help(help);
    let parser = PossibleValuesParser::new(names.iter().copied().map(value));
    parser.try_map(|name| serde_json::from_value::<T>(name.into()))
}

/// Tunes.
pub fn run(arguments: &TuneArguments) -> Result<ExitCode> {
    match &arguments.method {
        Method::Genetic(arguments) => with_game(&arguments.game, arguments)?,
        Method::Texel(arguments) => with_game(&arguments.game, arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl GeneticArguments {
    fn genetic(&self) -> GeneticSettings {
        GeneticSettings {
            population: self.population as usize,
            selection: self.select,
            crossing: self.cross,
            mutation: self.mutate,
            sigma: self.sigma,
            replacement: self.replace,
            seed: self.seed,
        }
    }

    fn duel(&self) -> DuelSettings {
        DuelSettings {
            nodes: self.nodes,
            games: self.games as usize,
        }
    }
}

/// The evaluations to start from: those of files, or the one of a name with its built-in weights.
fn starts<G: BoardGame>(files: &[PathBuf], name: Option<&str>) -> Result<Vec<G::Evaluation>> {
    if files.is_empty() {
        return Ok(vec![G::evaluation(name)?]);
    }
    let read = |file: &PathBuf| {
        let read = files::read_text(file).and_then(|text| G::Evaluation::from_json(&text));
        read.with_context(|| format!("cannot use {}", file.display()))
    };
    let starts: Vec<G::Evaluation> = files.iter().map(read).collect::<Result<_>>()?;
    let mut counts = starts.iter().map(|start| start.weights().len());
    let first = counts.next();
    ensure!(
        counts.all(|count| Some(count) == first),
        "the files of --start are of different evaluations"
    );
    Ok(starts)
}

/// A game that is written to this folder is not one of another kind of run.
fn check_folder(run: &Path, other: &str) -> Result<()> {
    let is_other = files::exists(&run.join(other));
    ensure!(
        !is_other,
        "{} is a run of another method: give another folder",
        run.display()
    );
    Ok(())
}
