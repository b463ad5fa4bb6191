//! What a player does: it chooses moves, analyzes, ponders, estimates ownership. A search with a network,
//! a search over rollouts and a random player all do.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, bail};

use super::analysis::AnalysisParams;
use super::evaluators::Evaluators;
use crate::clock::Clock;
use crate::go::{Answer, Color, Position};
use crate::params::ParamEntry;
use crate::search::{Detail, Report, Restrictions};

/// How a search is bounded and watched by whoever asked for it.
pub struct Watch<'a> {
    /// Ends it when set.
    pub stop: &'a AtomicBool,
    /// Moves to leave alone.
    pub restrictions: &'a Restrictions,
    /// What reports contain.
    pub detail: Detail,
    /// When reports before the last one are due, if they are wanted.
    pub reports: Option<ReportTimes>,
    /// Who watches.
    pub observer: &'a mut dyn Observer,
}

/// The first report comes after this time at the latest, where nothing else is asked for.
const FIRST_REPORT: Duration = Duration::from_millis(100);

/// When a search reports before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportTimes {
    /// Time to the first report.
    pub first: Duration,
    /// Time between reports.
    pub interval: Duration,
}

impl ReportTimes {
    /// Reports at an interval, the first one soon.
    pub fn every(interval: Duration) -> ReportTimes {
        ReportTimes {
            first: interval.min(FIRST_REPORT),
            interval,
        }
    }
}

/// Watches a search.
pub trait Observer: Send {
    /// The search begins: from here on the request is not refused any more, though the search may
    /// still fail.
    fn begins(&mut self) {}

    /// Sees what has been found so far.
    fn sees(&mut self, report: Report);
}

/// Looks away.
pub struct Nobody;

impl Observer for Nobody {
    fn sees(&mut self, _: Report) {}
}

/// Keeps the last report.
#[derive(Default)]
pub struct LastReport(pub Option<Report>);

impl Observer for LastReport {
    fn sees(&mut self, report: Report) {
        self.0 = Some(report);
    }
}

/// Chooses moves.
pub trait Player: Send {
    /// Chooses a move for the player to move. The clock is its own as last reported; where it is
    /// unlimited, the player's own limits hold.
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer>;

    /// As [`Player::choose`], by what is known then as soon as `stop` is set.
    fn choose_until(
        &mut self,
        position: &Position,
        clock: &Clock,
        stop: &AtomicBool,
    ) -> Result<Answer> {
        let _ = stop;
        self.choose(position, clock)
    }

    /// Does before a clock runs what would make the first move from such a position a slow one.
    fn warm_up(&mut self, position: &Position) -> Result<()> {
        let _ = position;
        Ok(())
    }

    /// How positions are analyzed; `None` for a player that cannot.
    fn analysis(&self) -> Option<AnalysisParams> {
        None
    }

    /// As [`Player::choose`], under somebody's eyes, who gets at least one report at the end. A
    /// search that is stopped chooses by what it has found.
    fn choose_watched(
        &mut self,
        position: &Position,
        clock: &Clock,
        watch: Watch,
    ) -> Result<Answer> {
        let _ = (position, clock, watch);
        bail!("the player does not search")
    }

    /// Searches until it is stopped or can go no further.
    fn analyze(&mut self, position: &Position, watch: Watch) -> Result<()> {
        let _ = (position, watch);
        bail!("the player does not search")
    }

    /// Whether it wants to think while the opponent does.
    fn ponders(&self) -> bool {
        false
    }

    /// Thinks about a position on the opponent's time, in a game in which it moves for `own_color`, until `stop` is
    /// set or its limits are reached. The opponent may have moved already.
    fn ponder(&mut self, position: &Position, own_color: Color, stop: &AtomicBool) -> Result<()> {
        let _ = (position, own_color, stop);
        Ok(())
    }

    /// The time that is left for the move that was chosen last; none if it is not limited.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Expected owner of each point by a search, row by row from the top left, +1 for Black; `None`
    /// if the player leaves that to single evaluations. Of a finished game, the position before the passes is
    /// meant. `time`, if it is limited, and `stop` may end the search before it has all its visits.
    fn ownership(
        &mut self,
        position: &Position,
        time: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<f32>>> {
        let _ = (position, time, stop);
        Ok(None)
    }

    /// Where its evaluations come from.
    fn evaluators(&self) -> &dyn Evaluators;

    /// Where evaluations by a network of human play come from, if there is one besides.
    fn human_evaluators(&self) -> Option<&dyn Evaluators> {
        None
    }

    /// The evaluators, to be changed.
    fn evaluators_mut(&mut self) -> &mut dyn Evaluators;

    /// A game begins: random choices may fall otherwise than in the game before.
    fn begin_game(&mut self) {}

    /// Drops what it keeps from move to move.
    fn forget(&mut self) {}

    /// What can be set, with present values: its own parameters and those of its evaluators.
    fn parameters(&self) -> Vec<ParamEntry> {
        self.evaluators().parameters()
    }

    /// Sets one of these by name. After an error everything is as before.
    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        self.evaluators_mut().set_parameter(name, text)
    }
}
