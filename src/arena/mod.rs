//! Matches between players, independent of protocols and networks: a player implements
//! [`contestant::Contestant`].
//!
//! [`series`] plays many games with [`contest`]; [`played`] is the record of one. [`tally`] and
//! [`pairs`] are statistics of results, [`sprt`] is a stopping rule, [`standing`] combines them;
//! [`log`] stores a match so that it can be resumed.

pub mod contest;
pub mod contestant;
pub mod ending;
pub mod likelihood;
pub mod log;
pub mod openings;
pub mod pairs;
pub mod played;
pub mod series;
pub mod settle;
pub mod sprt;
pub mod standing;
pub mod tally;
