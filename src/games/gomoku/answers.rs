//! What is known about a position, as text: forbidden points, wins by fours.

use anyhow::{Result, ensure};
use serde_json::json;

use super::board::Point;
use super::forbidden::{Forbidden, forbidden};
use super::notation::{diagram_with, point_text};
use super::position::GomokuPosition;
use super::records;
use super::rule::{Color, Rule, Variant};
use super::vcf::{Vcf, solve};
use super::vct::{self, Vct};
use crate::games::record::Heading;
use crate::minimax::Position;

/// The position at the end of a game: moves as in `h8i9g7`, or a record. Moves alone are those of `variant`.
fn end_of(variant: Option<&str>, game: &str) -> Result<GomokuPosition> {
    let (mut position, moves) = records::read(Variant::named(variant)?, game)?;
    moves.into_iter().for_each(|mv| position.play(mv));
    Ok(position)
}

/// Searches for a win of the side to move by continuous fours, with at most `nodes` fours tried. Answers in words or as
/// a line of JSON.
pub fn fours(variant: Option<&str>, game: &str, nodes: u64, as_json: bool) -> Result<String> {
    let position = end_of(variant, game)?;
    ensure!(position.winner().is_none(), "the game is over");
    let (color, mut board) = (position.color(), position.board().clone());
    let solved = solve(&mut board, color, nodes);
    let line = match &solved.answer {
        Vcf::Won(line) => line.as_slice(),
        Vcf::Refuted | Vcf::Unknown => &[],
    };
    let words: Vec<String> = line
        .iter()
        .map(|&point| point_text(position.variant(), point))
        .collect();
    let (count, tried) = (solved.fours(&board, color), solved.nodes);
    if as_json {
        let answer = match solved.answer {
            Vcf::Won(_) => "won",
            Vcf::Refuted => "none",
            Vcf::Unknown => "unknown",
        };
        let value = json!({
            "answer": answer, "to_move": color.to_string(), "fours": count, "line": words, "nodes": tried,
        });
        return Ok(value.to_string());
    }
    let (line, fours) = (words.join(" "), count.unwrap_or(0));
    Ok(match solved.answer {
        Vcf::Won(_) if fours == 0 => format!("{color} completes a row: {line}"),
        Vcf::Won(_) => format!("{color} wins by {fours} fours ({tried} nodes): {line}"),
        Vcf::Refuted => format!("{color} has no win by fours ({tried} nodes)"),
        Vcf::Unknown => format!("not decided within {nodes} nodes; give more with --nodes"),
    })
}

/// Searches for a win of the side to move by continuous threats, in at most `nodes` positions. Answers in words or as a
/// line of JSON.
pub fn threats(variant: Option<&str>, game: &str, nodes: u64, as_json: bool) -> Result<String> {
    let position = end_of(variant, game)?;
    ensure!(position.winner().is_none(), "the game is over");
    ensure!(
        !position.variant().rule.stops_beyond(),
        "threats are not solved under rules by which rows are also stopped beyond their ends: leave --vct out"
    );
    let color = position.color();
    let searched = vct::solve(&mut position.board().clone(), color, nodes);
    let tried = searched.nodes;
    let line = match &searched.answer {
        Vct::Won(line) => line.as_slice(),
        Vct::NotFound => &[],
    };
    let words: Vec<String> = line
        .iter()
        .map(|&point| point_text(position.variant(), point))
        .collect();
    let is_won = searched.answer != Vct::NotFound;
    Ok(match (as_json, is_won) {
        (true, _) => {
            let answer = if is_won { "won" } else { "unknown" };
            json!({ "answer": answer, "to_move": color.to_string(), "line": words, "nodes": tried })
                .to_string()
        }
        (_, true) => format!(
            "{color} wins by threats ({tried} nodes), for example {}",
            words.join(" ")
        ),
        (_, false) => format!("no win by threats found ({tried} nodes)"),
    })
}

/// The board with Black's forbidden points, 3 for a double three, 4 for a double four, 6 for an overline, and a list of
/// them. Or a line of JSON. Moves alone are those of renju on 15x15 without a variant.
pub fn forbidden_points(variant: Option<&str>, game: &str, as_json: bool) -> Result<String> {
    let position = end_of(variant.or(Some("renju")), game)?;
    let variant = position.variant();
    ensure!(
        variant.rule == Rule::Renju,
        "only renju has forbidden points, not {}",
        variant.rule.name()
    );
    let board = position.board();
    let reason = |point: Point| match board.at(point) {
        None => forbidden(board, point, Color::Black),
        Some(_) => None,
    };
    let all: Vec<(String, Forbidden)> = board
        .points()
        .filter_map(|point| Some((point_text(variant, point), reason(point)?)))
        .collect();
    if as_json {
        let entry = |(point, reason): &(String, Forbidden)| json!({ "point": point, "reason": reason.to_string() });
        let entries: Vec<_> = all.iter().map(entry).collect();
        return Ok(json!({ "forbidden": entries }).to_string());
    }
    let mark = |point| match reason(point) {
        None => '.',
        Some(Forbidden::DoubleThree) => '3',
        Some(Forbidden::DoubleFour) => '4',
        Some(Forbidden::Overline) => '6',
    };
    let mut text = diagram_with(&position, mark) + "\n";
    for (point, reason) in &all {
        text += &format!("{point} {reason}\n");
    }
    if all.is_empty() {
        text += "no point is forbidden\n";
    }
    Ok(text.trim_end().to_owned())
}

/// A record, or moves alone, in the format of another extension: `psq`, `sgf`, otherwise moves alone.
pub fn converted(variant: Option<&str>, game: &str, extension: &str) -> Result<String> {
    let (start, moves) = records::read(Variant::named(variant)?, game)?;
    let Heading {
        details, result, ..
    } = records::heading(game);
    let mut end = start.clone();
    moves.iter().for_each(|&mv| end.play(mv));
    let result = match end.winner() {
        Some(Color::White) => Some(1.0),
        Some(Color::Black) => Some(0.0),
        None => end.board().is_full().then_some(0.5).or(result),
    };
    Ok(records::write(extension, &start, &moves, result, &details))
}
