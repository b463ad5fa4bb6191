//! Minimax and alpha-beta, apart from any game that people play for long.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod chance;
#[path = "../common/mod.rs"]
mod common;
mod connect_four;
mod deals;
mod equality;
mod lecture;
mod random_game;
mod solving;
mod written_tree;

use common::cases;
