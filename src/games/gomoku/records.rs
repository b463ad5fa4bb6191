//! Game records of all kinds.

use anyhow::{Context, Result};

use super::board::Point;
use super::notation::{parse_points, point_text};
use super::position::GomokuPosition;
use super::rule::Variant;
use super::{psq, sgf};
use crate::games::record::Details;
use crate::minimax::Position;

/// Reads a record of Piskvork, SGF, or moves as in `h8i9g7`; `variant` is that of moves alone. An error names the first illegal
/// move.
pub fn read(variant: Variant, text: &str) -> Result<(GomokuPosition, Vec<Point>)> {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let (start, moves) = match text {
        _ if text.starts_with(psq::BEGINNING) => {
            let (variant, moves) = psq::read(text)?;
            (GomokuPosition::start(variant), moves)
        }
        _ if text.starts_with('(') => sgf::read(text)?,
        _ => (GomokuPosition::start(variant), parse_points(variant, text)?),
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

/// Writes a game in the format of a file's extension: `psq`, `sgf`, or else the moves alone. `result` is White's point,
/// of one.
pub fn write(
    extension: &str,
    start: &GomokuPosition,
    moves: &[Point],
    result: Option<f64>,
) -> String {
    let details = Details::default();
    match extension.to_ascii_lowercase().as_str() {
        "psq" => psq::write(start, moves, result, &details),
        "sgf" => sgf::write(start, moves, result, &details),
        _ => {
            let all = super::notation::in_turn(start)
                .into_iter()
                .chain(moves.iter().copied());
            let texts = all.map(|point| point_text(start.variant(), point));
            texts.collect::<String>() + "\n"
        }
    }
}
