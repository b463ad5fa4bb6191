//! Time budget of the next move.
//!
//! The formulas are KataGo's. Half of a game's moves are ours, which the horizons (own turns left)
//! allow for. Adjustments during the search are in `pace`.

use std::f64::consts::E;
use std::time::Duration;

use super::control::{TimeControl, finite};
use super::reserve::Reserve;
use super::{Clock, TimeLeft};
use crate::params::parameters;

parameters! {
    /// Time management settings, with KataGo's names where it has them.
    TimeParams;

    /// Seconds reserved for delays between the engine and the client's clock.
    lag as "lagBuffer": f64 = 1.0, 0 => 3600;
    /// Factor on the time for each move.
    overallocate as "overallocateTimeFactor": f64 = 1.0, 0.01 => 100;
    /// Factor on the time for a move in the middle of the game; smaller before and after.
    midgame as "midgameTimeFactor": f64 = 1.3, 0.01 => 100;
    /// Move on 19x19 at which that factor is largest.
    midgame_peak as "midgameTurnPeakTime": f64 = 130.0, 0 => 1000;
    /// Moves on 19x19 after that in which the factor falls to 1/e of its effect.
    endgame_decay as "endgameTurnTimeDecay": f64 = 100.0, 0 => 1e6;
    /// Factor on the time for a move on which policy and search agree.
    obvious as "obviousMovesTimeFactor": f64 = 0.6, 0.01 => 1;
    /// Factor on the time while the most visited move is not the one with the best lower confidence
    /// bound; 1 is off.
    unclear as "unclearMovesTimeFactor": f64 = 1.75, 1 => 100;
    /// A search ends early when no other move can reach this fraction of the leading move's visits;
    /// 0 is off.
    futile as "futileVisitsThreshold": f64 = 0.0, 0 => 1;
    /// The same for searches limited by time. KataGo: as above.
    early_stop as "earlyStop": f64 = 0.15, 0 => 1;
    /// Factor on the time after a pass of the opponent.
    after_pass as "searchFactorAfterOnePass": f64 = 0.5, 0 => 1;
    /// Factor on the time after two passes.
    after_two_passes as "searchFactorAfterTwoPass": f64 = 0.25, 0 => 1;
    /// Factor on the time in won games.
    when_winning as "searchFactorWhenWinning": f64 = 0.4, 0 => 1;
    /// Win probability minus loss probability above which that factor applies.
    winning as "searchFactorWhenWinningThreshold": f64 = 0.95, 0 => 1;
}

/// Time for a move, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// Time that would be lost if not used.
    pub least: Duration,
    /// Recommended time.
    pub recommended: Duration,
    /// Upper limit.
    pub most: Duration,
}

impl TimeBudget {
    /// The same with the recommended time multiplied, possibly below the minimum.
    #[must_use]
    pub fn scaled(self, factor: f64) -> TimeBudget {
        let recommended = self
            .recommended
            .mul_f64(factor.clamp(0.0, 1e3))
            .min(self.most);
        TimeBudget {
            least: self.least.min(recommended),
            recommended,
            most: self.most,
        }
    }
}

impl Clock {
    /// Budget of the next move, where moves take longer than planned by what `reserve` says; `None` if time is
    /// unlimited. `area` is the number of points of the board, `stones` the number of occupied ones.
    pub fn budget(
        &self,
        area: usize,
        stones: usize,
        params: &TimeParams,
        reserve: &Reserve,
    ) -> Option<TimeBudget> {
        let horizon = Horizon::new(area, stones);
        let left = self.left();
        let buffer = Buffer(params.lag);
        let late = reserve.per_move() + self.lag().per_move();
        let mut spans = match self.control() {
            TimeControl::Unlimited => return None,
            TimeControl::Fischer { increment, .. } => {
                fischer(left.seconds, increment, self.cap(), &horizon, buffer, late)
            }
            TimeControl::Canadian { .. } if left.count > 0 => in_period(
                left.seconds,
                f64::from(left.count),
                buffer.doubled_if(left.count == 1),
            ),
            TimeControl::Japanese { period, .. } if left.count > 0 => {
                in_japanese_overtime(left, period, &horizon, buffer)
            }
            TimeControl::Canadian { period, stones, .. } => Overtime {
                period,
                stones: f64::from(stones),
                is_last: stones == 1,
            }
            .before(left.seconds, &horizon, buffer),
            TimeControl::Japanese {
                period, periods, ..
            } => {
                let extra = periods.saturating_sub(SPARED_PERIODS);
                let main = left.seconds + period * f64::from(extra);
                japanese(period, periods == 1).before(main, &horizon, buffer)
            }
        };
        let limit = self.limit_seconds().unwrap_or(f64::INFINITY);
        let limit = limit - reserve.held() - self.lag().held();
        let by_rule = buffer.off(self.most_per_move().unwrap_or(f64::INFINITY));
        let limit = limit.min(by_rule);
        let wanted = spans.recommended * params.overallocate * midgame_factor(area, stones, params);
        spans.recommended = self.up_to_period_end(wanted, spans.most.min(limit), buffer) - late;
        Some(spans.clamped(limit))
    }

