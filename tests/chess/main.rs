//! Chess: rules, search and UCI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
mod commands;
mod draws;
#[path = "../common/folders.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod folders;
#[path = "../common/guarded.rs"]
mod guarded;
mod perft;
mod search;
mod tactics;
mod tree_search;
mod uci;
#[path = "../common/under_test.rs"]
mod under_test;
