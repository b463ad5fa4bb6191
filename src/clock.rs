//! A player's clock.
//!
//! A clock does not read the system's time: it is given the duration of each move and the
//! controller's reports. The time for a move is computed in [`budget`].

use std::time::Duration;

pub mod budget;
pub mod control;
pub mod game;
pub mod reserve;

pub use budget::{TimeBudget, TimeParams};
pub use control::TimeControl;
pub use reserve::Reserve;

use control::finite;

/// A clock's reading, as in GTP's `time_left`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLeft {
    /// Seconds of main time, or for `count` stones (Canadian), or of the first of `count` periods
    /// (Japanese). May be negative in reports.
    pub seconds: f64,
    /// Stones to play or periods left in overtime; 0 in main time.
    pub count: u32,
}

/// State of a player's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: TimeControl,
    left: TimeLeft,
    /// Maximal main time, if increments are capped.
    cap: Option<f64>,
    /// Most seconds for a move, if that is limited besides.
    most_per_move: Option<f64>,
    /// Lag: time per move on the controller's clock beyond ours.
    lag: Reserve,
}

impl Clock {
    /// A clock at the start of the game. Invalid numbers (negative, infinite, NaN) are replaced.
    pub fn new(control: TimeControl) -> Clock {
        let control = control.clamped();
        let mut clock = Clock {
            control,
            left: TimeLeft {
                seconds: control.main(),
                count: 0,
            },
            cap: None,
            most_per_move: None,
            lag: Reserve::default(),
        };
        clock.left = clock.settled(clock.left);
        clock
    }

    /// The same with a cap on accumulated increments.
    #[must_use]
    pub fn with_cap(self, cap: Option<f64>) -> Clock {
        let cap = cap.map(|seconds| finite(seconds).max(0.0));
        Clock { cap, ..self }
    }

    /// The same with a limit for each move besides.
    #[must_use]
    pub fn with_most_per_move(self, seconds: Option<f64>) -> Clock {
        let most_per_move = seconds.map(|seconds| finite(seconds).max(0.0));
        Clock {
            most_per_move,
            ..self
        }
    }

    /// Most seconds for a move, if that is limited besides.
    pub fn most_per_move(&self) -> Option<f64> {
        self.most_per_move
    }

    /// The same with a lag.
    #[must_use]
    pub fn with_lag(self, lag: Reserve) -> Clock {
        Clock { lag, ..self }
    }

    /// Lag: time per move on the controller's clock beyond ours.
    pub fn lag(&self) -> &Reserve {
        &self.lag
    }

    /// The cap on accumulated increments, if there is one.
    pub fn cap(&self) -> Option<f64> {
        self.cap
    }

    /// The time control.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// The reading; meaningless without limit.
    pub fn left(&self) -> TimeLeft {
        self.left
    }

    /// Maximal time of the next move without loss on time; `None` without limit.
    pub fn limit(&self) -> Option<Duration> {
        self.limit_seconds().map(Duration::from_secs_f64)
    }

    pub(super) fn limit_seconds(&self) -> Option<f64> {
        let TimeLeft { seconds, count } = self.left;
        let more = match self.control {
            TimeControl::Unlimited => return None,
            TimeControl::Canadian { period, .. } if count == 0 => period,
            TimeControl::Fischer { .. } | TimeControl::Canadian { .. } => 0.0,
            TimeControl::Japanese {
                period, periods, ..
            } if count == 0 => period * f64::from(periods),
            TimeControl::Japanese { period, .. } => period * f64::from(count - 1),
        };
        Some(finite(seconds + more).max(0.0))
    }

    /// Sets the clock to the controller's report, see [`TimeLeft`].
    pub fn set_left(&mut self, seconds: f64, count: u32) {
        let has_overtime = self.control.overtime().is_some();
        self.left = self.settled(TimeLeft {
            seconds: finite(seconds),
            count: if has_overtime { count } else { 0 },
        });
    }

    /// Subtracts the time of a move, up to [`Clock::limit`]: only the controller decides that a
    /// game is lost on time.
    pub fn spend(&mut self, time: Duration) {
        let Some(limit) = self.limit_seconds() else {
            return;
        };
        let mut left = self.running(time, limit);
        match self.control {
            TimeControl::Unlimited => {}
            TimeControl::Fischer { increment, .. } => {
                let most = self.cap.unwrap_or(f64::INFINITY);
                left.seconds = (left.seconds + increment).min(most.max(left.seconds));
            }
            _ if left.count == 0 => {}
            TimeControl::Canadian { period, stones, .. } if left.count == 1 => {
                (left.seconds, left.count) = (period, stones);
            }
            TimeControl::Canadian { .. } => left.count -= 1,
            TimeControl::Japanese { period, .. } => left.seconds = period,
        }
        self.left = left;
    }

    /// This clock after part of the current move's time, at most [`Clock::limit`]: overtime may
    /// have begun and periods may be lost, but the move is not complete.
    #[must_use]
    pub fn after(&self, time: Duration) -> Clock {
        let Some(limit) = self.limit_seconds() else {
            return *self;
        };
        let left = self.running(time, limit);
        Clock { left, ..*self }
    }

    /// The reading after this time.
    fn running(&self, time: Duration, limit: f64) -> TimeLeft {
        let seconds = self.left.seconds - time.as_secs_f64().min(limit);
        self.settled(TimeLeft {
            seconds,
            ..self.left
        })
    }

    /// A reading with overtime begun if main time is used up, and without the Japanese periods that
    /// have run out, of which the last one stays.
    fn settled(&self, mut left: TimeLeft) -> TimeLeft {
        if let (0, Some(overtime)) = (left.count, self.control.overtime())
            && left.seconds <= 0.0
        {
            left.seconds += overtime.seconds;
            left.count = overtime.count;
        }
        if let (TimeControl::Japanese { period, .. }, 1..) = (self.control, left.count) {
            // The cast maps negative numbers and NaN to 0.
            let lost = ((-left.seconds / period).ceil() as u32).min(left.count - 1);
            left.count -= lost;
            left.seconds += f64::from(lost) * period;
        }
        left
    }
}
