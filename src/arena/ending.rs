//! How games of a match end.

use std::fmt;

use super::settle::Basis;
use crate::go::Color;
use crate::go::result::{GameResult, WonBy};

/// The reason why a game is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Two passes.
    Counted {
        /// Black's lead in points.
        lead_black: f32,
        /// How it was determined.
        basis: Basis,
    },
    /// A player resigned.
    Resigned {
        /// The player.
        loser: Color,
    },
    /// A player exceeded its time.
    OutOfTime {
        /// The player.
        loser: Color,
    },
    /// A player answered with an illegal move or with invalid text.
    IllegalMove {
        /// The player.
        loser: Color,
        /// The answer.
        answer: String,
        /// Why it is not legal.
        reason: String,
    },
    Refused {
        /// The player.
        loser: Color,
        /// The message.
        message: String,
    },
    /// A player has exited.
    Crashed {
        /// The player.
        loser: Color,
        /// Details if known.
        message: String,
    },
    /// Move limit reached.
    TooLong,
    /// A cycle that ends the game without result under its rules.
    NoResult,
}

impl Ending {
    /// The result as in SGF. Faults count as forfeit; a game without an end is void.
    pub fn result(&self) -> GameResult {
        match *self {
            Ending::Counted { lead_black, .. } => GameResult::from_lead(lead_black),
            Ending::Resigned { loser } => GameResult::Win(!loser, WonBy::Resignation),
            Ending::OutOfTime { loser } => GameResult::Win(!loser, WonBy::Time),
            Ending::IllegalMove { loser, .. }
            | Ending::Refused { loser, .. }
            | Ending::Crashed { loser, .. } => GameResult::Win(!loser, WonBy::Forfeit),
            Ending::TooLong | Ending::NoResult => GameResult::Void,
        }
    }
}

impl fmt::Display for Ending {
    /// The result as in SGF, with its anomalies in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.result(), f)?;
        match self {
            Ending::Counted { basis, .. } => match basis.remark() {
                Some(remark) => write!(f, " ({remark})"),
                None => Ok(()),
            },
            Ending::Resigned { .. } | Ending::OutOfTime { .. } => Ok(()),
            Ending::IllegalMove { answer, reason, .. } => {
                write!(f, " (illegal move {answer}: {reason})")
            }
            Ending::Refused { message, .. } => write!(f, " (error: {})", on_one_line(message)),
            Ending::Crashed { message, .. } => write!(f, " (crash: {})", on_one_line(message)),
            Ending::TooLong => f.write_str(" (too many moves)"),
            Ending::NoResult => f.write_str(" (no result)"),
        }
    }
}

fn on_one_line(message: &str) -> String {
    message
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" / ")
}
