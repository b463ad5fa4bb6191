//! Analysis by JSON.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batches;
mod clients;
#[path = "../common/guarded.rs"]
mod guarded;
mod mistakes;
#[path = "../common/nets.rs"]
mod nets;
#[path = "../common/outside.rs"]
mod outside;
mod program;
mod service;
mod traffic;
#[path = "../common/under_test.rs"]
mod under_test;
mod values;
