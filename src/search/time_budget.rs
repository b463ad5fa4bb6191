//! How much of a clock the next move deserves.
//!
//! The formulas are KataGo's recommended time, without its adjustments during the search. Half of a
//! game's moves are ours, which the horizons (own turns left) allow for.

use std::time::Duration;

use super::clock::{Clock, TimeLeft};
use super::time_control::{TimeControl, finite};

/// Time kept back for what happens between us and the controller's clock.
const LAG: f64 = 1.0;

/// The last byo-yomi periods, which are not treated as main time.
const SPARED_PERIODS: u32 = 5;

impl Clock {
    /// Time to think about the next move; `None` if it is unlimited. `area` is the number of points
    /// of the board, `stones` how many of them are occupied.
    pub fn budget(&self, area: usize, stones: usize) -> Option<Duration> {
        let horizon = Horizon::new(area, stones);
        let left = self.left();
        let time = match self.control() {
            TimeControl::Unlimited => return None,
            TimeControl::Fischer { increment, .. } => {
                without_lag(fischer(left.seconds, increment, &horizon), LAG)
            }
            TimeControl::Canadian { .. } if left.count > 0 => in_canadian_overtime(left),
            TimeControl::Japanese { period, .. } if left.count > 0 => {
                in_japanese_overtime(left, period)
            }
            TimeControl::Canadian { period, stones, .. } => {
                let per_move = period / f64::from(stones);
                before_overtime(left.seconds, per_move, stones == 1, &horizon)
            }
            TimeControl::Japanese {
                period, periods, ..
            } => {
                let extra = periods.saturating_sub(SPARED_PERIODS);
                let main = left.seconds + period * f64::from(extra);
                before_overtime(main, period, periods == 1, &horizon)
            }
        };
        Some(Duration::from_secs_f64(finite(time).max(0.0)))
    }
}

/// Own turns left, by three reckonings.
struct Horizon {
    absolute: f64,
    increment: f64,
    overtime: f64,
}

impl Horizon {
    fn new(area: usize, stones: usize) -> Horizon {
        let (area, stones) = (area as f64, stones as f64);
        Horizon {
            absolute: 0.5 * (0.95 * area + 20.0 - stones).max(0.15 * area + 30.0),
            increment: 0.5 * (0.75 * area + 15.0 - stones).max(0.10 * area + 20.0),
            overtime: 0.5 * (0.50 * area + 10.0 - stones).max(0.02 * area + 4.0),
        }
    }
}

/// Recommended time with main time and increment, sudden death included.
fn fischer(main: f64, increment: f64, horizon: &Horizon) -> f64 {
    if main <= increment {
        return without_lag(main, LAG);
    }
    let spare = without_lag(main - increment, LAG);
    let share = (spare / horizon.increment).min(spare / horizon.absolute + 2.0 * increment);
    let most = main.min(increment + spare / 5.0);
    (increment + share).min(most)
}

/// Recommended time while there is main time and overtime to come. Main time is spread so that
/// each move of it gets about e times the time of an overtime move, best if strength grows with the
/// logarithm of time. `is_last`: overtime is a single period for a single move.
fn before_overtime(main: f64, per_move: f64, is_last: bool, horizon: &Horizon) -> f64 {
    if per_move <= 0.0 {
        return without_lag(fischer(main, 0.0, horizon), LAG);
    }
    let best_turns = main / per_move / std::f64::consts::E;
    let turns = if horizon.overtime > best_turns {
        horizon.overtime.min(1.75 * best_turns)
    } else {
        best_turns
    };
    let turns = turns.min(horizon.absolute).max(1.0);
    let time = (main / turns)
        .min(main / horizon.absolute + 3.0 * per_move)
        .max(per_move);
    if time < 1.5 * per_move && main < 1.5 * per_move {
        return without_lag(main + per_move, lag(is_last));
    }
    without_lag(time, LAG)
}

/// Recommended time within a period for a number of stones.
fn in_canadian_overtime(left: TimeLeft) -> f64 {
    without_lag(left.seconds / f64::from(left.count), lag(left.count == 1))
}

/// Recommended time within one of a number of periods.
fn in_japanese_overtime(left: TimeLeft, period: f64) -> f64 {
    let spare_periods = f64::from(left.count - 1);
    let enough = without_lag(period / 2.0, LAG) * spare_periods / 4.0;
    if left.count > 1 && without_lag(left.seconds, LAG) < enough {
        return without_lag(left.seconds + period, LAG);
    }
    without_lag(left.seconds, lag(left.count == 1))
}

/// The buffer for lag, twice as large where a loss on time is next.
fn lag(is_last: bool) -> f64 {
    if is_last { 2.0 * LAG } else { LAG }
}

/// A time with the buffer for lag taken off; of a short time at most half.
fn without_lag(time: f64, lag: f64) -> f64 {
    if time < 0.0 {
        time
    } else if time < 2.0 * lag {
        time / 2.0
    } else {
        time - lag
    }
}
