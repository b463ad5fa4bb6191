//! Analysis by JSON.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod clients;
mod mistakes;
#[path = "../common/outside.rs"]
mod outside;
mod program;
mod service;
mod traffic;
mod values;
