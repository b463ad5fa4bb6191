//! What a reader has to say of a file that it could read, but not to the letter.

use std::fmt;

/// Of what kind a remark is, for counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Komi of which only a part could be read, or nothing.
    Komi,
    /// Handicap of which only a part could be read, or nothing.
    Handicap,
    /// Handicap stones whose places are not known.
    HandicapStones,
    /// A move or a point that is there in an unusual way.
    Move,
    /// A board size that is stated in an unusual way.
    Size,
    /// A name in lower case, or in full.
    Name,
    /// A move that is illegal but was to be executed.
    Executed,
    /// Text that is no part of a property.
    Stray,
    /// Moves that were passed over, or may be missing.
    NotRead,
    /// Other games of the file.
    MoreGames,
    /// What is stated twice, and not the same.
    Twice,
    /// A node with more than one move, or with a move and a set-up.
    Crowded,
    /// A set-up after moves, from which the record starts over.
    StartedOver,
    /// Characters that could not be read.
    Encoding,
}

impl Kind {
    /// For tables of counts.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Komi => "odd komi",
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

/// One thing that is odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Of what kind it is.
    pub kind: Kind,
    /// Number of the node in the main line, from 1.
    pub node: usize,
    /// What is odd and what was made of it.
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}: {}", self.node, self.text)
    }
}

/// The most remarks kept of a file.
const MOST: usize = 100;
/// The most characters of a remark; what it quotes may be long.
const LONGEST: usize = 200;

/// The first remarks on a file.
#[derive(Debug, Default)]
pub(super) struct Remarks(Vec<Remark>);

impl Remarks {
    pub(super) fn add(&mut self, kind: Kind, node: usize, mut text: String) {
        if self.0.len() < MOST {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.replace_range(end.., "...");
            }
            self.0.push(Remark { kind, node, text });
        }
    }

    pub(super) fn as_slice(&self) -> &[Remark] {
        &self.0
    }

    pub(super) fn into_vec(self) -> Vec<Remark> {
        self.0
    }
}
