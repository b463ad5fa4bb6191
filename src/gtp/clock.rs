//! The clocks of a game as the controller sets and reports them. Between reports, as not every
//! controller sends any, the engine's own time is reckoned here.

use super::thinker::{Budget, TimeControl};
use crate::go::{Color, PerColor};

/// Longest time kept, in seconds either way: thirty years.
const MAX_SECONDS: f64 = 1e9;

/// Milliseconds from seconds as a controller sends them.
pub(super) fn milliseconds(seconds: f64) -> i64 {
    (seconds.clamp(-MAX_SECONDS, MAX_SECONDS) * 1000.0) as i64
}

/// What a clock shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Left {
    left_ms: i64,
    /// Stones or periods left; none in main time.
    overtime: Option<u32>,
}

/// How the game is timed and what both clocks show.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    control: Option<TimeControl>,
    /// No more than this is saved up (Fischer).
    cap_ms: Option<i64>,
    left: PerColor<Option<Left>>,
}

impl Clocks {
    /// What the player of a color may use.
    pub(super) fn budget(&self, color: Color) -> Budget {
        let Some(Left { left_ms, overtime }) = self.left[color] else {
            return Budget::Own;
        };
        let reported = match overtime {
            None => TimeControl::Absolute {
                main_ms: left_ms.max(0),
            },
            Some(stones) => TimeControl::Canadian {
                main_ms: 0,
                period_ms: left_ms.max(0),
                stones,
            },
        };
        Budget::Clock {
            control: self.control.unwrap_or(reported),
            left_ms,
            overtime,
        }
    }

    /// Times the game anew; none for no limit.
    pub(super) fn set_control(&mut self, control: Option<TimeControl>, cap_ms: Option<i64>) {
        self.control = control;
        self.cap_ms = cap_ms;
        self.restart();
    }

    /// Puts both clocks to the beginning.
    pub(super) fn restart(&mut self) {
        self.left = PerColor([self.control.map(full); 2]);
    }

    /// Takes over what the controller says. `count` is 0 in main time.
    pub(super) fn report(&mut self, color: Color, left_ms: i64, count: u32) {
        let overtime = (count > 0).then_some(count);
        self.left[color] = Some(Left { left_ms, overtime });
    }

    /// Takes the time of a move off.
    pub(super) fn spend(&mut self, color: Color, used_ms: i64) {
        let (Some(control), Some(left)) = (self.control, self.left[color]) else {
            return;
        };
        let mut after = left_after(control, left, used_ms);
        if let Some(cap_ms) = self.cap_ms {
            after.left_ms = after.left_ms.min(cap_ms);
        }
        self.left[color] = Some(after);
    }
}

/// A clock at the beginning of the game.
fn full(control: TimeControl) -> Left {
    let (TimeControl::Absolute { main_ms }
    | TimeControl::Fischer { main_ms, .. }
    | TimeControl::Canadian { main_ms, .. }
    | TimeControl::Japanese { main_ms, .. }) = control;
    let main = Left {
        left_ms: main_ms,
        overtime: None,
    };
    if main_ms > 0 {
        main
    } else {
        full_overtime(control, main)
    }
}

/// A clock at the beginning of the overtime, where there is one.
fn overtime(control: TimeControl) -> Option<Left> {
    match control {
        TimeControl::Absolute { .. } | TimeControl::Fischer { .. } => None,
        TimeControl::Canadian {
            period_ms,
            stones: count,
            ..
        }
        | TimeControl::Japanese {
            period_ms,
            periods: count,
            ..
        } => Some(Left {
            left_ms: period_ms,
            overtime: Some(count),
        }),
    }
}

