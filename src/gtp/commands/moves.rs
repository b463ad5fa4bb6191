//! Moves: played, chosen and taken back.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::super::interrupt_flags::InterruptFlags;
use super::analyze;
use crate::clock::Clock;
use crate::clock::game::Clocks;
use crate::go::{Answer, Color, Move, Position};
use crate::player::Player;

/// Accepts what other rules may allow: several moves of one color, superko, suicide.
pub(super) fn play(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (color, mv) = arguments.colored_move(0)?;
    engine.session.play(color, mv)?;
    Ok(String::new())
}

/// Pairs of color and vertex: all of them, or none if one is illegal.
pub(super) fn play_sequence(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let places = (0..arguments.len()).step_by(2);
    let moves: Vec<(Color, Move)> = places
        .map(|place| arguments.colored_move(place))
        .collect::<Result<_>>()?;
    engine.session.play_all(&moves)?;
    Ok(String::new())
}

pub(super) fn genmove(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    if engine.evaluations().is_some() {
        return analyze::genmove_evaluated(engine, arguments);
    }
    let color = arguments.color(0)?;
    let think = think(&engine.interrupt_flags());
    let answer = engine.choose_in_time(color, Clocks::spend, think)?;
    answered(engine, color, answer)
}

/// Chooses a move without playing it.
pub(super) fn reg_genmove(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    engine.session.stop_playing();
    let think = think(&engine.interrupt_flags());
    let chosen = engine.session.choose(color, Duration::ZERO, think)?;
    Ok(engine.told(chosen).to_string())
}

/// As `genmove`, but takes dead stones of the opponent off before passing.
pub(super) fn genmove_cleanup(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let interrupt_flags = engine.interrupt_flags();
    let stop = interrupt_flags.interruption();
    let answer = engine.choose_by(|session, waited| session.choose_cleanup(color, waited, stop))?;
    answered(engine, color, answer)
}

pub(super) fn undo(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.session.undo(1)?;
    Ok(String::new())
}

/// Takes back as many moves as asked for, or none if there are fewer.
pub(super) fn undo_several(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let wanted = if arguments.len() == 0 {
        1
    } else {
        arguments.integer(0)?
    };
    let moves = usize::try_from(wanted).ok().context("cannot undo")?;
    engine.session.undo(moves)?;
    Ok(String::new())
}

/// Lets the player think as it likes, unless it is interrupted.
pub(super) fn think(
    interrupt_flags: &Arc<InterruptFlags>,
) -> impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer> + use<> {
    let interrupt_flags = Arc::clone(interrupt_flags);
    move |player, position, clock| {
        player.choose_until(position, clock, interrupt_flags.interruption())
    }
}

/// Plays an answer, unless it is to resign.
pub(super) fn answered(engine: &mut Engine, color: Color, answer: Answer) -> Result<String> {
    engine.session.play_answer(color, answer)?;
    Ok(answer.to_string())
}
