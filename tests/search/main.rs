//! Tests of the search, its clocks and its games.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batch_queue;
mod batcher;
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod decorators;
mod drawn;
mod fake_gpu;
mod guide;
mod search;
mod search_go;
mod search_golden;
mod search_player;
mod tictactoe;

use common::{evaluators, in_time, outside, skipped};