/// The clock after a move that took so long.
fn left_after(control: TimeControl, before: Left, used_ms: i64) -> Left {
    let mut left = before;
    left.left_ms -= used_ms;
    if let (None, true, Some(start)) = (left.overtime, left.left_ms <= 0, overtime(control)) {
        left = Left {
            left_ms: start.left_ms + left.left_ms,
            ..start
        };
    }
    match (control, left.overtime) {
        (TimeControl::Fischer { increment_ms, .. }, _) => left.left_ms += increment_ms,
        (TimeControl::Canadian { .. }, Some(0 | 1)) => left = full_overtime(control, left),
        (TimeControl::Canadian { .. }, Some(stones)) => left.overtime = Some(stones - 1),
        (TimeControl::Japanese { period_ms, .. }, Some(periods)) => {
            left = Left {
                left_ms: period_ms,
                overtime: Some(periods_after(periods, left.left_ms, period_ms)),
            };
        }
        _ => {}
    }
    left
}

/// The overtime from its beginning; `otherwise` if there is none.
fn full_overtime(control: TimeControl, otherwise: Left) -> Left {
    overtime(control).unwrap_or(otherwise)
}

/// Periods left of `periods`, when the clock of the present one shows `left_ms`: each time below
/// zero costs one. The last is never taken away, as ending games is the referee's business.
fn periods_after(periods: u32, left_ms: i64, period_ms: i64) -> u32 {
    if left_ms >= 0 {
        return periods.max(1);
    }
    let lost = 1 + left_ms.saturating_neg() / period_ms.max(1);
    let lost = u32::try_from(lost).unwrap_or(u32::MAX);
    periods.saturating_sub(lost).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(clocks: &Clocks) -> (i64, Option<u32>) {
        match clocks.budget(Color::Black) {
            Budget::Clock {
                left_ms, overtime, ..
            } => (left_ms, overtime),
            Budget::Own => panic!("no clock"),
        }
    }

    fn after(control: TimeControl, used_ms: &[i64]) -> (i64, Option<u32>) {
        let mut clocks = Clocks::default();
        clocks.set_control(Some(control), None);
        used_ms
            .iter()
            .for_each(|&used| clocks.spend(Color::Black, used));
        shown(&clocks)
    }

    #[test]
    fn canadian_overtime_begins_and_renews() {
        let control = TimeControl::Canadian {
            main_ms: 1000,
            period_ms: 500,
            stones: 3,
        };
        assert_eq!(after(control, &[400]), (600, None));
        assert_eq!(after(control, &[400, 700]), (400, Some(2)));
        assert_eq!(after(control, &[400, 700, 100, 100]), (500, Some(3)));
    }

    #[test]
    fn japanese_periods_are_lost_one_by_one() {
        let control = TimeControl::Japanese {
            main_ms: 0,
            period_ms: 500,
            periods: 3,
        };
        assert_eq!(after(control, &[]), (500, Some(3)));
        assert_eq!(after(control, &[499]), (500, Some(3)));
        assert_eq!(after(control, &[700]), (500, Some(2)));
        assert_eq!(after(control, &[9000]), (500, Some(1)));
    }

    #[test]
    fn fischer_saves_up_to_the_cap() {
        let mut clocks = Clocks::default();
        let control = TimeControl::Fischer {
            main_ms: 1000,
            increment_ms: 300,
        };
        clocks.set_control(Some(control), Some(1200));
        clocks.spend(Color::Black, 200);
        assert_eq!(shown(&clocks), (1100, None));
        clocks.spend(Color::Black, 0);
        assert_eq!(shown(&clocks), (1200, None));
    }

    #[test]
    fn reports_count_without_settings() {
        let mut clocks = Clocks::default();
        assert_eq!(clocks.budget(Color::White), Budget::Own);
        clocks.report(Color::White, -5, 0);
        let control = TimeControl::Absolute { main_ms: 0 };
        let budget = Budget::Clock {
            control,
            left_ms: -5,
            overtime: None,
        };
        assert_eq!(clocks.budget(Color::White), budget);
        assert_eq!(clocks.budget(Color::Black), Budget::Own);
    }
}
