//! Labels, training and self-play.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;
mod flat_heads;
mod labels;
mod policy_gradient;
mod records;
mod selfplay;
mod train_gradients;
mod train_runs;
mod train_steps;
mod train_symmetric;
mod training;

use common::{cases, folders, guarded, nets, outside, running, under_test};
