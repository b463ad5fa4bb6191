//! The rules: boards, laws, ladders, records.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;
mod count;
mod keys;
mod ladders;
mod laws;
mod naive;
mod perft;
mod replays;
mod rules;
mod sgf;
mod sgf_annotated;
mod sgf_odd;

use common::{cases, outside};
