//! Labels, training and self-play.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod flat_heads;
mod labels;
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
