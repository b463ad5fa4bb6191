//! Tests of the search, its clocks and its games.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batch_queue;
mod batcher;
mod clock;
mod decorators;
mod drawn;
mod fake_gpu;
mod guide;
#[path = "../common/in_time.rs"]
mod in_time;
#[path = "../common/outside.rs"]
mod outside;
mod search;
mod search_go;
mod search_golden;
mod search_player;
mod tictactoe;
