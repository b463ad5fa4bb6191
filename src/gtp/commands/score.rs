//! The end of the game.

use anyhow::{Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::joined;
use crate::go::Point;
use crate::go::count::Count;
use crate::player::judgement::chains;

/// What becomes of a stone at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Dead,
    Alive,
    Seki,
}

/// Works in any position: before the end it is what is to be expected.
pub(super) fn final_score(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.session.judged_score()?.to_string())
}

/// One chain per line. Each stone has one status.
pub(super) fn final_status_list(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let wanted = match arguments.word(0)? {
        "dead" => Status::Dead,
        "alive" => Status::Alive,
        "seki" => Status::Seki,
        _ => bail!("invalid status"),
    };
    let dead = engine.session.dead_stones()?;
    let position = &engine.session.position;
    let (board, rules) = (position.board(), position.rules());
    let seki = Count::new(board, &dead, rules.scoring, rules.tax).seki;
    let status = |chain: &Vec<Point>| match (dead.contains(chain[0]), seki.contains(chain[0])) {
        (true, _) => Status::Dead,
        (false, true) => Status::Seki,
        (false, false) => Status::Alive,
    };
    let all = chains(board);
    let lines = all
        .iter()
        .filter(|chain| status(chain) == wanted)
        .map(|chain| joined(chain, " "));
    Ok(joined(lines, "\n"))
}
