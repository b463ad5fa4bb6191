//! `keima solve`: the status of a group, and what to play; the exact value of a small board.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

use crate::cmd::net::new_file::refuse_existing;
use crate::cmd::record_files::record_files;
use crate::console::{say, tell};
use crate::files;
use crate::go::Color;
use crate::solver::{Extras, Problem, Side, Solution, solve};

use points::PointList;
use problem::ProblemFile;

mod json;
mod points;
mod problem;
mod text;
mod tree;
mod whole_board;

/// Solve problems of life and death
///
/// Tells of a group whether it lives, dies, becomes seki or depends on a ko, with either side moving
/// first, and what to play. A status is proved or unknown. It holds for a region around the group: beyond
/// it nothing moves, stones of the group's color are taken to live, and all else is the attacker's.
///
/// With --board it tells the exact score of a whole small board under area scoring with superko, without komi, if
/// both sides play their best, and the moves that keep it.
#[derive(Clone, Debug, Args)]
pub struct SolveArguments {
    /// Problems in SGF, or folders with them; the position before the first move counts
    #[arg(required_unless_present = "board", value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Value of a whole board of up to 25 points: an empty one of this size, as 3x3, or that of a game record (SGF)
    /// before its first move. Boards of up to 16 points are solved, 4x4 in about half a minute
    #[arg(
        long,
        value_name = "SIZE|FILE",
        conflicts_with_all = ["files", "target", "region", "first", "all", "tree"]
    )]
    pub board: Option<String>,

    /// Which repetitions are forbidden on a whole board; by default positional
    #[arg(long, value_name = "RULE", requires = "board")]
    pub superko: Option<SuperkoName>,

    /// Stones of the group, as D4 or D4,F3; otherwise those that the file marks, or those that look
    /// most enclosed
    #[arg(long, value_name = "POINTS")]
    pub target: Option<PointList>,

    /// Points that both may play on, as A1-J9 or A1-C3,D4, with a liberty of the group; otherwise those near it
    #[arg(long, value_name = "POINTS")]
    pub region: Option<PointList>,

    /// Nodes to spend for each side that moves first, and in each region; by default 1000000, or 20000000 for a whole
    /// board
    #[arg(long)]
    pub nodes: Option<u64>,

    /// Which side moves first
    #[arg(long, value_name = "SIDE", conflicts_with = "to_play")]
    pub first: Option<First>,

    /// Which color moves first
    #[arg(long, value_name = "COLOR")]
    pub to_play: Option<Color>,

    /// Look for all first moves that lead to the same status
    #[arg(long)]
    pub all: bool,

    /// Write the moves that prove the status to this file, in SGF
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,

    /// Replace the file of --tree if it exists
    #[arg(long, requires = "tree")]
    pub force: bool,

    /// Print an object in JSON for each file, one a line
    #[arg(long)]
    pub json: bool,
}

/// Who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    /// The side that wants to capture the group
    Attacker,
    /// The side that owns the group
    Defender,
    /// Both, one after the other
    Both,
}

/// Which repetitions are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuperkoName {
    /// Of the stones on the board
    Positional,
    /// Of the stones with the same side to move
    Situational,
}

impl SuperkoName {
    /// For display.
    pub(super) fn text(self) -> &'static str {
        match self {
            SuperkoName::Positional => "positional",
            SuperkoName::Situational => "situational",
        }
    }
}

/// Moves in the tree for each side that moves first.
const TREE_MOVES: usize = 2000;
/// Positions to remember at a time.
const MEMORY: usize = 1 << 19;

/// Nodes to spend by default.
const NODES: u64 = 1_000_000;

/// A problem with its answers.
pub(super) struct Solved {
    file: ProblemFile,
    solutions: Vec<(Side, Solution)>,
}

/// Solves the problems and prints what came out. Exit code 1 if a file could not be read or solved.
pub fn run(arguments: &SolveArguments) -> Result<ExitCode> {
    if let Some(board) = &arguments.board {
        whole_board::run(board, arguments)?;
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(arguments.superko.is_none(), "--superko is for --board");
    let paths = record_files(&arguments.files)?;
    ensure!(
        arguments.tree.is_none() || paths.len() == 1,
        "--tree is for a single problem, but there are {}",
        paths.len()
    );
    if let Some(tree) = &arguments.tree {
        refuse_existing(tree, arguments.force)?;
    }
    let is_table = paths.len() > 1 && !arguments.json;
    let mut tally = text::Tally::default();
    for path in &paths {
        let solved = match solve_file(path, arguments) {
            Ok(solved) => solved,
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                tally.failed += 1;
                tell(format_args!("{error:#}"));
                continue;
            }
        };
        tally.add(&solved);
        match (arguments.json, is_table) {
            (true, _) => say(format_args!("{}", json::object(path, &solved)))?,
            (false, true) => say(format_args!("{}", text::row(path, &solved)))?,
            (false, false) => {
                let answer = text::answer(&solved, arguments.region.as_ref());
                say(format_args!("{answer}"))?;
            }
        }
        if let Some(tree) = &arguments.tree {
            files::write_whole(tree, tree::sgf(&solved).as_bytes(), arguments.force)?;
        }
    }
    if is_table {
        say(format_args!("{tally}"))?;
    }
    Ok(match tally.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn solve_file(path: &Path, arguments: &SolveArguments) -> Result<Solved> {
    let file = ProblemFile::read(path, arguments.target.as_ref())
        .with_context(|| format!("{}", path.display()))?;
    let sides = sides(arguments, &file);
    let extras = Extras {
        lines: if arguments.tree.is_some() {
            TREE_MOVES
        } else {
            0
        },
        all_moves: arguments.all,
    };
    let region = match &arguments.region {
        Some(list) => Some(list.on(file.board.size())?.into_iter().collect()),
        None => None,
    };
    let problem = Problem {
        board: &file.board,
        target: file.target,
        region,
        nodes: arguments.nodes.unwrap_or(NODES),
        memory: MEMORY,
    };
    let mut solutions = Vec::new();
    for side in sides {
        let solution = solve(&problem, side, extras)
            .with_context(|| format!("{}", path.display()))
            .context("cannot solve")?;
        solutions.push((side, solution));
    }
    Ok(Solved { file, solutions })
}

/// Who moves first: by default both, the side to move in the file before the other.
fn sides(arguments: &SolveArguments, file: &ProblemFile) -> Vec<Side> {
    let to_move = file.side(file.to_move);
    match (arguments.to_play, arguments.first) {
        (Some(color), _) => vec![file.side(color)],
        (None, Some(First::Attacker)) => vec![Side::Attacker],
        (None, Some(First::Defender)) => vec![Side::Defender],
        (None, Some(First::Both)) | (None, None) => vec![to_move, !to_move],
    }
}
