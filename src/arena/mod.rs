//! Matches between players. Knows neither protocols nor networks: a player is whatever
//! implements [`contestant::Contestant`].
//!
//! [`series`] plays many games, each by [`contest`]; [`tally`] says what the results mean.

pub mod contest;
pub mod contestant;
pub mod ending;
pub mod openings;
pub mod series;
pub mod settle;
pub mod tally;
