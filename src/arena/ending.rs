//! How games end, in words and as SGF has it.

use std::fmt;

use super::settle::Basis;
use crate::go::Color;

/// Why a game is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Two passes.
    Counted {
        /// The points Black leads by.
        lead_black: f64,
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

/// What a game counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// One player won.
    Win(Color),
    /// Equal.
    Draw,
    /// Does not count.
    Void,
}

impl Ending {
    /// Who won.
    pub fn verdict(&self) -> Verdict {
        match self {
            Ending::Counted { lead_black, .. } if *lead_black > 0.0 => Verdict::Win(Color::Black),
            Ending::Counted { lead_black, .. } if *lead_black < 0.0 => Verdict::Win(Color::White),
            Ending::Counted { .. } => Verdict::Draw,
            Ending::Resigned { loser }
            | Ending::OutOfTime { loser }
            | Ending::IllegalMove { loser, .. }
            | Ending::Refused { loser, .. }
            | Ending::Crashed { loser, .. } => Verdict::Win(!*loser),
            Ending::TooLong | Ending::NoResult => Verdict::Void,
        }
    }

    /// The result as SGF writes it: `B+3.5`, `W+R`, `B+T`, `W+F` (forfeit), `0`, `Void`.
    pub fn sgf_result(&self) -> String {
        let reason = match self {
            Ending::Counted { lead_black, .. } => lead_black.abs().to_string(),
            Ending::Resigned { .. } => "R".to_owned(),
            Ending::OutOfTime { .. } => "T".to_owned(),
            _ => "F".to_owned(),
        };
        match self.verdict() {
            Verdict::Win(winner) => format!("{}+{reason}", winner.letter()),
            Verdict::Draw => "0".to_owned(),
            Verdict::Void => "Void".to_owned(),
        }
    }
}

impl fmt::Display for Ending {
    /// The SGF result, and what is unusual in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sgf_result())?;
        match self {
            Ending::Counted { basis, .. } => match basis.remark() {
                Some(remark) => write!(f, " ({remark})"),
                None => Ok(()),
            },
            Ending::Resigned { .. } | Ending::OutOfTime { .. } => Ok(()),
            Ending::IllegalMove { answer, reason, .. } => {
                write!(f, " (illegal move {answer}: {reason})")
            }
            Ending::Refused { message, .. } => write!(f, " (error {message})"),
            Ending::Crashed { message, .. } => write!(f, " (crash {message})"),
            Ending::TooLong => f.write_str(" (too many moves)"),
            Ending::NoResult => f.write_str(" (no result)"),
        }
    }
}
