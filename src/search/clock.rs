//! A player's clock, and how much of it the next move deserves.
//!
//! Times are seconds as `f64`, since controllers send fractions and negative times; absurd numbers
//! (negative, infinite, not a number) are made harmless where they enter. The formulas are
//! KataGo's recommended time, without its adjustments during the search. Half of a game's moves are
//! ours, which the horizons (own turns left) allow for.

use std::time::Duration;

/// Time kept back for what happens between us and the controller's clock.
const LAG: f64 = 1.0;

/// No time is longer than this (some 30 years), so that sums stay finite.
const LONGEST: f64 = 1e9;

/// The last byo-yomi periods, which are not treated as main time.
const SPARED_PERIODS: u32 = 5;

/// How much time a player has for a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// As much as it likes.
    Unlimited,
    /// Main time, to which each move adds something (0 for sudden death).
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds gained by each move.
        increment: f64,
    },
    /// After main time, periods that each last for a number of moves.
    Canadian {
        /// Seconds at the start.
        main: f64,
        /// Seconds in a period.
        period: f64,
        /// Moves to make in it; then a new one begins.
        stones: u32,
    },
    /// After main time, a number of periods; a move made within one gives it back.
    Japanese {
        /// Seconds at the start.
        main: f64,
        /// Seconds in a period.
        period: f64,
        /// Periods at the start.
        periods: u32,
    },
}

impl TimeControl {
    /// What GTP's `time_settings` means: overtime without stones is no limit at all, and neither
    /// overtime nor stones is sudden death.
    pub fn from_gtp(main: f64, overtime: f64, stones: u32) -> TimeControl {
        match (overtime > 0.0, stones) {
            (true, 0) => TimeControl::Unlimited,
            (false, _) => TimeControl::Fischer {
                main,
                increment: 0.0,
            },
            (true, _) => TimeControl::Canadian {
                main,
                period: overtime,
                stones,
            },
        }
    }
}

/// What is left of a player's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: TimeControl,
    /// Main time left; meaningless in overtime.
    main: f64,
    overtime: Option<Overtime>,
}

/// The overtime a player is in.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Overtime {
    /// Seconds left of the period.
    left: f64,
    /// Moves still to make in it (Canadian), or periods left with this one (Japanese).
    count: u32,
}

/// Overtime of either kind: Canadian is one period of several stones, Japanese several of one.
struct Periods {
    seconds: f64,
    stones: f64,
    periods: u32,
}

impl Clock {
    /// A clock at the start of the game.
    pub fn new(control: TimeControl) -> Clock {
        let main = match control {
            TimeControl::Unlimited => 0.0,
            TimeControl::Fischer { main, .. }
            | TimeControl::Canadian { main, .. }
            | TimeControl::Japanese { main, .. } => main,
        };
        let mut clock = Clock {
            control,
            main: seconds(main),
            overtime: None,
        };
        clock.enter_overtime();
        clock
    }

    /// The control it was made for.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Takes over what the controller says: main time left if `count` is 0, else the seconds left
    /// for `count` stones (Canadian) or in the first of `count` periods (Japanese).
    pub fn set_left(&mut self, left: f64, count: u32) {
        let left = seconds(left);
        if count > 0 && self.periods().is_some() {
            self.overtime = Some(Overtime { left, count });
        } else {
            self.main = left;
            self.overtime = None;
            self.enter_overtime();
        }
    }

    /// Takes the time of a move off. Does not notice a loss on time: that is the controller's.
    pub fn spend(&mut self, time: Duration) {
        let spent = seconds(time.as_secs_f64());
        match (self.control, self.overtime) {
            (TimeControl::Unlimited, _) => {}
            (TimeControl::Fischer { increment, .. }, _) => {
                self.main = seconds(self.main - spent + seconds(increment).max(0.0));
            }
            (_, None) => {
                self.main -= spent;
                let in_overtime = -self.main;
                self.enter_overtime();
                if self.overtime.is_some() && in_overtime > 0.0 {
                    self.spend_overtime(in_overtime);
                }
            }
            (_, Some(_)) => self.spend_overtime(spent),
        }
    }

