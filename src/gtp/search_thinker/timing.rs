//! How long a searching player thinks about a move.

use super::SearchThinker;
use crate::go::{Color, Position};
use crate::search::clock::Clock;
use crate::search::limits::Limits;

/// A move with less than this chance need not be found.
const UNLIKELY: f64 = 0.01;

/// Own turns by which a player judges whether the game is won.
const RECENT_TURNS: usize = 3;

impl SearchThinker {
    pub(super) fn limits(&self, position: &Position, clock: &Clock) -> Limits {
        let board = position.board();
        let stones = Color::BOTH
            .map(|color| board.stone_count(color))
            .iter()
            .sum();
        let budget = clock
            .budget(position.size().area(), stones, &self.timing)
            .map(|budget| budget.scaled(self.time_factor(position)));
        let mut limits = self.spending.limits(budget);
        // A share that the temperature makes unlikely enough need not be waited for either.
        let params = self.params.for_board(position.size().area());
        let unlikely = UNLIKELY.powf(params.temperature_at(position.turn()));
        let share = match limits.time {
            Some(_) => self.timing.futile.max(self.timing.early_stop),
            None => self.timing.futile,
        };
        limits.pace.futile = share.min(unlikely);
        if budget.is_some() {
            limits.pace.obvious = self.timing.obvious;
            limits.pace.unclear = self.timing.unclear;
        }
        limits
    }

    /// Less time where little is left to decide.
    fn time_factor(&self, position: &Position) -> f64 {
        let timing = &self.timing;
        let passes = match position.passes() {
            0 => 1.0,
            1 => timing.after_pass,
            _ => timing.after_two_passes,
        };
        let recent: Vec<f64> = self.outlook.before(position).take(RECENT_TURNS).collect();
        if recent.len() < RECENT_TURNS {
            return passes;
        }
        let mean = recent.iter().sum::<f64>() / RECENT_TURNS as f64;
        let certainty = (mean - timing.winning) / (1.0 - timing.winning).max(1e-9);
        passes * (1.0 + certainty.clamp(0.0, 1.0) * (timing.when_winning - 1.0))
    }
}
