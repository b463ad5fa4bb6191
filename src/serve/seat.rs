//! Who plays a color.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::MOST_VISITS;

/// Who plays a color.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Seat {
    /// Somebody at a page.
    Person,
    /// The program.
    Engine {
        /// Visits of a move; none for full strength, as the program was started.
        visits: Option<u64>,
        /// Rank at which it plays, such as `5k`.
        rank: Option<String>,
    },
}

impl Seat {
    /// Whether a person plays.
    pub fn is_person(&self) -> bool {
        *self == Seat::Person
    }

    /// The name for a record; persons have none.
    pub fn name(&self) -> Option<String> {
        match self {
            Seat::Person => None,
            Seat::Engine {
                rank: Some(rank), ..
            } => Some(format!("keima ({rank})")),
            Seat::Engine {
                visits: Some(1), ..
            } => Some("keima (1 visit)".to_owned()),
            Seat::Engine {
                visits: Some(visits),
                ..
            } => Some(format!("keima ({visits} visits)")),
            Seat::Engine { .. } => Some("keima".to_owned()),
        }
    }

    /// An error if the numbers make no sense.
    pub fn check(&self) -> Result<()> {
        if let Seat::Engine {
            visits: Some(visits),
            ..
        } = self
        {
            let is_allowed = (1..=MOST_VISITS).contains(visits);
            ensure!(is_allowed, "visits must be from 1 to {MOST_VISITS}");
        }
        Ok(())
    }

    /// The rank that was asked for.
    pub fn rank(&self) -> Option<&str> {
        match self {
            Seat::Engine { rank, .. } => rank.as_deref(),
            Seat::Person => None,
        }
    }

    /// The name of the rank among profiles of human play.
    pub fn profile(&self) -> Option<String> {
        self.rank().map(|rank| format!("rank_{rank}"))
    }
}
