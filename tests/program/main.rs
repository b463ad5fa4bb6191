//! The program as a whole, and its structure.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arena;
mod board_matches;
#[path = "../fuzz/bodies.rs"]
mod bodies;
#[cfg(unix)]
mod browser;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod doctor;
mod drop_in;
#[cfg(unix)]
mod files_named;
mod fuzz_replay;
mod layering;
#[cfg(target_os = "linux")]
mod limits;
mod matches;
mod net_command;
mod play;
mod play_other;
mod program;
mod readme;
#[cfg(unix)]
mod readme_runs;
mod review;
#[cfg(unix)]
mod review_browser;
mod review_folder;
mod review_odd;
mod rollout_policy;
mod serve;
#[cfg(unix)]
mod serve_browser;
mod solve;
mod tune;

use common::{folders, guarded, leela_text, nets, running, under_test};
