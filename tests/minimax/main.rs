//! Minimax and alpha-beta, apart from any game that people play for long.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/cases.rs"]
mod cases;
mod chance;
mod connect_four;
mod deals;
mod equality;
mod lecture;
mod random_game;
mod solving;
mod written_tree;
