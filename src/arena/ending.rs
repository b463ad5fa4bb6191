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
    /// A player answered with an error instead of a move.
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
    /// The rules of the game give it to a player.
    Won {
        /// The player.
        winner: Color,
        /// The rule: `checkmate`.
        by: &'static str,
    },
    /// The rules of the game end it as a draw.
    Drawn {
        /// The rule: `stalemate`.
        by: &'static str,
    },
    /// The result was clear enough to both players.
    Adjudicated {
        /// The winner; none of a draw.
        winner: Option<Color>,
    },
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
            Ending::Won { winner, .. } => GameResult::Win(winner, WonBy::Unstated),
            Ending::Drawn { .. } => GameResult::Draw,
            Ending::Adjudicated { winner } => match winner {
                Some(winner) => GameResult::Win(winner, WonBy::Unstated),
                None => GameResult::Draw,
            },
        }
    }

    /// The result as records of chess have it, with what else ended the game in brackets: `1-0 (checkmate)`.
    pub(super) fn text_for_white(&self) -> String {
        let result = match self.result().points(Color::White) {
            Some(1.0) => "1-0",
            Some(0.0) => "0-1",
            Some(_) => "1/2-1/2",
            None => "*",
        };
        match self.termination() {
            Some(reason) => format!("{result} ({reason})"),
            None => result.to_owned(),
        }
    }

    /// What ended the game besides resignation; a loss on time has the name that it has in PGN.
    pub(super) fn termination(&self) -> Option<String> {
        match self {
            Ending::OutOfTime { .. } => Some("time forfeit".to_owned()),
            _ => self.remark(),
        }
    }

    /// What the result as in SGF does not say; none in ordinary cases of Go.
    pub fn remark(&self) -> Option<String> {
        Some(match self {
            Ending::Counted { basis, .. } => basis.remark()?.to_owned(),
            Ending::Resigned { .. } | Ending::OutOfTime { .. } => return None,
            Ending::IllegalMove { answer, reason, .. } => {
                format!("illegal move {answer}: {reason}")
            }
            Ending::Refused { message, .. } => format!("error: {}", on_one_line(message)),
            Ending::Crashed { message, .. } => format!("crash: {}", on_one_line(message)),
            Ending::TooLong => "too many moves".to_owned(),
            Ending::NoResult => "no result".to_owned(),
            Ending::Won { by, .. } | Ending::Drawn { by } => (*by).to_owned(),
            Ending::Adjudicated { .. } => "adjudicated".to_owned(),
        })
    }
}

impl fmt::Display for Ending {
    /// The result as in SGF, with its anomalies in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.result(), f)?;
        match self.remark() {
            Some(remark) => write!(f, " ({remark})"),
            None => Ok(()),
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
