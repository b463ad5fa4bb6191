//! The protocol, from both sides.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analysis;
mod analysis_lines;
mod clients;
#[path = "../common/mod.rs"]
mod common;
mod endings;
mod gnugo;
mod gtp;
mod gtp_client;
mod player;
mod protocol;
mod talk;
mod variety;
mod views;

use common::{cases, client, evaluators, nets, skipped, under_test};
