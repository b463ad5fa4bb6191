//! A player's clock.
//!
//! A clock knows nothing of the wall: it is told how long each move took, or what a controller says
//! is left. How much of it a move deserves is reckoned in [`budget`].

use std::time::Duration;

pub mod budget;
pub mod control;
pub mod game;
pub mod reserve;

pub use budget::{TimeBudget, TimeParams};
pub use control::TimeControl;
pub use reserve::Reserve;

use control::finite;

/// What a clock shows, as in GTP's `time_left`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLeft {
    /// Seconds of main time, or for `count` stones (Canadian), or of the first of `count` periods
    /// (Japanese). May be negative if a controller says so.
    pub seconds: f64,
    /// Stones to play or periods left in overtime; 0 in main time.
    pub count: u32,
}

/// What is left of a player's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    control: TimeControl,
    left: TimeLeft,
    /// No more seconds of main time than this are saved up.
    cap: Option<f64>,
    /// What moves take on the controller's clock beyond what this one sees.
    lag: Reserve,
}

impl Clock {
    /// A clock at the start of the game. Absurd numbers (negative, infinite, not a number) are
    /// replaced by possible ones.
    pub fn new(control: TimeControl) -> Clock {
        let control = control.clamped();
        let mut clock = Clock {
            control,
            left: TimeLeft {
                seconds: control.main(),
                count: 0,
            },
            cap: None,
            lag: Reserve::default(),
        };
        clock.begin_overtime_if_due();
        clock
    }

    /// The same with a cap on the time that increments save up.
    #[must_use]
    pub fn with_cap(self, cap: Option<f64>) -> Clock {
        let cap = cap.map(|seconds| finite(seconds).max(0.0));
        Clock { cap, ..self }
    }

    /// The same where moves take longer on the controller's clock.
    #[must_use]
    pub fn with_lag(self, lag: Reserve) -> Clock {
        Clock { lag, ..self }
    }

    /// What moves take on the controller's clock beyond what this one sees.
    pub fn lag(&self) -> &Reserve {
        &self.lag
    }

    /// The cap on the time that increments save up, if there is one.
    pub fn cap(&self) -> Option<f64> {
        self.cap
    }

    /// The control it was made for.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// What it shows; meaningless without limit.
    pub fn left(&self) -> TimeLeft {
        self.left
    }

    /// The longest that the next move may take without loss on time; `None` without limit.
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

    /// Takes over what the controller says: see [`TimeLeft`].
    pub fn set_left(&mut self, seconds: f64, count: u32) {
        let has_overtime = self.control.overtime().is_some();
        self.left = TimeLeft {
            seconds: finite(seconds),
            count: if has_overtime { count } else { 0 },
        };
        self.begin_overtime_if_due();
    }

    /// Takes the time of a move off, but no more than [`Clock::limit`]: ending games is the
    /// controller's business, and what it forgives is forgiven.
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
            TimeControl::Japanese { period, .. } => {
                // The cast makes 0 of what is negative or no number.
                let lost = (-left.seconds / period).ceil() as u32;
                left.count = left.count.saturating_sub(lost).max(1);
                left.seconds = period;
            }
        }
        self.left = left;
    }

    /// This clock with so much of the present move's time gone, at most [`Clock::limit`]: overtime
    /// may have begun and periods may be lost, but the move is not made.
    #[must_use]
    pub fn after(&self, time: Duration) -> Clock {
        let Some(limit) = self.limit_seconds() else {
            return *self;
        };
        let mut left = self.running(time, limit);
        if let (TimeControl::Japanese { period, .. }, 1..) = (self.control, left.count) {
            // The cast makes 0 of what is negative or no number.
            let lost = ((-left.seconds / period).ceil() as u32).min(left.count - 1);
            left.count -= lost;
            left.seconds += f64::from(lost) * period;
        }
        Clock { left, ..*self }
    }

    /// What is left so long after, with overtime begun where main time is gone.
    fn running(&self, time: Duration, limit: f64) -> TimeLeft {
        let mut left = self.left;
        left.seconds -= time.as_secs_f64().min(limit);
        if let (0, Some(overtime)) = (left.count, self.control.overtime())
            && left.seconds <= 0.0
        {
            left.seconds += overtime.seconds;
            left.count = overtime.count;
        }
        left
    }

    /// Begins overtime if there is any and main time is gone.
    fn begin_overtime_if_due(&mut self) {
        let is_due = self.left.count == 0 && self.left.seconds <= 0.0;
        if let (true, Some(overtime)) = (is_due, self.control.overtime()) {
            self.left = overtime;
        }
    }
}
