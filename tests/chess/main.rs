//! Chess: rules, search and UCI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod draws;
mod perft;
mod search;
mod tactics;
