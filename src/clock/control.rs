//! Time controls, and their text form for command lines and reports.
//!
//! Times are seconds as `f64`, since controllers send fractional and negative times.

use std::fmt;
use std::str::FromStr;

use super::TimeLeft;
use crate::go::ParseError;

/// Upper limit of all times (some 30 years), so that sums stay finite.
const LONGEST: f64 = 1e9;

/// Upper limit of parsed times (some 10 years).
const LONGEST_TYPED: f64 = 3e8;

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeControl {
    /// No time limit.
    Unlimited,
    /// Main time, with an increment per move (0 for sudden death).
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds gained per move.
        increment: f64,
    },
    /// After main time, periods that each last for a number of moves. A period of one move without
    /// main time is a fixed time per move.
    Canadian {
        /// Seconds at the start.
        main: f64,
        /// Seconds per period.
        period: f64,
        /// Moves per period; then a new one begins.
        stones: u32,
    },
    /// After main time, a number of periods; a move made within one gives it back.
    Japanese {
        /// Seconds at the start.
        main: f64,
        /// Seconds per period.
        period: f64,
        /// Periods at the start.
        periods: u32,
    },
}

impl TimeControl {
    /// One amount of seconds for all moves.
    pub fn sudden_death(main: f64) -> TimeControl {
        let increment = 0.0;
        TimeControl::Fischer { main, increment }
    }

    /// The meaning of GTP's `time_settings`: overtime without stones is no limit at all, and
    /// neither overtime nor stones is sudden death.
    pub fn from_gtp(main: f64, overtime: f64, stones: u32) -> TimeControl {
        match (overtime > 0.0, stones) {
            (true, 0) => TimeControl::Unlimited,
            (false, _) => TimeControl::sudden_death(main),
            (true, _) => TimeControl::Canadian {
                main,
                period: overtime,
                stones,
            },
        }
    }

    /// Main time; 0 if there is no limit.
    pub(super) fn main(&self) -> f64 {
        match *self {
            TimeControl::Unlimited => 0.0,
            TimeControl::Fischer { main, .. }
            | TimeControl::Canadian { main, .. }
            | TimeControl::Japanese { main, .. } => main,
        }
    }

    /// The initial overtime, if there is any.
    pub(super) fn overtime(&self) -> Option<TimeLeft> {
        match *self {
            TimeControl::Unlimited | TimeControl::Fischer { .. } => None,
            TimeControl::Canadian {
                period,
                stones: count,
                ..
            }
            | TimeControl::Japanese {
                period,
                periods: count,
                ..
            } => Some(TimeLeft {
                seconds: period,
                count,
            }),
        }
    }

    /// Replaces invalid numbers: no time below zero, at least one stone or period.
    pub(super) fn clamped(mut self) -> TimeControl {
        let span = |seconds: f64| finite(seconds).max(0.0);
        match &mut self {
            TimeControl::Unlimited => {}
            TimeControl::Fischer { main, increment } => {
                (*main, *increment) = (span(*main), span(*increment));
            }
            TimeControl::Canadian {
                main,
                period,
                stones: count,
            }
            | TimeControl::Japanese {
                main,
                period,
                periods: count,
            } => (*main, *period, *count) = (span(*main), span(*period), (*count).max(1)),
        }
        self
    }
}

/// Replaces invalid numbers by 0.
pub(super) fn finite(seconds: f64) -> f64 {
    if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(-LONGEST, LONGEST)
    }
}

impl fmt::Display for TimeControl {
    /// In the form that is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TimeControl::Unlimited => f.write_str("none"),
            TimeControl::Fischer {
                main,
                increment: 0.0,
            } => write!(f, "{main}s"),
            TimeControl::Fischer { main, increment } => write!(f, "{main}s+{increment}s"),
            TimeControl::Canadian {
                main: 0.0,
                period,
                stones: 1,
            } => write!(f, "{period}s/move"),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => write!(f, "{main}s+{period}s/{stones}"),
            TimeControl::Japanese {
                main,
                period,
                periods,
            } => write!(f, "{main}s+{period}sx{periods}"),
        }
    }
}

const NO_CONTROL: ParseError = ParseError(
    "expected none, 10m (sudden death), 5m+3s (increment), 5m+30s/10 (Canadian), \
     5m+30sx3 (Japanese), or 2s/move",
);

impl FromStr for TimeControl {
    type Err = ParseError;

    /// `none`, `10m`, `5m+3s`, `5m+30s/10`, `5m+30sx3` or `2s/move`; times in `s` (or without
    /// unit), `m`, `h`.
    fn from_str(text: &str) -> Result<TimeControl, ParseError> {
        if text == "none" {
            return Ok(TimeControl::Unlimited);
        }
        if let Some(time) = text.strip_suffix("/move") {
            return Ok(TimeControl::Canadian {
                main: 0.0,
                period: parse_time(time)?,
                stones: 1,
            });
        }
        let Some((main, extra)) = text.split_once('+') else {
            return Ok(TimeControl::sudden_death(parse_time(text)?));
        };
        let main = parse_time(main)?;
        Ok(if let Some((period, stones)) = extra.split_once('/') {
            let (period, stones) = (parse_time(period)?, parse_count(stones)?);
            TimeControl::Canadian {
                main,
                period,
                stones,
            }
        } else if let Some((period, periods)) = extra.split_once('x') {
            let (period, periods) = (parse_time(period)?, parse_count(periods)?);
            TimeControl::Japanese {
                main,
                period,
                periods,
            }
        } else {
            let increment = parse_time(extra)?;
            TimeControl::Fischer { main, increment }
        })
    }
}

fn parse_count(text: &str) -> Result<u32, ParseError> {
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or(NO_CONTROL)
}

fn parse_time(text: &str) -> Result<f64, ParseError> {
    let (number, factor) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| NO_CONTROL)? * factor;
    let is_sensible = (0.0..LONGEST_TYPED).contains(&seconds);
    is_sensible.then_some(seconds).ok_or(NO_CONTROL)
}