    /// The time for a move up to the end of the Japanese period in which `wanted`, or `most` if that
    /// is less, lies: the rest of the period would be lost. Main time is not.
    fn up_to_period_end(&self, wanted: f64, most: f64, buffer: Buffer) -> f64 {
        let TimeControl::Japanese {
            period, periods, ..
        } = self.control()
        else {
            return wanted;
        };
        let TimeLeft { seconds, count } = self.left();
        // Periods that begin during the move.
        let begun = ((wanted.min(most) - seconds) / period).ceil().max(0.0);
        if period == 0.0 || count == 0 && begun == 0.0 {
            return wanted;
        }
        let is_last = match count {
            0 => begun >= f64::from(periods),
            _ => begun + 1.0 >= f64::from(count),
        };
        let buffer = buffer.doubled_if(is_last);
        if begun == 0.0 {
            buffer.off(seconds)
        } else {
            seconds + (begun - 1.0) * period + buffer.off(period)
        }
    }
}

/// The last byo-yomi periods, which are not added to main time.
const SPARED_PERIODS: u32 = 5;

/// An unfinished budget in seconds.
#[derive(Clone, Copy)]
struct Spans {
    least: f64,
    recommended: f64,
    most: f64,
}

impl Spans {
    /// Ordered, and within the time on the clock.
    fn clamped(self, limit: f64) -> TimeBudget {
        let most = finite(self.most).min(finite(limit)).max(0.0);
        let within = |seconds: f64| Duration::from_secs_f64(finite(seconds).max(0.0).min(most));
        let least = within(self.least);
        TimeBudget {
            least,
            recommended: within(self.recommended).max(least),
            most: Duration::from_secs_f64(most),
        }
    }
}

/// Reserve for lag, in seconds.
#[derive(Clone, Copy)]
struct Buffer(f64);

impl Buffer {
    /// Doubled where lag could lose the game.
    fn doubled_if(self, is_last: bool) -> Buffer {
        Buffer(if is_last { 2.0 * self.0 } else { self.0 })
    }

    /// A time less the reserve, but at least half of it.
    fn off(self, time: f64) -> f64 {
        if time < 0.0 {
            time
        } else if time < 2.0 * self.0 {
            time / 2.0
        } else {
            time - self.0
        }
    }

    fn off_all(self, spans: Spans) -> Spans {
        Spans {
            least: self.off(spans.least),
            recommended: self.off(spans.recommended),
            most: self.off(spans.most),
        }
    }
}

/// Own turns left, by three estimates.
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

/// Maximal fraction of main time reserved for lag, so that short games do not end with half of it.
const LARGEST_LAG: f64 = 0.1;

/// Fraction of the turns possibly left over which time without increments is spread: most games end
/// earlier, and unused time is wasted.
const SPENT_BY: f64 = 0.58;

