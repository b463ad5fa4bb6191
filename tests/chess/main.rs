//! Chess: rules, search and UCI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod commands;
mod draws;
mod perft;
mod search;
mod tactics;
mod tree_search;
mod uci;
#[path = "../common/under_test.rs"]
mod under_test;
