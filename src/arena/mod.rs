//! Matches between players, independent of protocols and networks: a player implements
//! [`contestant::Contestant`].
//!
//! [`series`] plays many games; [`played`] is the record of one. [`tally`] and
//! [`pairs`] are statistics of results, [`sprt`] is a stopping rule, [`standing`] combines them;
//! [`log`] stores a match so that it can be resumed. All these know a game by its [`terms`] alone:
//! [`contest`] plays Go, [`board`] other board games, [`dice`] games with dice.

pub mod board;
pub mod contest;
pub mod contestant;
pub mod dice;
pub mod ending;
mod go;
pub mod likelihood;
pub mod log;
pub mod openings;
pub mod pairs;
pub mod played;
mod referee;
pub mod series;
pub mod settle;
pub mod sprt;
pub mod standing;
pub mod tally;
pub mod terms;
