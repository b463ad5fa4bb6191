//! Why a request is refused.

use std::fmt;

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It cannot be done: an illegal move, a malformed record.
    Refused,
    /// It names a game, a client or a file that is not there.
    Missing,
    /// There is no room at the moment.
    Full,
}

/// A refusal, with a message for the person at the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub kind: Kind,
    /// For display.
    pub message: String,
}

impl Failure {
    /// Something that is not there.
    pub fn missing(message: impl Into<String>) -> Failure {
        Failure {
            kind: Kind::Missing,
            message: message.into(),
        }
    }

    /// No room.
    pub fn full(message: impl Into<String>) -> Failure {
        Failure {
            kind: Kind::Full,
            message: message.into(),
        }
    }

    /// The same, with the name of the file that it is about.
    pub fn about(self, file: &str) -> Failure {
        Failure {
            message: format!("{file}: {}", self.message),
            ..self
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure {
            kind: Kind::Refused,
            message: format!("{error:#}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
