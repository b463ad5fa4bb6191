//! `keima net eval`: a network's evaluation of a position.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::Value;

use super::eval_text;
use super::stored::read_net_for;
use crate::cmd::device::DeviceArguments;
use crate::cmd::terminal::Terminal;
use crate::cmd::{completed, settings};
use crate::console::{say, tell};
use crate::files;
use crate::formats::rules_json;
use crate::formats::sgf::{self, ReadOptions};
use crate::go::{BoardSize, Color, GameRecord, Komi, Position, Rules, Symmetry};
use crate::nn::evaluator::{NetEvaluator, NetRequest, NetSettings};
use crate::nn::metadata::HumanProfile;
use crate::nn::output::NetOutput;
use crate::nn::symmetry_choice::SymmetryChoice;

/// Show a network's evaluation of a position
#[derive(clap::Args)]
pub struct EvalArguments {
    /// Network: a KataGo file or a checkpoint, or a built-in one: default, as the engine chooses by the board, or small
    #[arg(value_name = "FILE", default_value = "default")]
    file: PathBuf,

    /// Game record with the position; by default an empty board
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,

    /// Number of moves to play first; by default all, 0 for the start
    #[arg(long = "move", value_name = "N", requires = "sgf")]
    moves: Option<usize>,

    /// Size of the empty board: 19, or width and height as in 9x7
    #[arg(long, default_value = "19", value_parser = settings::board_size, conflicts_with = "sgf")]
    size: BoardSize,

    /// Rule set: chinese, japanese, tromp-taylor, aga, ..., or KataGo's JSON; by default that of
    /// the game record, or tromp-taylor
    #[arg(long, value_parser = completed::rules(), hide_possible_values = true)]
    rules: Option<Rules>,

    /// Komi; by default that of the game record, or the default of the rules
    #[arg(long, value_name = "POINTS", value_parser = settings::komi, allow_negative_numbers = true)]
    komi: Option<Komi>,

    /// How the network is shown the board: 0 to 7, or average for the mean of all eight
    #[arg(long, value_name = "K", default_value = "0", value_parser = symmetry)]
    symmetry: SymmetryChoice,

    /// Rank of the players to imitate, from rank_20k to rank_9d; for networks trained on human
    /// games
    #[arg(long, value_name = "PROFILE")]
    human_profile: Option<HumanProfile>,

