//! The end of the game.

use anyhow::{Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::super::judgement::chains;
use super::joined;
use crate::go::Point;

/// Works in any position: before the end it is what is to be expected.
pub(super) fn final_score(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.judged_score()?.to_string())
}

/// One chain per line. Stones in seki are listed as alive, as callers treat those not listed as
/// dead.
pub(super) fn final_status_list(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let wants_dead = match arguments.word(0)? {
        "dead" => true,
        "alive" => false,
        "seki" => return Ok(String::new()),
        _ => bail!("invalid status"),
    };
    let dead = engine.dead_stones()?;
    let has_status = |chain: &&Vec<Point>| dead.contains(chain[0]) == wants_dead;
    let all = chains(engine.position.board());
    let lines = all
        .iter()
        .filter(has_status)
        .map(|chain| joined(chain, " "));
    Ok(joined(lines, "\n"))
}
