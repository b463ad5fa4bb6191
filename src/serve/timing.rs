//! The clocks of a game. They stand still while no page shows it.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::game::{Game, Stage};
use crate::clock::{Clock, TimeControl};
use crate::go::{Color, GameResult, PerColor, WonBy};

/// Delay of messages that nobody loses on time by.
const MARGIN: Duration = Duration::from_millis(500);

/// How a game is timed, and the turn that goes on.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    pub(super) control: TimeControl,
    /// Time of the turn before `since`.
    used: Duration,
    /// Since when it goes on; none while it does not.
    since: Option<Instant>,
}

/// A clock as pages see it: its reading at the beginning of the turn.
#[derive(Serialize)]
pub(super) struct ClockView {
    /// Seconds of main time, for `count` moves, or of the first of `count` periods.
    seconds: f64,
    /// 0 in main time.
    count: u32,
    /// Seconds and count of overtime when it begins; none if there is none.
    overtime: Option<(f64, u32)>,
    /// Whether overtime has periods for one move each.
    has_periods: bool,
}

/// Both clocks, and which one goes.
#[derive(Serialize)]
pub(super) struct ClocksView {
    clocks: [ClockView; 2],
    /// Seconds of this turn so far; none while no clock goes.
    used: Option<f64>,
}

impl Timing {
    /// A game that has not begun; none without limit.
    pub(super) fn new(control: TimeControl, used: Duration) -> Option<Timing> {
        (control != TimeControl::Unlimited).then_some(Timing {
            control,
            used,
            since: None,
        })
    }

    /// Time of the turn.
    pub(super) fn elapsed(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.used + running.unwrap_or_default()
    }

    /// Begins the next turn.
    fn begin_turn(&mut self) {
        self.used = Duration::ZERO;
        self.since = self.since.map(|_| Instant::now());
    }

    /// Goes on, or stands still.
    fn run(&mut self, goes_on: bool) {
        self.used = self.elapsed();
        self.since = goes_on.then(Instant::now);
    }
}

impl Game {
    /// Both clocks at the beginning of the turn; none without time limits.
    pub(super) fn clocks(&self) -> Option<PerColor<Clock>> {
        let timing = self.timing.as_ref()?;
        let known = self.tree.last().clocks.as_deref().copied();
        Some(known.unwrap_or(PerColor([Clock::new(timing.control); 2])))
    }

    /// The clock of the color to move, and the time that the turn has taken.
    pub(super) fn clock_of_turn(&self) -> Option<(Clock, Duration)> {
        let clocks = self.clocks()?;
        let elapsed = self.timing.as_ref()?.elapsed();
        Some((clocks[self.position().to_move()], elapsed))
    }

    /// Begins a turn: the one to move has the time that the clocks show.
    pub(super) fn begin_turn(&mut self) {
        if let Some(timing) = &mut self.timing {
            timing.begin_turn();
        }
    }

    /// Has the clock go on as long as a page shows the game and moves are played.
    pub(super) fn run_clock(&mut self, is_seen: bool) {
        let plays = matches!(self.stage(), Stage::Playing);
        if let Some(timing) = &mut self.timing {
            timing.run(is_seen && plays);
        }
    }

    /// The clocks after a move of `color` in the position as it stands.
    pub(super) fn clocks_after(&self, color: Color) -> Option<Box<PerColor<Clock>>> {
        let mut clocks = self.clocks()?;
        let elapsed = self.timing.as_ref()?.elapsed();
        clocks[color].spend(elapsed);
        Some(Box::new(clocks))
    }

    /// Ends the game if the color to move has used up its time; whether it has.
    pub fn end_if_late(&mut self) -> bool {
        let is_late = self.clock_of_turn().is_some_and(|(clock, elapsed)| {
            clock.limit().is_some_and(|limit| elapsed > limit + MARGIN)
        });
        let is_late = is_late && matches!(self.stage(), Stage::Playing);
        if is_late {
            let winner = !self.position().to_move();
            self.end(GameResult::Win(winner, WonBy::Time));
        }
        is_late
    }

    /// What pages see of the clocks.
    pub(super) fn clocks_view(&self) -> Option<ClocksView> {
        let clocks = self.clocks()?;
        let timing = self.timing.as_ref()?;
        let used = timing.since.map(|_| timing.elapsed().as_secs_f64());
        let late = match self.stage() {
            Stage::Over(ending) => match ending.result {
                GameResult::Win(winner, WonBy::Time) => Some(!winner),
                _ => None,
            },
            _ => None,
        };
        Some(ClocksView {
            clocks: Color::BOTH.map(|color| match late == Some(color) {
                true => view(&clocks[color]).used_up(),
                false => view(&clocks[color]),
            }),
            used,
        })
    }
}

impl ClockView {
    /// The same with no time left.
    fn used_up(self) -> ClockView {
        ClockView {
            seconds: 0.0,
            count: self.overtime.map_or(0, |_| 1),
            ..self
        }
    }
}

fn view(clock: &Clock) -> ClockView {
    let (left, control) = (clock.left(), clock.control());
    let (overtime, has_periods) = match control {
        TimeControl::Canadian { period, stones, .. } => (Some((period, stones)), false),
        TimeControl::Japanese {
            period, periods, ..
        } => (Some((period, periods)), true),
        TimeControl::Unlimited | TimeControl::Fischer { .. } => (None, false),
    };
    ClockView {
        seconds: left.seconds,
        count: left.count,
        overtime,
        has_periods,
    }
}
