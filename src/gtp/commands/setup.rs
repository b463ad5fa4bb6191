//! The board before the first move: size, komi, stones set up.

use anyhow::{Context, Result, bail};

use super::super::arguments::{Arguments, integer};
use super::super::engine::Engine;
use super::joined;
use crate::go::{BoardSize, Komi, Move, Setup};

/// Characters of an argument that a remark quotes.
const LONGEST_QUOTE: usize = 20;

/// One side of a square board, or width and height, separated by a blank or, as KataGo takes them
/// too, by a colon. Clears the board; komi, rules and time
/// settings stay.
pub(super) fn boardsize(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let words = arguments.words().iter().flat_map(|word| word.split(':'));
    let sides: Vec<i64> = words.map(integer).collect::<Result<_>>()?;
    if sides.len() > 2 {
        bail!("syntax error");
    }
    let side = |place: usize| usize::try_from(sides[place]).unwrap_or(0);
    let size = BoardSize::new(side(0), side(sides.len() - 1))
        .filter(|&size| engine.session.player.evaluators().can_play_on(size))
        .context("unacceptable size")?;
    engine.session.start_on(size);
    engine.prepare();
    Ok(String::new())
}

pub(super) fn clear_board(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let size = engine.session.position.size();
    engine.session.start_on(size);
    Ok(String::new())
}

/// The size, or width and height where they differ.
pub(super) fn query_boardsize(engine: &mut Engine, _: &Arguments) -> Result<String> {
    let size = engine.session.position.size();
    let sides = [size.width(), size.height()];
    let shown = if size.is_square() { 1 } else { 2 };
    Ok(joined(&sides[..shown], " "))
}

/// Stones of a position without history, Black to move: pairs of color and point.
pub(super) fn set_position(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let mut setup = empty_setup(engine);
    for place in (0..arguments.len()).step_by(2) {
        match arguments.colored_move(place)? {
            (color, Move::Play(point)) => setup.stones.push((point, color)),
            (_, Move::Pass) => bail!("invalid coordinate"),
        }
    }
    engine.session.start_with(&setup)?;
    Ok(String::new())
}

/// The empty board of the present size, with the present rules and komi.
pub(super) fn empty_setup(engine: &Engine) -> Setup {
    let position = &engine.session.position;
    Setup::new(position.size(), *position.rules(), position.komi())
}

/// Every number is accepted, however large, as GUIs give up on an engine that refuses. A remark says
/// where another one had to be taken.
pub(super) fn komi(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let points = arguments.number(0)?;
    let komi = Komi::from_points(points).context("unacceptable komi")?;
    if Komi::exactly(points).is_none() {
        let most = Komi::from_half(Komi::MAX_HALF.into()).points();
        let reason = match points.abs() > most.into() {
            true => format!("komi is at most {most} here, for either color"),
            false => "komi is a multiple of 0.5 here".to_owned(),
        };
        let word: String = arguments.word(0)?.chars().take(LONGEST_QUOTE).collect();
        engine.remark(&format!("{reason}: {word} is taken for {komi}"));
    }
    engine.session.position.set_komi(komi);
    Ok(String::new())
}

pub(super) fn get_komi(engine: &mut Engine, _: &Arguments) -> Result<String> {
    Ok(engine.session.position.komi().to_string())
}
