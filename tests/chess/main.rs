//! Chess: rules, search and UCI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod draws;
mod perft;
mod search;
mod tactics;
mod tree_search;
mod uci;

use common::{client, running};
