//! The end of the game.

use anyhow::{Result, ensure};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::go::count::Count;
use crate::go::{Color, Point};
use crate::player::judgement::chains;

/// What becomes of stones at the end.
const STONES: [&str; 3] = ["alive", "dead", "seki"];

/// What becomes of empty points.
const POINTS: [&str; 3] = ["black_territory", "white_territory", "dame"];

/// Works in any position: before the end it is what is to be expected.
pub(super) fn final_score(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.session.judged_score()?.to_string())
}

/// Stones by what becomes of them, one chain per line, or, as in GNU Go, whose an empty point is, in
/// one line. Each stone and each empty point is in one list only.
pub(super) fn final_status_list(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let wanted = arguments.word(0)?;
    let is_known = STONES.contains(&wanted) || POINTS.contains(&wanted);
    ensure!(is_known, "invalid status");
    let dead = engine.session.dead_stones()?;
    let position = &engine.session.position;
    let board = position.board();
    let count = Count::of(position, &dead);
    if POINTS.contains(&wanted) {
        let is_wanted =
            |&point: &Point| board.is_empty(point) && point_status(&count, point) == wanted;
        return Ok(joined(board.points().filter(is_wanted), " "));
    }
    let status = |stone: Point| match (dead.contains(stone), count.seki.contains(stone)) {
        (true, _) => "dead",
        (false, true) => "seki",
        (false, false) => "alive",
    };
    let all = chains(board);
    let lines = all
        .iter()
        .filter(|chain| status(chain[0]) == wanted)
        .map(|chain| joined(chain, " "));
    Ok(joined(lines, "\n"))
}

/// Whose territory an empty point is. What its owner has to fill counts for nobody.
fn point_status(count: &Count, point: Point) -> &'static str {
    match count.owner.owner(point) {
        Some(color) if count.teire[color].contains(point) => "dame",
        Some(Color::Black) => "black_territory",
        Some(Color::White) => "white_territory",
        None => "dame",
    }
}