    /// Device and number format.
    #[command(flatten)]
    device: DeviceArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One symmetry, or all averaged.
fn symmetry(text: &str) -> Result<SymmetryChoice, String> {
    match text.to_ascii_lowercase().parse() {
        Ok(choice) if choice != SymmetryChoice::Random => Ok(choice),
        _ => Err("not a number from 0 to 7, nor average".to_owned()),
    }
}

/// A network's evaluation, with its settings.
pub struct Answer {
    /// Name of the network.
    pub name: String,
    /// Model version of the network.
    pub version: u32,
    /// Position.
    pub position: Position,
    /// How it was shown the board.
    pub symmetry: SymmetryChoice,
    /// Whom it was to play like.
    pub profile: Option<HumanProfile>,
    /// From Black's point of view.
    pub output: NetOutput,
}

/// Prints the evaluation.
pub fn run(arguments: &EvalArguments) -> Result<()> {
    let answer = answer(arguments)?;
    if arguments.json {
        let json = serde_json::to_string(&Printed::of(&answer)?)?;
        say(format_args!("{json}"))
    } else {
        say(format_args!(
            "{}",
            eval_text::page(&answer, Terminal::of_stdout())
        ))
    }
}

fn answer(arguments: &EvalArguments) -> Result<Answer> {
    let position = position(arguments)?;
    let net = read_net_for(&arguments.file, position.size())?;
    let settings = NetSettings {
        profile: arguments.human_profile,
        ..NetSettings::default()
    };
    let device = arguments.device.open()?;
    let evaluator = NetEvaluator::new(&net, &device.backend, settings)?;
    if device.no_gpu.is_some() {
        let computing = device.describe(evaluator.computing());
        tell(format_args!("computing on {computing}"));
    }
    let (symmetry, ways) = match arguments.symmetry {
        SymmetryChoice::Fixed(symmetry) => (symmetry, 1),
        SymmetryChoice::Random | SymmetryChoice::Average => (Symmetry::IDENTITY, 8),
    };
    let output = evaluator.average_output(&position, &NetRequest::raw(symmetry), ways)?;
    Ok(Answer {
        name: net.name,
        version: net.version,
        position,
        symmetry: arguments.symmetry,
        profile: arguments.human_profile,
        output: output.seen_by(Color::Black),
    })
}

/// The position given by the options.
fn position(arguments: &EvalArguments) -> Result<Position> {
    let Some(path) = &arguments.sgf else {
        let rules = arguments.rules.unwrap_or(Rules::TROMP_TAYLOR);
        let komi = arguments.komi.unwrap_or(rules.usual_komi());
        return Ok(Position::new(arguments.size, rules, komi));
    };
    let mut record =
        record(path, arguments.moves).with_context(|| format!("cannot use {}", path.display()))?;
    let setup = &mut record.setup;
    setup.rules = arguments.rules.unwrap_or(setup.rules);
    setup.komi = arguments.komi.unwrap_or(setup.komi);
    record
        .position()
        .with_context(|| format!("cannot replay {}", path.display()))
}

/// The game of a file up to a move.
fn record(path: &Path, moves: Option<usize>) -> Result<GameRecord> {
    let bytes = files::read_regular(path, files::TEXT_LIMIT)?;
    let before = |before_move| {
        let options = ReadOptions {
            before_move,
            ..ReadOptions::default()
        };
        sgf::parse_with(&bytes, &options)
    };
    let Some(last) = moves else {
        return before(None);
    };
    let record = before(last.checked_add(1))?;
    // Its moves cannot be counted: a record starts where stones are set up in the middle.
    let is_there = last == 0 || before(Some(last))? != record;
    ensure!(is_there, "the game ends before move {last}");
    Ok(record)
}

/// The keys of the JSON. Outputs that the net lacks are null, and so are the probabilities of
/// illegal moves.
#[derive(Serialize)]
struct Printed<'a> {
    network: &'a str,
    version: u32,
    width: usize,
    height: usize,
    rules: Value,
    komi: f32,
    moves: usize,
    to_move: String,
    symmetry: Value,
    human_profile: Option<String>,
    black_win: f32,
    white_win: f32,
    no_result: f32,
    black_lead: f32,
    black_score_mean: f32,
    score_stdev: f32,
    score_mean_square: f32,
    variance_time_left: Option<f32>,
    shortterm_win_loss_error: Option<f32>,
    shortterm_score_error: Option<f32>,
    /// Row by row from the top.
    policy: Vec<Option<f32>>,
    policy_pass: f32,
    /// Row by row from the top.
    black_ownership: &'a [f32],
}

impl Printed<'_> {
    fn of(answer: &Answer) -> Result<Printed<'_>> {
        let (position, output) = (&answer.position, &answer.output);
        let area = position.size().area();
        let known = |value: f32| (value >= 0.0).then_some(value);
        Ok(Printed {
            network: &answer.name,
            version: answer.version,
            width: position.size().width(),
            height: position.size().height(),
            rules: serde_json::from_str(&rules_json::print(position.rules()))?,
            komi: position.komi().points(),
            moves: position.turn(),
            to_move: position.to_move().to_string(),
            symmetry: match answer.symmetry {
                SymmetryChoice::Fixed(symmetry) => symmetry.number().into(),
                SymmetryChoice::Random | SymmetryChoice::Average => "average".into(),
            },
            human_profile: answer.profile.map(|profile| profile.to_string()),
            black_win: output.win,
            white_win: output.loss,
            no_result: output.no_result,
            black_lead: output.lead,
            black_score_mean: output.score_mean,
            score_stdev: output.score_stdev(),
            score_mean_square: output.score_mean_square,
            variance_time_left: known(output.variance_time_left),
            shortterm_win_loss_error: known(output.shortterm_win_loss_error),
            shortterm_score_error: known(output.shortterm_score_error),
            policy: output.policy[..area].iter().map(|&p| known(p)).collect(),
            policy_pass: output.policy[area],
            black_ownership: &output.ownership,
        })
    }
}
