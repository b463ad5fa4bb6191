//! The clocks of a game as set and reported by the controller. Between reports, which not all
//! controllers send, the engine measures its own time.

use std::time::Duration;

use crate::clock::{Clock, Reserve, TimeControl, TimeLeft};
use crate::go::{Color, PerColor};

/// How the game is timed, and both clocks.
#[derive(Clone, Debug)]
pub struct Clocks {
    /// A clock at the start of the game.
    full: Clock,
    clocks: PerColor<Clock>,
    /// The reading after a move that was subtracted, until the controller reports its own.
    expected: PerColor<Option<TimeLeft>>,
    /// Whether time was subtracted for a move that has not been played.
    is_running: PerColor<bool>,
    /// Lag: time that the controller's clocks took beyond ours.
    lag: Reserve,
}

/// Maximal lag in seconds: a larger difference means that the clock was set.
const LONGEST_LAG: f64 = 5.0;

impl Clocks {
    /// No limit.
    pub fn unlimited() -> Clocks {
        let full = Clock::new(TimeControl::Unlimited);
        Clocks {
            full,
            clocks: PerColor([full; 2]),
            expected: PerColor::default(),
            is_running: PerColor::default(),
            lag: Reserve::default(),
        }
    }

    /// A color's clock.
    pub fn of(&self, color: Color) -> &Clock {
        &self.clocks[color]
    }

    /// Sets both clocks, and what they are at the start of further games.
    pub fn set(&mut self, full: Clock) {
        // Some controllers set the same before each move, and report what is left.
        let expected = (self.full == full).then_some(self.expected);
        self.full = full;
        self.restart();
        self.expected = expected.unwrap_or_default();
    }

    /// Resets both clocks.
    pub fn restart(&mut self) {
        self.clocks = PerColor([self.full; 2]);
        self.expected = PerColor::default();
        self.is_running = PerColor::default();
    }

    /// Sets a clock to the controller's report; `count` is 0 in main time. Without a time control,
    /// the report is used as one.
    pub fn report(&mut self, color: Color, seconds: f64, count: u32) {
        let has_clock = self.clocks[color].control() != TimeControl::Unlimited;
        if let Some(ours) = self.expected[color].take()
            && has_clock
            && ours.count == count
        {
            self.note_lag(ours, seconds);
        }
        self.is_running[color] = false;
        if self.full.control() == TimeControl::Unlimited {
            let control = match count {
                0 => TimeControl::sudden_death(seconds),
                stones => TimeControl::from_gtp(0.0, seconds, stones),
            };
            self.clocks[color] = Clock::new(control);
        }
        self.clocks[color].set_left(seconds, count);
    }

    /// Measured lag of moves.
    pub fn lag(&self) -> &Reserve {
        &self.lag
    }

    /// Compares our own clock with the report. Integer seconds may be rounded.
    fn note_lag(&mut self, ours: TimeLeft, seconds: f64) {
        let rounded = if seconds.fract() == 0.0 { 1.0 } else { 0.0 };
        let lag = ours.seconds - (seconds + rounded);
        if lag < LONGEST_LAG {
            self.lag.note(Duration::from_secs_f64(lag.max(0.0)));
        }
    }

    /// Subtracts time in which nobody has moved.
    pub fn run(&mut self, color: Color, time: Duration) {
        self.clocks[color] = self.clocks[color].after(time);
        self.is_running[color] = true;
    }

    /// A move was played. If time was subtracted for it before, it is complete now: increments and new periods begin.
    pub fn complete(&mut self, color: Color) {
        if self.is_running[color] {
            self.spend(color, Duration::ZERO);
        }
    }

