//! Moves: played, chosen and taken back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use super::super::interrupt_flags::InterruptFlags;
use crate::clock::Clock;
use crate::go::{Color, Move, Point, Position};
use crate::player::{Answer, Player};

/// Puts up with what other rules may allow: several moves of one color, superko, suicide.
pub(super) fn play(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (color, made) = arguments.colored_move(0)?;
    play_reported(&mut engine.position, color, made)?;
    engine.is_playing = true;
    Ok(String::new())
}

/// Pairs of color and vertex: all of them, or none if one is illegal.
pub(super) fn play_sequence(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let mut position = engine.position.clone();
    for place in (0..arguments.len()).step_by(2) {
        let (color, made) = arguments.colored_move(place)?;
        play_reported(&mut position, color, made)?;
    }
    engine.position = position;
    engine.is_playing = true;
    Ok(String::new())
}

fn play_reported(position: &mut Position, color: Color, made: Move) -> Result<()> {
    position
        .play_reported(color, made)
        .ok()
        .context("illegal move")
}

pub(super) fn genmove(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let think = think(&engine.interrupt_flags());
    let answer = choose_in_time(engine, color, think)?;
    answered(engine, color, answer)
}

/// Chooses a move without playing it.
pub(super) fn reg_genmove(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    engine.is_playing = false;
    let think = think(&engine.interrupt_flags());
    let answer = choose(engine, arguments.color(0)?, Duration::ZERO, think)?;
    Ok(text(answer))
}

/// As `genmove`, but takes dead stones of the opponent off before passing.
pub(super) fn genmove_cleanup(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let color = arguments.color(0)?;
    let think = think(&engine.interrupt_flags());
    let mut answer = choose_in_time(engine, color, think)?;
    if answer == Answer::Play(Move::Pass)
        && let Some(point) = cleanup_move(engine, color)?
    {
        answer = Answer::Play(Move::Play(point));
    }
    answered(engine, color, answer)
}

pub(super) fn undo(engine: &mut Engine, _: &Arguments) -> Result<String> {
    engine.position.undo().context("cannot undo")?;
    engine.is_playing = false;
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
    if moves > engine.position.turn() {
        bail!("cannot undo");
    }
    engine.is_playing = false;
    for _ in 0..moves {
        engine.position.undo();
    }
    Ok(String::new())
}

/// The position with the turn given to a color.
pub(super) fn seen_by(engine: &Engine, color: Color) -> Position {
    let mut position = engine.position.clone();
    position.set_to_move(color);
    position
}

/// What the player answers, or a pass instead of an illegal move. Time that the controller has
/// `waited` is gone from the clock already.
fn choose(
    engine: &mut Engine,
    color: Color,
    waited: Duration,
    think: impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer>,
) -> Result<Answer> {
    let position = seen_by(engine, color);
    let clock = engine.clocks.of(color).after(waited);
    let clock = clock.with_lag(*engine.clocks.lag());
    let answer = think(&mut *engine.player, &position, &clock)?;
    if let Answer::Play(made) = answer
        && let Err(reason) = position.check(made)
    {
        engine.remark(&format!(
            "passing, as the chosen move {made} is illegal ({reason})"
        ));
        return Ok(Answer::Play(Move::Pass));
    }
    Ok(answer)
}

/// As [`choose`], on the clock.
pub(super) fn choose_in_time(
    engine: &mut Engine,
    color: Color,
    think: impl FnOnce(&mut dyn Player, &Position, &Clock) -> Result<Answer>,
) -> Result<Answer> {
    let (waited, start) = (engine.waited(), Instant::now());
    let answer = choose(engine, color, waited, think);
    engine.end_turn(color, waited + start.elapsed());
    answer
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
    if let Answer::Play(made) = answer {
        play_reported(&mut engine.position, color, made)?;
    }
    engine.is_playing = answer != Answer::Resign;
    Ok(text(answer))
}

/// Whether the opponent could take the chain of a stone at once that takes nothing itself.
fn loses_itself(position: &Position, point: Point) -> bool {
    let mut after = position.clone();
    after.play_unchecked(Move::Play(point));
    after.board().liberties(point) <= 1 && !position.board().is_capture(point, position.to_move())
}

/// The most sensible legal move on a liberty of a chain of the opponent's that is dead, or was called so.
fn cleanup_move(engine: &mut Engine, color: Color) -> Result<Option<Point>> {
    let position = seen_by(engine, color);
    let board = position.board();
    let (claimed, dead) = (engine.still_announced_dead(), engine.dead_stones()?);
    let enemies = board.points().filter(|&stone| {
        let is_dead = claimed.contains(stone) || dead.contains(stone);
        is_dead && board.color_at(stone) == Some(!color)
    });
    let mut points: Vec<Point> = enemies
        .flat_map(|stone| board.liberty_points(stone))
        .collect();
    points.retain(|&point| position.is_legal(Move::Play(point)) && !loses_itself(&position, point));
    if points.is_empty() {
        return Ok(None);
    }
    let policy = engine.view()?.policy(&position)?;
    let weight = |point: &Point| policy.get(position.size().index(*point)).copied();
    let best = points.into_iter().max_by(|a, b| {
        weight(a)
            .unwrap_or(0.0)
            .total_cmp(&weight(b).unwrap_or(0.0))
    });
    Ok(best)
}

pub(super) fn text(answer: Answer) -> String {
    match answer {
        Answer::Play(made) => made.to_string(),
        Answer::Resign => "resign".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Rules, diagram};

    #[test]
    fn a_stone_loses_itself_if_it_can_be_taken_and_takes_nothing() {
        let board = diagram::parse("..OX./OOX../...../...../.....").unwrap();
        let size = board.size();
        let position = Position::from_board(board, Color::Black, Rules::CHINESE, Komi::default());
        let lost = |index| loses_itself(&position, size.point_at(index));
        assert!(lost(0), "in the corner, with one liberty");
        assert!(!lost(1), "takes a stone");
        assert!(!lost(4), "joins a chain");
        assert!(!lost(20), "has two liberties");
    }
}
