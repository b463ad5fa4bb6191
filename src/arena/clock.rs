//! Time controls, and clocks that enforce them.
//!
//! A clock knows nothing of the wall: it is told how long each move took. The margin of a clock
//! is forgiven on each move, for what pipes and the operating system take.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How much time a player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// As much as wanted.
    Unlimited,
    /// For all moves together.
    Absolute {
        /// For the game.
        main: Duration,
    },
    /// Canadian byo-yomi: after the main time, so many moves in each period.
    Canadian {
        /// Before byo-yomi begins.
        main: Duration,
        /// Length of a byo-yomi period, starting anew after `stones` moves.
        period: Duration,
        /// Moves to make in a period, not 0.
        stones: u32,
    },
    /// Main time to which each move made adds an increment.
    Fischer {
        /// At the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// For each move, without saving.
    PerMove {
        /// For one move.
        time: Duration,
    },
}

impl fmt::Display for TimeControl {
    /// In the form that is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = Duration::as_secs_f64;
        match self {
            TimeControl::Unlimited => f.write_str("none"),
            TimeControl::Absolute { main } => write!(f, "{}s", seconds(main)),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => {
                write!(f, "{}s+{}s/{stones}", seconds(main), seconds(period))
            }
            TimeControl::Fischer { main, increment } => {
                write!(f, "{}s+{}s", seconds(main), seconds(increment))
            }
            TimeControl::PerMove { time } => write!(f, "{}s/move", seconds(time)),
        }
    }
}

/// The text is no time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseTimeControlError;

impl fmt::Display for ParseTimeControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected none, 10m (absolute), 5m+3s (increment), 5m+30s/10 (Canadian), or 2s/move",
        )
    }
}

impl std::error::Error for ParseTimeControlError {}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    /// `none`, `10m`, `5m+3s`, `5m+30s/10` or `2s/move`; times in `s` (or without unit), `m`, `h`.
    fn from_str(text: &str) -> Result<TimeControl, ParseTimeControlError> {
        if text == "none" {
            return Ok(TimeControl::Unlimited);
        }
        if let Some(time) = text.strip_suffix("/move") {
            return Ok(TimeControl::PerMove {
                time: parse_time(time)?,
            });
        }
        let Some((main, extra)) = text.split_once('+') else {
            return Ok(TimeControl::Absolute {
                main: parse_time(text)?,
            });
        };
        let main = parse_time(main)?;
        let Some((period, stones)) = extra.split_once('/') else {
            return Ok(TimeControl::Fischer {
                main,
                increment: parse_time(extra)?,
            });
        };
        let period = parse_time(period)?;
        let stones = stones.parse().ok().filter(|&stones| stones > 0);
        Ok(TimeControl::Canadian {
            main,
            period,
            stones: stones.ok_or(ParseTimeControlError)?,
        })
    }
}

fn parse_time(text: &str) -> Result<Duration, ParseTimeControlError> {
    let (number, factor) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| ParseTimeControlError)? * factor;
    // Beyond 10 years nobody means it, and Duration might not hold it.
    let is_sensible = (0.0..3e8).contains(&seconds);
    is_sensible
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or(ParseTimeControlError)
}

/// What a player is told about the own clock, as in GTP's `time_left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// For the game, or for the next `stones` moves.
    pub time: Duration,
    /// Moves left in the byo-yomi period; 0 in main time.
    pub stones: u32,
}

/// One player's clock.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    margin: Duration,
    time: Duration,
    /// 0 in main time.
    stones: u32,
}

impl Clock {
    /// A clock before the first move.
    pub fn new(control: TimeControl, margin: Duration) -> Clock {
        let mut clock = Clock {
            control,
            margin,
            time: Duration::ZERO,
            stones: 0,
        };
        match control {
            TimeControl::Unlimited => {}
            TimeControl::Absolute { main }
            | TimeControl::Fischer { main, .. }
            | TimeControl::Canadian { main, .. } => clock.time = main,
            TimeControl::PerMove { time } => (clock.time, clock.stones) = (time, 1),
        }
        if clock.time.is_zero() {
            clock.start_period();
        }
        clock
    }

    /// The time left now; none without limit.
    pub fn time_left(&self) -> Option<TimeLeft> {
        let is_limited = self.control != TimeControl::Unlimited;
        is_limited.then_some(TimeLeft {
            time: self.time,
            stones: self.stones,
        })
    }

    /// The longest that the next move may take, margin included; none without limit.
    pub fn limit(&self) -> Option<Duration> {
        let overtime = match self.control {
            TimeControl::Unlimited => return None,
            TimeControl::Canadian { period, .. } if self.stones == 0 => period,
            _ => Duration::ZERO,
        };
        Some(self.time + overtime + self.margin)
    }

    /// Takes the time of a move off; false if that was too long.
    #[must_use]
    pub fn spend(&mut self, elapsed: Duration) -> bool {
        if self.limit().is_some_and(|limit| elapsed > limit) {
            return false;
        }
        let mut elapsed = elapsed;
        if self.stones == 0 && elapsed >= self.time {
            elapsed -= self.time;
            self.time = Duration::ZERO;
            self.start_period();
        }
        self.time = self.time.saturating_sub(elapsed);
        match self.control {
            TimeControl::Fischer { increment, .. } => self.time += increment,
            TimeControl::PerMove { time } => self.time = time,
            TimeControl::Canadian { .. } if self.stones == 1 => self.start_period(),
            _ => self.stones = self.stones.saturating_sub(1),
        }
        true
    }

    fn start_period(&mut self) {
        if let TimeControl::Canadian { period, stones, .. } = self.control {
            (self.time, self.stones) = (period, stones);
        }
    }
}
