//! The program's turns: its moves, and the dead stones of finished games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};

use super::engines::Key;
use super::game::{Need, Value};
use super::hub::Hub;
use super::seat::Seat;
use super::state::State;
use crate::clock::Clock;
use crate::games::go::side;
use crate::go::score::Score;
use crate::go::{Answer, PointSet, Position};
use crate::player::analysis::Perspective;
use crate::player::session::GameSession;
use crate::player::{LastReport, Watch};
use crate::search::{Detail, Restrictions};
use crate::threads;

/// What the program is to do.
struct Task {
    key: Key,
    need: Need,
    position: Position,
    seat: Seat,
    /// The clock of the color to move and the time that has passed, in games with clocks.
    clock: Option<(Clock, Duration)>,
    stop: Arc<AtomicBool>,
}

/// What it has found.
enum Outcome {
    Answer(Answer, Option<Value>),
    Judgement(PointSet, Score),
}

impl Hub {
    /// Begins what the program has to do in a game, if a page shows it and nothing has begun.
    pub(super) fn go_on(self: &Arc<Self>, state: &mut State, id: &str) {
        let is_seen = state.is_seen(id);
        let Some(held) = state.games.get_mut(id) else {
            return;
        };
        let need = held.game.need();
        let Some(need) =
            need.filter(|_| is_seen && held.task.is_none() && held.game.fault.is_none())
        else {
            return;
        };
        let position = held.game.position().clone();
        let color = position.to_move();
        let stop = Arc::new(AtomicBool::new(false));
        let task = Task {
            key: (id.to_owned(), color),
            need,
            seat: held.game.seats[color].clone(),
            clock: held.game.clock_of_turn(),
            position,
            stop: Arc::clone(&stop),
        };
        held.task = Some(stop);
        let hub = Arc::clone(self);
        if let Err(error) = threads::start(move || hub.work(&task)) {
            held.task = None;
            held.game.fault = Some(error.to_string());
        }
    }

    /// Does a task and takes up what it found, unless it was cancelled.
    fn work(self: &Arc<Self>, task: &Task) {
        let found = self.find(task);
        let id = &task.key.0;
        let mut state = self.lock();
        let Some(held) = state.games.get_mut(id) else {
            return;
        };
        if !held
            .task
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, &task.stop))
        {
            return;
        }
        held.task = None;
        let game = &mut held.game;
        let taken_up = found.and_then(|found| match found {
            Outcome::Answer(answer, value) => {
                if let Some(value) = value {
                    game.note(task.position.turn(), value);
                }
                game.answer(answer)
            }
            Outcome::Judgement(dead, score) => {
                game.judged(dead, score);
                Ok(())
            }
        });
        if let Err(error) = taken_up {
            game.fault = Some(format!("{error:#}"));
        }
        state.run_clock(id);
        self.go_on(&mut state, id);
        state.show(id);
        drop(state);
        self.keep(id);
    }

    fn find(&self, task: &Task) -> Result<Outcome> {
        let slot = self.playing.take(&task.stop);
        let _slot = slot.context("the search was cancelled")?;
        let mut session = self.engines.take(&task.key, &task.position, &task.seat)?;
        let found = match task.need {
            Need::Move => chosen(&mut session, task),
            Need::Judgement => judged(&mut session),
        };
        // As long as the game is looked at.
        if self.lock().is_seen(&task.key.0) {
            self.engines.give_back(task.key.clone(), session);
        }
        found
    }
}

fn chosen(session: &mut GameSession, task: &Task) -> Result<Outcome> {
    let mut last = LastReport::default();
    let color = task.position.to_move();
    let mut waited = Duration::ZERO;
    if let Some((clock, elapsed)) = &task.clock {
        let left = clock.left();
        session.clocks.set(Clock::new(clock.control()));
        session.clocks.report(color, left.seconds, left.count);
        waited = *elapsed;
    }
    let chosen = session.choose(color, waited, |player, position, clock| {
        let watch = Watch {
            stop: &task.stop,
            restrictions: &Restrictions::default(),
            detail: Detail::default(),
            reports: None,
            observer: &mut last,
        };
        player.choose_watched(position, clock, watch)
    })?;
    let black = Perspective::Black.of(side(color));
    let value = last.0.map(|report| Value {
        winrate: black.winrate(report.win_loss),
        lead: black.value(report.lead),
        visits: report.visits,
    });
    Ok(Outcome::Answer(chosen.answer, value))
}

fn judged(session: &mut GameSession) -> Result<Outcome> {
    let dead = session.dead_stones()?;
    Ok(Outcome::Judgement(dead, session.judged_score()?))
}
