//! Analysis by JSON.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod batches;
mod clients;
#[path = "../common/mod.rs"]
mod common;
mod mistakes;
mod program;
mod service;
mod traffic;
mod values;

use common::{guarded, nets, outside, running};
