//! Questions about the board, as people and GNU Go's regression tests ask them.

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::formats::rules_json;
use crate::go::score::chinese_text;
use crate::go::{Board, Color, GameEnd, Move, Point, Scoring, diagram};

pub(super) fn showboard(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let result = result_text(engine)?;
    let position = &engine.session.position;
    let board = position.board();
    let last = position.moves().next_back().and_then(|(_, mv)| mv.point());
    Ok(format!(
        "\n{}\nCaptures: black {}, white {}\nKomi: {}\nRules: {}\nTo move: {}\nHash: {:032X}{result}",
        diagram::pretty(board, last),
        captures_by(board, Color::Black),
        captures_by(board, Color::White),
        position.komi(),
        rules_json::text(position.rules()),
        position.to_move(),
        board.hash(),
    ))
}

/// A line with the result of a game that is over, also as Chinese rules count it; else empty.
fn result_text(engine: &mut Engine) -> Result<String> {
    if !engine.session.position.is_over() {
        return Ok(String::new());
    }
    let score = engine.session.judged_score()?;
    if engine.session.position.end() == GameEnd::NoResult
        || engine.session.position.rules().scoring == Scoring::Territory
    {
        return Ok(format!("\nResult: {score}"));
    }
    let dead = engine.session.dead_stones()?;
    Ok(format!(
        "\nResult: {score} ({})",
        chinese_text(&engine.session.position, &dead)
    ))
}

pub(super) fn list_stones(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let stones = engine
        .session
        .position
        .board()
        .stones_of(arguments.color(0)?);
    let points = engine
        .session
        .position
        .size()
        .points()
        .filter(|&point| stones.contains(point));
    Ok(joined(points, " "))
}

/// The number of stones a color has captured.
pub(super) fn captures(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    Ok(captures_by(engine.session.position.board(), arguments.color(0)?).to_string())
}

fn captures_by(board: &Board, color: Color) -> u32 {
    board.captures(!color)
}

pub(super) fn color(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let point = point(engine, arguments, 0)?;
    let color = engine.session.position.board().color_at(point);
    Ok(color.map_or("empty".to_owned(), |color| color.to_string()))
}

/// The number of liberties of the chain on a point.
pub(super) fn countlib(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let stone = stone(engine, arguments)?;
    Ok(engine.session.position.board().liberties(stone).to_string())
}

/// The liberties of the chain on a point.
pub(super) fn findlib(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let stone = stone(engine, arguments)?;
    let mut liberties = engine.session.position.board().liberty_points(stone);
    liberties.sort_by_key(|&point| engine.session.position.size().index(point));
    Ok(joined(liberties, " "))
}

/// 1 or 0.
pub(super) fn is_legal(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (color, mv) = arguments.colored_move(0)?;
    let mut position = engine.session.position.clone();
    position.set_to_move(color);
    Ok(u8::from(position.is_legal(mv)).to_string())
}

/// The points where a color may play.
pub(super) fn all_legal(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let mut position = engine.session.position.clone();
    position.set_to_move(arguments.color(0)?);
    Ok(joined(position.legal_moves().filter_map(Move::point), " "))
}

pub(super) fn last_move(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let last = engine.session.position.moves().next_back();
    let (color, mv) = last.context("no previous move known")?;
    Ok(format!("{color} {mv}"))
}

/// The last move first.
pub(super) fn move_history(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let moves = engine.session.position.moves().rev();
    Ok(joined(
        moves.map(|(color, mv)| format!("{color} {mv}")),
        "\n",
    ))
}

/// A point of the board.
fn point(engine: &Engine, arguments: &Arguments, place: usize) -> Result<Point> {
    let on_board = |point: &Point| engine.session.position.board().contains(*point);
    let point = arguments.vertex(place)?.point();
    point.filter(on_board).context("invalid coordinate")
}

/// A point of the board that is not empty.
fn stone(engine: &Engine, arguments: &Arguments) -> Result<Point> {
    let point = point(engine, arguments, 0)?;
    if engine.session.position.board().color_at(point).is_none() {
        bail!("vertex must not be empty");
    }
    Ok(point)
}
