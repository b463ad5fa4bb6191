//! `keima solve --board`: the exact value of a small board.

use std::path::Path;

use anyhow::{Context, Result};

use super::{SolveArguments, SuperkoName};
use crate::console::say;
use crate::files;
use crate::formats::sgf;
use crate::go::record::stones;
use crate::go::{Color, Point};
use crate::solver::whole_board::{MOST_POINTS, SmallBoard, Superko, Value, value};

/// Nodes to spend by default.
const NODES: u64 = 20_000_000;
/// Positions to remember: up to 400 MB.
const MEMORY: usize = 4_000_000;

/// A board with its sides, for names of points.
struct Question {
    small: SmallBoard,
    width: usize,
    height: usize,
    to_move: Color,
}

/// Prints the value and the moves that keep it.
pub(super) fn run(text: &str, arguments: &SolveArguments) -> Result<()> {
    let mut question = match sides(text) {
        Some((width, height)) => Question {
            small: SmallBoard::new(width, height).with_context(too_large)?,
            width,
            height,
            to_move: Color::Black,
        },
        None => from_file(Path::new(text))?,
    };
    if let Some(color) = arguments.to_play {
        question.to_move = color;
    }
    let small = question.small.clone().with_to_move(question.to_move);
    let name = arguments.superko.unwrap_or(SuperkoName::Positional);
    let superko = match name {
        SuperkoName::Positional => Superko::Positional,
        SuperkoName::Situational => Superko::Situational,
    };
    let nodes = arguments.nodes.unwrap_or(NODES);
    let found = value(&small, superko, nodes, MEMORY)
        .with_context(|| format!("not solved with {nodes} nodes: --nodes allows more"))?;
    match arguments.json {
        true => say(format_args!("{}", question.json(&found, name))),
        false => say(format_args!("{}", question.text(&found, name))),
    }
}

/// Width and height as in 3x4, or 3 for a square.
fn sides(text: &str) -> Option<(usize, usize)> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    Some((width.parse().ok()?, height.parse().ok()?))
}

fn too_large() -> String {
    format!("the board may have up to {MOST_POINTS} points")
}

/// The position of a record before its first move.
fn from_file(path: &Path) -> Result<Question> {
    let cannot = || format!("cannot use {}", path.display());
    let bytes = files::read_regular(path, files::TEXT_LIMIT)
        .context("--board takes a size as in 3x3, or a game record (SGF)")?;
    let reading = sgf::read(&bytes, &sgf::ReadOptions::default()).with_context(cannot)?;
    let position = reading.record.position_at(0).with_context(cannot)?;
    let size = position.size();
    let stones = stones(position.board());
    let stones: Vec<(usize, Color)> = stones
        .into_iter()
        .map(|(point, color)| (size.index(point), color))
        .collect();
    let empty = SmallBoard::new(size.width(), size.height());
    let empty = empty.with_context(too_large).with_context(cannot)?;
    let small = empty.with_stones(&stones);
    let small = small.with_context(|| format!("{}: a chain has no liberty", path.display()))?;
    Ok(Question {
        small,
        width: size.width(),
        height: size.height(),
        to_move: position.to_move(),
    })
}

impl Question {
    fn point(&self, point: usize) -> String {
        let (column, row) = (point % self.width, point / self.width);
        Point::new(column, self.height - 1 - row).to_string()
    }

    fn moves(&self, found: &Value) -> Vec<String> {
        let name = |mv: &Option<usize>| mv.map_or_else(|| "pass".to_owned(), |it| self.point(it));
        found.best.iter().map(name).collect()
    }

    fn json(&self, found: &Value, superko: SuperkoName) -> serde_json::Value {
        serde_json::json!({
            "board": format!("{}x{}", self.width, self.height),
            "to_play": self.to_move.to_string().to_lowercase(),
            "superko": superko.text(),
            "black_lead": found.score,
            "best": self.moves(found),
            "nodes": found.nodes,
        })
    }

    fn text(&self, found: &Value, superko: SuperkoName) -> String {
        let score = match found.score {
            0 => "a draw".to_owned(),
            lead if lead > 0 => format!("Black wins by {lead}"),
            lead => format!("White wins by {}", -lead),
        };
        format!(
            "{}x{}, area scoring, {} superko, no komi, {} to play: {score}\nbest: {}\n{} nodes",
            self.width,
            self.height,
            superko.text(),
            self.to_move,
            self.moves(found).join(" "),
            found.nodes
        )
    }
}
