//! How long a searching player thinks about a move.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::super::player::Player;
use super::SearchPlayer;
use super::root::fingerprints;
use super::variety::turns_behind;
use crate::clock::Clock;
use crate::go::{Color, Position};
use crate::search::evaluator::Evaluator;
use crate::search::limits::Limits;
use crate::search::mcts::Search;
use crate::threads::cores;

/// A move with less than this chance need not be found.
const UNLIKELY: f64 = 0.01;

/// The search before the first move on a clock.
const WARM_UP_VISITS: u64 = 100;

/// The same for slow networks.
const WARM_UP_TIME: Duration = Duration::from_secs(1);

/// Own turns by which a player judges whether the game is won.
const RECENT_TURNS: usize = 3;

/// The limits of a search that may take this time and no more.
pub(super) fn limits_within(time: Option<Duration>) -> Limits {
    let mut limits = Limits::default().with_time(time);
    limits.pace.most = time;
    limits
}

impl SearchPlayer {
    pub(super) fn limits(&self, position: &Position, clock: &Clock) -> Limits {
        let board = position.board();
        let stones = Color::BOTH
            .map(|color| board.stone_count(color))
            .iter()
            .sum();
        let budget = clock
            .budget(
                position.size().area(),
                stones,
                &self.params.time,
                &self.reserve,
            )
            .map(|budget| budget.scaled(self.time_factor(position)));
        let mut limits = self.params.limits.limits(budget);
        // A share that the temperature makes unlikely enough need not be waited for either.
        let params = self.params.search.for_board(position.size().area());
        let unlikely = UNLIKELY.powf(params.temperature_at(turns_behind(position)));
        let share = match limits.time {
            Some(_) => self.params.time.futile.max(self.params.time.early_stop),
            None => self.params.time.futile,
        };
        limits.pace.futile = share.min(unlikely);
        if budget.is_some() {
            limits.pace.obvious = self.params.time.obvious;
            limits.pace.unclear = self.params.time.unclear;
        }
        limits
    }

    /// Has networks, threads and memory made ready by a short search with a tree of its own, unless that has been done:
    /// some clients set the clock before each move.
    pub(super) fn search_apart(&mut self, root: Position) -> Result<()> {
        let view = self.evaluators.view(root.to_move(), root.size())?;
        let warm = (root.size(), fingerprints(&*view.evaluator));
        if self.warm.replace(warm) == Some(warm) {
            return Ok(());
        }
        let params = self.params.search.for_board(root.size().area());
        let mut search = Search::new(params)
            .with_time(Arc::clone(&self.time))
            .with_root_bonus(Arc::new(self.params.root.bonus()));
        search.set_root(root);
        let limits = Limits::visits(WARM_UP_VISITS).with_time(Some(WARM_UP_TIME));
        search.run(&*view.evaluator, &limits, &AtomicBool::new(false))
    }

    /// Searches on from the same root, and notes when that was to end.
    pub(super) fn run_search(
        &mut self,
        evaluator: &dyn Evaluator<Position>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<()> {
        let begun = self.time.now();
        self.search.run(evaluator, limits, stop)?;
        self.note_due(begun);
        Ok(())
    }

    /// Notes when a search that began then was to end.
    pub(super) fn note_due(&mut self, begun: Instant) {
        let due = self.search.due();
        self.due = due.and_then(|due| begun.checked_add(due));
    }

    /// What was done since then for a move is no delay.
    pub(super) fn note_planned(&mut self, begun: Instant) {
        let took = self.time.now().saturating_duration_since(begun);
        self.due = self.due.and_then(|due| due.checked_add(took));
    }

    /// What a move has taken since its last search was to end.
    pub(super) fn note_lateness(&mut self) {
        if let (Some(_), Some(due)) = (self.latest, self.due.take()) {
            self.reserve
                .note(self.time.now().saturating_duration_since(due));
        }
    }

    /// How much of the machine a search had since `begun`, when the program had `worked` for so long. Threads
    /// that wait for each other were not kept from working.
    pub(super) fn note_share(&mut self, begun: Instant, worked: Option<Duration>) {
        if let (Some(before), Some(after)) = (worked, self.time.worked()) {
            let time = self.time.now().saturating_duration_since(begun);
            let worked = after.saturating_sub(before);
            let threads = (self.params.search.threads as usize).min(cores());
            self.reserve.note_share(worked, time, threads as u32);
        }
    }

    /// The limits of a short search that adds to the one for this move.
    pub(super) fn more_playouts(&self, playouts: u64) -> Limits {
        Limits {
            playouts: Some(playouts),
            ..self.limits_left()
        }
    }

    /// The limits of what is added to the search for this move: the time that is left.
    pub(super) fn limits_left(&self) -> Limits {
        limits_within(self.time_left())
    }

    /// Less time where little is left to decide.
    fn time_factor(&self, position: &Position) -> f64 {
        let timing = &self.params.time;
        let passes = match position.passes() {
            0 => 1.0,
            1 => timing.after_pass,
            _ => timing.after_two_passes,
        };
        let recent: Vec<f64> = self.history.before(position).take(RECENT_TURNS).collect();
        if recent.len() < RECENT_TURNS {
            return passes;
        }
        let mean = recent.iter().sum::<f64>() / RECENT_TURNS as f64;
        let certainty = (mean - timing.winning) / (1.0 - timing.winning).max(1e-9);
        passes * (1.0 + certainty.clamp(0.0, 1.0) * (timing.when_winning - 1.0))
    }
}
