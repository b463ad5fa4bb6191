//! What can go wrong with an engine in another process.

use std::fmt;
use std::time::Duration;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// The engine answered with a failure.
    Refused {
        /// What was asked.
        command: String,
        /// The text after the `?`.
        message: String,
    },
    /// The engine succeeded with a text that makes no sense.
    Malformed {
        /// What was asked.
        command: String,
        /// The text after the `=`.
        text: String,
    },
    /// The engine did not answer in time and was killed.
    TimedOut {
        /// What was asked.
        command: String,
        /// The time given.
        timeout: Duration,
    },
    /// The engine's process is gone, or closed its output.
    Exited {
        /// What was asked.
        command: String,
        /// Exit status and the last lines on stderr.
        details: String,
    },
    /// A reply came that is not that to the command, so that no later one could be trusted either.
    /// The engine was killed.
    OutOfTurn {
        /// What was asked.
        command: String,
        /// The id it was asked with; none where no reply was due.
        expected: Option<u32>,
        /// The reply's.
        found: Option<u32>,
        /// The start of the reply's text.
        text: String,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Refused { command, message } => write!(f, "'{command}': ? {message}"),
            ClientError::Malformed { command, text } => write!(f, "'{command}': answer '{text}'"),
            ClientError::TimedOut { command, timeout } => {
                write!(
                    f,
                    "'{command}': no answer in {:.1} s",
                    timeout.as_secs_f64()
                )
            }
            ClientError::Exited { command, details } => write!(f, "'{command}': {details}"),
            ClientError::OutOfTurn {
                command,
                expected,
                found,
                text,
            } => {
                let found = found.map_or("no id".to_owned(), |id| format!("the id {id}"));
                match expected {
                    Some(id) => write!(
                        f,
                        "'{command}' was sent with the id {id}, but answered with {found}: '{text}'"
                    ),
                    None => write!(
                        f,
                        "before '{command}' came an answer that nobody asked for, with {found}: '{text}'"
                    ),
                }
            }
        }
    }
}

impl std::error::Error for ClientError {}
