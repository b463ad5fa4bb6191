//! How games of a match end.

use std::fmt;

use super::settle::Basis;
use crate::go::Color;
use crate::go::result::{GameResult, WonBy};

/// Why a game is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Two passes.
    Counted {
        /// The points Black leads by.
        lead_black: f32,
        /// What that rests on.
        basis: Basis,
    },
    /// A player gave up.
    Resigned {
        /// Who.
        loser: Color,
    },
    /// A player took too long.
    OutOfTime {
        /// Who.
        loser: Color,
    },
    /// A player answered with a move that the rules forbid, or with no move at all.
    IllegalMove {
        /// Who.
        loser: Color,
        /// The answer.
        answer: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A player answered with an error.
    Refused {
        /// Who.
        loser: Color,
        /// The error.
        message: String,
    },
    /// A player was gone.
    Crashed {
        /// Who.
        loser: Color,
        /// What is known about it.
        message: String,
    },
    /// More moves than allowed.
    TooLong,
    /// A cycle that the rules let end the game without result.
    NoResult,
}

impl Ending {
    /// The result as a record has it. What is neither counted, nor resigned, nor lost on time is
    /// forfeit; a game that came to no end is void.
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
    /// The result as SGF has it, and what is unusual in brackets.
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
