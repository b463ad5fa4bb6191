//! Anomalies of a file that could be read.

use std::fmt;

/// Kind of a remark, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Komi that could be read in part, or not at all.
    Komi,
    /// Rules of an unknown name.
    Rules,
    /// Handicap that could be read in part, or not at all.
    Handicap,
    /// Handicap stones without positions.
    HandicapStones,
    /// A move or point in non-standard notation.
    Move,
    /// A board size in non-standard notation.
    Size,
    /// A property name in lower case, or in full.
    Name,
    /// An illegal move with an order to execute it.
    Executed,
    /// Text outside of properties.
    Stray,
    /// Moves that were skipped, or may be missing.
    NotRead,
    /// Other games of the file.
    MoreGames,
    /// Repeated properties with different values.
    Twice,
    /// A node with several moves, or with a move and a setup.
    Crowded,
    /// A setup after moves, from which the record restarts.
    StartedOver,
    /// Undecodable characters.
    Encoding,
}

impl Kind {
    /// Whether a part of the file is not in the record.
    fn leaves_out(self) -> bool {
        matches!(
            self,
            Kind::Executed | Kind::MoreGames | Kind::NotRead | Kind::StartedOver
        )
    }

    /// For statistics.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Komi => "odd komi",
            Kind::Rules => "unknown rules",
            Kind::Handicap => "odd handicap",
            Kind::HandicapStones => "handicap stones unknown",
            Kind::Move => "odd move",
            Kind::Size => "odd board size",
            Kind::Name => "odd property name",
            Kind::Executed => "illegal move executed",
            Kind::Stray => "stray text",
            Kind::NotRead => "moves not read",
            Kind::MoreGames => "more games",
            Kind::Twice => "stated twice",
            Kind::Crowded => "crowded node",
            Kind::StartedOver => "set-up after moves",
            Kind::Encoding => "unreadable characters",
        }
    }
}

/// An anomaly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its kind.
    pub kind: Kind,
    /// Number of the node in the main line, from 1.
    pub node: usize,
    /// The anomaly and how it was handled.
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}: {}", self.node, self.text)
    }
}

/// Maximal number of remarks per file.
const MOST: usize = 100;
/// Maximal length of a remark; quoted text may be long.
const LONGEST: usize = 200;

/// The first remarks on a file.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    first: Vec<Remark>,
    /// Whether a remark, perhaps a later one, says that something was not read.
    leaves_out: bool,
}

impl Remarks {
    pub(super) fn add(&mut self, kind: Kind, node: usize, mut text: String) {
        self.leaves_out |= kind.leaves_out();
        if self.first.len() < MOST {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.replace_range(end.., "...");
            }
            self.first.push(Remark { kind, node, text });
        }
    }

    pub(super) fn as_slice(&self) -> &[Remark] {
        &self.first
    }

    /// Whether all that the file holds was read.
    pub(super) fn is_whole(&self) -> bool {
        !self.leaves_out
    }

    pub(super) fn into_vec(self) -> Vec<Remark> {
        self.first
    }
}
