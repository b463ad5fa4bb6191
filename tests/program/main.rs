//! The program as a whole, and its structure.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arena;
mod layering;
mod matches;
mod net_command;
mod program;
