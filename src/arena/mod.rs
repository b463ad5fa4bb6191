//! Matches between players. Knows neither protocols nor networks: a player is whatever
//! implements [`contestant::Contestant`].
//!
//! [`series`] plays many games, each by [`contest`]; [`played`] is what is kept of one. [`tally`] and
//! [`pairs`] say what the results mean, [`sprt`] when they suffice, [`standing`] all that together;
//! [`log`] keeps a match in a file, from which it goes on.

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
