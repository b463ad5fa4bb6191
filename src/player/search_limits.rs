//! What a searching player spends on a move, as it is set by name. The names are KataGo's where it
//! has the limit.

use std::time::Duration;

use crate::clock::TimeBudget;
use crate::params::parameters;
use crate::search::limits::Limits;
use crate::search::pace::Pace;

parameters! {
    /// Limits of the search for one move.
    SearchLimits;

    /// Visits for a move, including those kept from the previous tree; may be empty.
    max_visits as "maxVisits": Option<u64> = None, 1 => 1_u64 << 50;
    /// New visits for a move; may be empty.
    max_playouts as "maxPlayouts": Option<u64> = None, 1 => 1_u64 << 50;
    /// Seconds for a move, of which a clock may allow fewer; may be empty.
    max_time as "maxTime": Option<f64> = None, 0 => 1e20;
    /// Visits where there is neither a clock nor another limit.
    default_visits as "defaultVisits": u64 = 1600, 1 => 1_u64 << 50;
    /// Seconds for a move in that case, if they end before the visits are reached.
    default_time as "defaultTime": f64 = 5.0, 0.001 => 1e9;
    /// Whether to think on the opponent's time.
    pondering as "ponderingEnabled": bool = false, 0 => 0;
    /// Visits for thinking on the opponent's time; may be empty.
    max_visits_pondering as "maxVisitsPondering": Option<u64> = None, 1 => 1_u64 << 50;
    /// Seconds for thinking on the opponent's time; may be empty.
    max_time_pondering as "maxTimePondering": Option<f64> = Some(60.0), 0 => 1e20;
}

impl SearchLimits {
    /// The limits for thinking on the opponent's time.
    pub fn pondering_limits(&self) -> Limits {
        Limits {
            visits: self.max_visits_pondering,
            playouts: None,
            time: self.max_time_pondering.map(seconds),
            pace: Pace::default(),
        }
    }

    /// The limits for a move on which the clock allows to spend `budget`, if there is a clock.
    pub fn limits(&self, budget: Option<TimeBudget>) -> Limits {
        let max_time = self.max_time.map(seconds);
        let capped = |time: Duration| max_time.map_or(time, |most| time.min(most));
        let limits = Limits {
            visits: self.max_visits,
            playouts: self.max_playouts,
            time: budget.map_or(max_time, |budget| Some(capped(budget.recommended))),
            pace: Pace {
                least: budget.map_or(Duration::ZERO, |budget| capped(budget.least)),
                most: budget.map(|budget| capped(budget.most)),
                ..Pace::default()
            },
        };
        if limits == Limits::default() {
            let time = Duration::from_secs_f64(self.default_time);
            Limits::visits(self.default_visits).with_time(Some(time))
        } else {
            limits
        }
    }
}

/// A time; of more than 30 years, as KataGo writes for no limit, so long.
fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.min(1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Parameters;

    #[test]
    fn the_shorter_of_clock_and_time_for_a_move_counts() {
        let [least, recommended, most] = [1, 2, 3].map(Duration::from_secs);
        let budget = TimeBudget {
            least,
            recommended,
            most,
        };
        let pace = Pace {
            least,
            most: Some(most),
            ..Pace::default()
        };
        let timed = Limits {
            pace,
            ..Limits::time(recommended)
        };
        let mut search_limits = SearchLimits::default();
        let default = Limits::visits(1600).with_time(Some(Duration::from_secs(5)));
        assert_eq!(search_limits.limits(None), default);
        assert_eq!(search_limits.limits(Some(budget)), timed);
        for (name, value) in [("maxVisits", "50"), ("maxTime", "2.5")] {
            assert_eq!(search_limits.set(name, value), Ok(()));
        }
        let max_time = Duration::from_millis(2500);
        let visits = Limits::visits(50);
        assert_eq!(search_limits.limits(None), visits.with_time(Some(max_time)));
        let most = Some(max_time);
        let pace = Pace { most, ..pace };
        let visits = visits.visits;
        let both = Limits {
            pace,
            visits,
            ..timed
        };
        assert_eq!(search_limits.limits(Some(budget)), both);
        assert_eq!(search_limits.set("maxTime", "0.5"), Ok(()));
        let short = search_limits.limits(Some(budget));
        let half = Duration::from_millis(500);
        assert_eq!(
            (short.time, short.pace.least, short.pace.most),
            (Some(half), half, Some(half))
        );
        assert_eq!(search_limits.set("maxTime", "0"), Ok(()));
        assert_eq!(search_limits.limits(None).time, Some(Duration::ZERO));
        for (name, value) in [
            ("maxVisits", "0"),
            ("maxTime", "-1"),
            ("defaultVisits", ""),
            ("defaultTime", "0"),
        ] {
            assert!(search_limits.set(name, value).is_err(), "{name}={value}");
        }
    }
}