    /// Subtracts the time of a move.
    pub fn spend(&mut self, color: Color, time: Duration) {
        self.clocks[color].spend(time);
        self.is_running[color] = false;
        self.expected[color] = Some(self.clocks[color].left());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeParams;

    fn after(control: TimeControl, cap: Option<f64>, used_ms: &[u64]) -> (f64, u32) {
        let mut clocks = Clocks::unlimited();
        clocks.set(Clock::new(control).with_cap(cap));
        for &used in used_ms {
            clocks.spend(Color::Black, Duration::from_millis(used));
        }
        let TimeLeft { seconds, count } = clocks.of(Color::Black).left();
        (seconds, count)
    }

    #[test]
    fn no_move_takes_longer_than_the_limit_for_each() {
        let control = TimeControl::Fischer {
            main: 3000.0,
            increment: 30.0,
        };
        let mut clocks = Clocks::unlimited();
        clocks.set(Clock::new(control));
        let budget = |clocks: &Clocks| {
            let clock = clocks.of(Color::White);
            let reserve = Reserve::default();
            clock
                .budget(361, 0, &TimeParams::default(), &reserve)
                .unwrap()
        };
        assert!(budget(&clocks).recommended.as_secs() > 1);
        clocks.set(Clock::new(control).with_most_per_move(Some(1.0)));
        assert!(budget(&clocks).most.as_secs_f64() <= 1.0);
        // A report does not change it.
        clocks.report(Color::White, 2000.0, 0);
        assert!(budget(&clocks).most.as_secs_f64() <= 1.0);
    }

    #[test]
    fn canadian_overtime_begins_and_renews() {
        let control = TimeControl::Canadian {
            main: 10.0,
            period: 5.0,
            stones: 3,
        };
        assert_eq!(after(control, None, &[4000]), (6.0, 0));
        assert_eq!(after(control, None, &[4000, 7000]), (4.0, 2));
        assert_eq!(after(control, None, &[4000, 7000, 1000, 1000]), (5.0, 3));
    }

    #[test]
    fn japanese_periods_are_lost_one_by_one() {
        let control = TimeControl::Japanese {
            main: 0.0,
            period: 0.5,
            periods: 3,
        };
        assert_eq!(after(control, None, &[]), (0.5, 3));
        assert_eq!(after(control, None, &[499]), (0.5, 3));
        assert_eq!(after(control, None, &[700]), (0.5, 2));
        assert_eq!(after(control, None, &[9000]), (0.5, 1));
    }

    #[test]
    fn fischer_saves_up_to_the_cap() {
        let control = TimeControl::Fischer {
            main: 10.0,
            increment: 3.0,
        };
        assert_eq!(after(control, Some(12.0), &[2000]), (11.0, 0));
        assert_eq!(after(control, Some(12.0), &[2000, 0]), (12.0, 0));
    }

    #[test]
    fn a_move_that_was_only_shown_is_complete_when_it_is_played() {
        let mut clocks = Clocks::unlimited();
        let per_move = TimeControl::from_gtp(0.0, 5.0, 1);
        clocks.set(Clock::new(per_move));
        for _ in 0..3 {
            clocks.run(Color::Black, Duration::from_secs(3));
            assert_eq!(clocks.of(Color::Black).left().seconds, 2.0);
            clocks.complete(Color::Black);
            assert_eq!(clocks.of(Color::Black).left().seconds, 5.0);
        }
        let before = clocks.of(Color::White).left();
        clocks.complete(Color::White);
        assert_eq!(clocks.of(Color::White).left(), before);
    }

    #[test]
    fn lag_is_measured_though_times_are_set_before_each_move() {
        let control = Clock::new(TimeControl::Fischer {
            main: 60.0,
            increment: 2.0,
        });
        let mut clocks = Clocks::unlimited();
        clocks.set(control);
        let without = *clocks.lag();
        clocks.spend(Color::Black, Duration::from_secs(10));
        clocks.set(control);
        clocks.report(Color::Black, 50.5, 0);
        assert_ne!(*clocks.lag(), without);
        let noted = *clocks.lag();
        clocks.spend(Color::Black, Duration::from_secs(1));
        clocks.set(Clock::new(TimeControl::sudden_death(60.0)));
        clocks.report(Color::Black, 58.5, 0);
        assert_eq!(*clocks.lag(), noted, "another time control");
    }

    #[test]
    fn reports_count_without_settings() {
        let mut clocks = Clocks::unlimited();
        let unlimited = Clock::new(TimeControl::Unlimited);
        assert_eq!(clocks.of(Color::White), &unlimited);
        clocks.report(Color::White, -5.0, 0);
        let mut clock = Clock::new(TimeControl::sudden_death(0.0));
        clock.set_left(-5.0, 0);
        assert_eq!(clocks.of(Color::White), &clock);
        assert_eq!(clocks.of(Color::Black), &unlimited);
        clocks.report(Color::White, 8.0, 4);
        clocks.spend(Color::White, Duration::from_secs(2));
        let TimeLeft { seconds, count } = clocks.of(Color::White).left();
        assert_eq!((seconds, count), (6.0, 3));
    }
}
