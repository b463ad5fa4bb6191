//! Handicap stones. They belong to the starting position: White moves next, and they are never
//! taken back.

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use super::setup::empty_setup;
use crate::go::{Color, Move, Point, handicap};

pub(super) fn fixed_handicap(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let stones = number_of_stones(engine, arguments)?;
    let points =
        handicap::fixed(engine.session.position.size(), stones).context("invalid handicap")?;
    place(engine, &points)
}

/// Exactly as many as wanted, since servers insist, spread over the board.
pub(super) fn place_free_handicap(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let stones = number_of_stones(engine, arguments)?;
    let points = handicap::free(engine.session.position.size(), stones);
    place(engine, &points)
}

pub(super) fn set_free_handicap(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    check_empty(engine)?;
    let points: Option<Vec<Point>> = arguments
        .words()
        .iter()
        .map(|word| word.parse().ok().and_then(Move::point))
        .collect();
    let board = engine.session.position.board();
    let points = points
        .filter(|points| handicap::is_valid_placement(board, points))
        .context("bad vertex list")?;
    place(engine, &points)?;
    Ok(String::new())
}

/// The number of stones the rules take for handicap.
pub(super) fn get_handicap(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.session.position.handicap_stones().to_string())
}

fn check_empty(engine: &Engine) -> Result<()> {
    let board = engine.session.position.board();
    if Color::BOTH
        .iter()
        .any(|&color| board.stone_count(color) > 0)
    {
        bail!("board not empty");
    }
    Ok(())
}

/// The argument, which leaves a point of the empty board free.
fn number_of_stones(engine: &Engine, arguments: &Arguments) -> Result<usize> {
    let stones = arguments.integer(0)?;
    check_empty(engine)?;
    usize::try_from(stones)
        .ok()
        .filter(|stones| (2..engine.session.position.size().area()).contains(stones))
        .context("invalid handicap")
}

/// Starts the game from these stones and lists them.
fn place(engine: &mut Engine, points: &[Point]) -> Result<String> {
    let mut setup = empty_setup(engine);
    setup.stones = points.iter().map(|&point| (point, Color::Black)).collect();
    setup.to_move = Color::White;
    engine.session.start_with(&setup)?;
    Ok(joined(points, " "))
}
