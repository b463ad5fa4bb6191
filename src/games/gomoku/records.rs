//! Game records of all kinds.

use anyhow::{Context, Result};

use super::board::Point;
use super::notation::{parse_points, point_text};
use super::position::GomokuPosition;
use super::rule::Variant;
use super::{psq, sgf};
use crate::games::record::{Details, Heading};
use crate::minimax::Position;

/// Reads a record of Piskvork, SGF, or moves as in `h8i9g7`; `variant` is that of moves alone. An error names the first
/// illegal move.
pub fn read(variant: Variant, text: &str) -> Result<(GomokuPosition, Vec<Point>)> {
    let (start, moves) = match kind(text) {
        Kind::Psq(text) => {
            let (variant, moves) = psq::read(text)?;
            (GomokuPosition::start(variant), moves)
        }
        Kind::Sgf(text) => sgf::read(text)?,
        Kind::Moves(text) => (GomokuPosition::start(variant), parse_points(variant, text)?),
    };
    let mut position = start.clone();
    for (number, &mv) in moves.iter().enumerate() {
        position
            .check(mv)
            .with_context(|| format!("move {}", number + 1))?;
        position.play(mv);
    }
    Ok((start, moves))
}

/// What a record has besides position and moves.
pub fn heading(text: &str) -> Heading {
    match kind(text) {
        Kind::Psq(text) => psq::heading(text),
        Kind::Sgf(text) => sgf::heading(text),
        Kind::Moves(_) => Heading::default(),
    }
}

/// The records of a file: SGF may have several.
pub fn games(text: &str) -> Vec<&str> {
    match kind(text) {
        Kind::Sgf(text) => sgf::games(text),
        _ => vec![text],
    }
}

/// A record by its format, from where it begins.
enum Kind<'a> {
    Psq(&'a str),
    Sgf(&'a str),
    Moves(&'a str),
}

fn kind(text: &str) -> Kind<'_> {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    match text {
        _ if text.starts_with(psq::BEGINNING) => Kind::Psq(text),
        _ if text.starts_with('(') => Kind::Sgf(text),
        _ => Kind::Moves(text),
    }
}

/// Writes a game in the format of a file's extension: `psq`, `sgf`, or else the moves alone. `result` is White's point,
/// of one.
pub fn write(
    extension: &str,
    start: &GomokuPosition,
    moves: &[Point],
    result: Option<f64>,
    details: &Details,
) -> String {
    match extension.to_ascii_lowercase().as_str() {
        "psq" => psq::write(start, moves, result, details),
        "sgf" => sgf::write(start, moves, result, details),
        _ => {
            let all = super::notation::in_turn(start)
                .into_iter()
                .chain(moves.iter().copied());
            let texts = all.map(|point| point_text(start.variant(), point));
            texts.collect::<String>() + "\n"
        }
    }
}
