//! The program as a whole, and its structure.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arena;
mod board_matches;
#[path = "../fuzz/bodies.rs"]
mod bodies;
#[cfg(unix)]
mod browser;
mod config;
mod doctor;
mod drop_in;
#[cfg(unix)]
mod files_named;
#[path = "../common/folders.rs"]
mod folders;
mod fuzz_replay;
#[path = "../common/guarded.rs"]
mod guarded;
mod layering;
#[path = "../common/leela_text.rs"]
mod leela_text;
#[cfg(target_os = "linux")]
mod limits;
mod matches;
mod net_command;
#[path = "../common/nets.rs"]
mod nets;
mod play;
mod play_other;
mod program;
mod readme;
mod review;
#[cfg(unix)]
mod review_browser;
mod review_folder;
mod review_odd;
mod rollout_policy;
mod running;
mod serve;
#[cfg(unix)]
mod serve_browser;
mod solve;
mod tune;
#[path = "../common/under_test.rs"]
mod under_test;
