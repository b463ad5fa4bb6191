//! The protocol, from both sides.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analysis;
mod analysis_lines;
mod clients;
mod endings;
mod gnugo;
mod gtp;
mod gtp_client;
mod player;
mod protocol;
mod talk;
#[path = "../common/under_test.rs"]
mod under_test;
mod variety;
mod views;
