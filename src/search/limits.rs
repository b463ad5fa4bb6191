//! Limits of a search.

use std::time::Duration;

use super::pace::Pace;

/// Limits of one search; the first one reached ends it. Unlimited by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Visits of the root, including those of earlier searches.
    pub visits: Option<u64>,
    /// Playouts of this search.
    pub playouts: Option<u64>,
    /// Time from the start of the search. At least one playout is made, unless the search is stopped before.
    pub time: Option<Duration>,
    /// Permitted deviations from the time.
    pub pace: Pace,
}

impl Limits {
    /// Only a number of root visits.
    pub fn visits(visits: u64) -> Limits {
        Limits {
            visits: Some(visits),
            ..Limits::default()
        }
    }

    /// Only a number of playouts.
    pub fn playouts(playouts: u64) -> Limits {
        Limits {
            playouts: Some(playouts),
            ..Limits::default()
        }
    }

    /// Only a time.
    pub fn time(time: Duration) -> Limits {
        Limits {
            time: Some(time),
            ..Limits::default()
        }
    }

    /// The same limits with this time, or without any.
    pub fn with_time(self, time: Option<Duration>) -> Limits {
        Limits { time, ..self }
    }

    /// Number of playouts that may still be started, given those finished or in flight.
    pub(super) fn playouts_left(&self, root_visits: u64, playouts: u64) -> u64 {
        let by_visits = self
            .visits
            .map_or(u64::MAX, |limit| limit.saturating_sub(root_visits));
        let by_playouts = self
            .playouts
            .map_or(u64::MAX, |limit| limit.saturating_sub(playouts));
        by_visits.min(by_playouts)
    }
}