/// Main time and increment, sudden death included. Increments above the cap would be lost. Each
/// move takes `late` more than planned.
fn fischer(
    main: f64,
    increment: f64,
    cap: Option<f64>,
    horizon: &Horizon,
    buffer: Buffer,
    late: f64,
) -> Spans {
    let lost = cap.map_or(0.0, |cap| (main + increment - cap).max(0.0));
    let least = lost.min((main / 2.0).max(0.0));
    if main <= increment {
        let (recommended, most) = (main, main);
        return buffer.off_all(Spans {
            least,
            recommended,
            most,
        });
    }
    if increment == 0.0 {
        let buffer = Buffer(buffer.0.min(LARGEST_LAG * main));
        let spare = (buffer.off(main) - late * horizon.absolute).max(0.0);
        return Spans {
            least,
            recommended: spare / (SPENT_BY * horizon.absolute),
            most: buffer.off(spare / 5.0),
        };
    }
    let spare = buffer.off(main - increment);
    let share = (spare / horizon.increment).min(spare / horizon.absolute + 2.0 * increment);
    buffer.off_all(Spans {
        least,
        recommended: increment + share,
        most: main.min(increment + spare / 5.0),
    })
}

/// Overtime to come: periods for a number of stones.
struct Overtime {
    period: f64,
    stones: f64,
    /// A single period for a single move.
    is_last: bool,
}

fn japanese(period: f64, is_last: bool) -> Overtime {
    Overtime {
        period,
        stones: 1.0,
        is_last,
    }
}

impl Overtime {
    /// In main time. Each move gets about e times the time of an overtime move, which is optimal if
    /// strength grows with the logarithm of time.
    fn before(&self, main: f64, horizon: &Horizon, buffer: Buffer) -> Spans {
        let per_move = self.period / self.stones;
        if per_move <= 0.0 {
            return fischer(main, 0.0, None, horizon, buffer, 0.0);
        }
        let best_turns = main / per_move / E;
        let turns = if horizon.overtime > best_turns {
            horizon.overtime.min(1.75 * best_turns)
        } else {
            best_turns
        };
        let turns = turns.min(horizon.absolute).max(1.0);
        let mut recommended = (main / turns)
            .min(main / horizon.absolute + 3.0 * per_move)
            .max(per_move);
        let mut buffer = buffer;
        if recommended < 1.5 * per_move && main < 1.5 * per_move {
            recommended = main + per_move;
            buffer = buffer.doubled_if(self.is_last);
        }
        let longest = longest_in(self.period, self.stones);
        let mut most = longest + (1.75 * longest).min(main).max(main / 5.0);
        if main < most && most < main + longest {
            most = main + longest;
        }
        if most > main {
            buffer = buffer.doubled_if(self.is_last);
        }
        let least = 0.0;
        buffer.off_all(Spans {
            least,
            recommended,
            most,
        })
    }
}

/// Maximal time for one stone of a period.
fn longest_in(seconds: f64, stones: f64) -> f64 {
    seconds / (0.75 * stones + 0.25)
}

/// In a period for a number of stones. After the last one a new period begins, so that unused time
/// is lost.
fn in_period(seconds: f64, stones: f64, buffer: Buffer) -> Spans {
    buffer.off_all(Spans {
        least: if stones == 1.0 { seconds } else { 0.0 },
        recommended: seconds / stones,
        most: longest_in(seconds, stones),
    })
}

/// In one of several periods. All but the last few are treated as main time; the current one is
/// given up when little of it is left.
fn in_japanese_overtime(left: TimeLeft, period: f64, horizon: &Horizon, buffer: Buffer) -> Spans {
    let extra = left.count.saturating_sub(SPARED_PERIODS);
    if extra > 0 {
        let main = left.seconds + period * f64::from(extra - 1);
        return Spans {
            least: buffer.off(left.seconds),
            ..japanese(period, false).before(main, horizon, buffer)
        };
    }
    let spare_periods = f64::from(left.count - 1);
    let enough = buffer.off(period / 2.0) * spare_periods / 4.0;
    if left.count > 1 && buffer.off(left.seconds) < enough {
        return in_period(
            left.seconds + period,
            1.0,
            buffer.doubled_if(left.count == 2),
        );
    }
    in_period(left.seconds, 1.0, buffer.doubled_if(left.count == 1))
}

/// Rises linearly until the middle of the game, then decays.
fn midgame_factor(area: usize, stones: usize, params: &TimeParams) -> f64 {
    let scale = area as f64 / 361.0;
    let (peak, turn) = (params.midgame_peak * scale, stones as f64);
    let part = if turn < peak {
        turn / peak
    } else {
        (-(turn - peak) / (params.endgame_decay * scale).max(1e-9)).exp()
    };
    1.0 + part * (params.midgame - 1.0)
}
