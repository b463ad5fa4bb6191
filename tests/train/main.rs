//! Labels, training and self-play.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/cases.rs"]
mod cases;
mod flat_heads;
#[path = "../common/folders.rs"]
mod folders;
#[path = "../common/guarded.rs"]
mod guarded;
mod labels;
#[path = "../common/nets.rs"]
mod nets;
#[path = "../common/outside.rs"]
mod outside;
mod policy_gradient;
mod records;
mod selfplay;
mod train_gradients;
mod train_runs;
mod train_steps;
mod train_symmetric;
mod training;
#[path = "../common/under_test.rs"]
mod under_test;
