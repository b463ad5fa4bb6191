//! What the referees of all games do: they start games, time the players, and tell how faults end games.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::contestant::Fault;
use super::ending::Ending;
use crate::clock::{Clock, TimeControl};
use crate::go::{Color, PerColor};

/// Starts a game for both players and gives their names. `start` starts it for one of them, then tells its name; the
/// error names the player that cannot start.
pub(super) fn start_both(
    mut start: impl FnMut(Color) -> (anyhow::Result<()>, String),
) -> anyhow::Result<PerColor<String>> {
    let mut started = |color| {
        let (result, name) = start(color);
        result.with_context(|| format!("{name} cannot start a game"))?;
        anyhow::Ok(name)
    };
    Ok(PerColor([started(Color::Black)?, started(Color::White)?]))
}

/// The time of both players.
pub(super) struct Timed {
    /// What is left.
    pub clocks: PerColor<Clock>,
    /// What they have used.
    pub used: PerColor<Duration>,
    /// Tolerance per move.
    margin: Duration,
}

impl Timed {
    /// At the start of a game.
    pub fn new(control: TimeControl, margin: Duration) -> Timed {
        Timed {
            clocks: PerColor([Clock::new(control); 2]),
            used: PerColor::default(),
            margin,
        }
    }

    /// Asks a player for its answer and charges it the time. `ask` is told the clocks and the time after which the
    /// game is lost, if there is a clock. The error is how a fault, or too much time, ends the game.
    pub fn ask<A>(
        &mut self,
        color: Color,
        ask: impl FnOnce(&PerColor<Clock>, Option<Duration>) -> Result<A, Fault>,
    ) -> Result<A, Ending> {
        let clock = &self.clocks[color];
        let limit = clock.limit().map(|limit| limit + self.margin);
        let begun = Instant::now();
        let answer = ask(&self.clocks, limit);
        let elapsed = begun.elapsed();
        self.used[color] += elapsed;
        let answer = answer.map_err(|fault| ended_by(color, fault, limit.is_some()))?;
        if limit.is_some_and(|limit| elapsed > limit) {
            return Err(Ending::OutOfTime { loser: color });
        }
        self.clocks[color].spend(elapsed);
        Ok(answer)
    }
}

/// How a fault ends a game. A missing answer loses on time only if there is a clock.
pub(super) fn ended_by(loser: Color, fault: Fault, has_clock: bool) -> Ending {
    match fault {
        Fault::Refused(message) => Ending::Refused { loser, message },
        Fault::Crashed(message) => Ending::Crashed { loser, message },
        Fault::NotAMove(text) => Ending::IllegalMove {
            loser,
            answer: format!("'{text}'"),
            reason: "not a move".to_owned(),
        },
        Fault::AgainstRule { answer, reason } => Ending::IllegalMove {
            loser,
            answer,
            reason,
        },
        Fault::Silent if has_clock => Ending::OutOfTime { loser },
        Fault::Silent => Ending::Crashed {
            loser,
            message: "no answer".to_owned(),
        },
    }
}
