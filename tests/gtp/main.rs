//! The protocol, from both sides.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analysis;
mod analysis_lines;
#[path = "../common/cases.rs"]
mod cases;
#[path = "../common/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
mod clients;
mod endings;
mod gnugo;
mod gtp;
mod gtp_client;
#[path = "../common/guarded.rs"]
mod guarded;
#[path = "../common/nets.rs"]
mod nets;
mod player;
mod protocol;
mod talk;
#[path = "../common/under_test.rs"]
mod under_test;
mod variety;
mod views;
