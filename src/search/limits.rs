//! When a search ends.

use std::time::Duration;

use super::pace::Pace;

/// Bounds of one search; the first one reached ends it. Unbounded by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Visits of the root, those kept from earlier searches included.
    pub visits: Option<u64>,
    /// Descents made in this search.
    pub playouts: Option<u64>,
    /// Time from the start of the search. At least one playout is made all the same.
    pub time: Option<Duration>,
    /// How it may deviate from that.
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

    /// The same limits with a time as well, if there is one.
    pub fn with_time(self, time: Option<Duration>) -> Limits {
        Limits { time, ..self }
    }

    /// How many more playouts may be started, given those counted or under way.
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