    /// Time to think about the next move; `None` if it is unlimited. `area` is the number of points
    /// of the board, `stones` how many of them are occupied.
    pub fn budget(&self, area: usize, stones: usize) -> Option<Duration> {
        let horizon = Horizon::new(area, stones);
        let time = match self.control {
            TimeControl::Unlimited => return None,
            TimeControl::Fischer { increment, .. } => without_lag(
                fischer(self.main, seconds(increment).max(0.0), &horizon),
                LAG,
            ),
            _ => {
                let periods = self.periods().expect("the other controls have overtime");
                match self.overtime {
                    Some(overtime) => in_overtime(overtime, &periods, self.is_japanese()),
                    None => before_overtime(self.main, &periods, &horizon),
                }
            }
        };
        Some(Duration::from_secs_f64(time.clamp(0.0, LONGEST)))
    }

    fn is_japanese(&self) -> bool {
        matches!(self.control, TimeControl::Japanese { .. })
    }

    /// The overtime to come, if the control has any worth the name.
    fn periods(&self) -> Option<Periods> {
        match self.control {
            TimeControl::Unlimited | TimeControl::Fischer { .. } => None,
            TimeControl::Canadian { period, stones, .. } => Some(Periods {
                seconds: seconds(period).max(0.0),
                stones: f64::from(stones.max(1)),
                periods: 1,
            }),
            TimeControl::Japanese {
                period, periods, ..
            } => Some(Periods {
                seconds: seconds(period).max(0.0),
                stones: 1.0,
                periods: periods.max(1),
            }),
        }
    }

    /// Begins overtime if there is any and main time is gone.
    fn enter_overtime(&mut self) {
        let Some(periods) = self.periods().filter(|_| self.main <= 0.0) else {
            return;
        };
        let count = if self.is_japanese() {
            periods.periods
        } else {
            periods.stones as u32
        };
        self.overtime = Some(Overtime {
            left: periods.seconds,
            count,
        });
    }

    fn spend_overtime(&mut self, spent: f64) {
        let is_japanese = self.is_japanese();
        let (Some(overtime), Some(periods)) = (self.overtime, self.periods()) else {
            return;
        };
        let left = overtime.left - spent;
        self.overtime = Some(if is_japanese {
            let lost = if left < 0.0 && periods.seconds > 0.0 {
                (-left / periods.seconds).ceil().min(f64::from(u32::MAX)) as u32
            } else {
                0
            };
            Overtime {
                left: periods.seconds,
                count: overtime.count.saturating_sub(lost).max(1),
            }
        } else if overtime.count <= 1 {
            Overtime {
                left: periods.seconds,
                count: periods.stones as u32,
            }
        } else {
            Overtime {
                left,
                count: overtime.count - 1,
            }
        });
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
/// logarithm of time.
fn before_overtime(main: f64, periods: &Periods, horizon: &Horizon) -> f64 {
    let extra = periods.periods.saturating_sub(SPARED_PERIODS);
    let main = main + periods.seconds * f64::from(extra);
    let per_move = periods.seconds / periods.stones;
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
    let is_last = periods.periods.min(SPARED_PERIODS) == 1 && periods.stones <= 1.0;
    if time < 1.5 * per_move && main < 1.5 * per_move {
        return without_lag(main + per_move, if is_last { 2.0 * LAG } else { LAG });
    }
    without_lag(time, LAG)
}

/// Recommended time within a period.
fn in_overtime(overtime: Overtime, periods: &Periods, is_japanese: bool) -> f64 {
    if !is_japanese {
        let is_last = overtime.count <= 1;
        let time = overtime.left / f64::from(overtime.count.max(1));
        return without_lag(time, if is_last { 2.0 * LAG } else { LAG });
    }
    let spare_periods = f64::from(overtime.count.saturating_sub(1));
    let is_short = without_lag(overtime.left, LAG)
        < without_lag(periods.seconds / 2.0, LAG) * spare_periods / 4.0;
    if overtime.count > 1 && is_short {
        return without_lag(overtime.left + periods.seconds, LAG);
    }
    without_lag(
        overtime.left,
        if overtime.count <= 1 { 2.0 * LAG } else { LAG },
    )
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

/// A number that arithmetic cannot hurt: what is no number is no time.
fn seconds(time: f64) -> f64 {
    if time.is_nan() {
        0.0
    } else {
        time.clamp(-LONGEST, LONGEST)
    }
}
