//! Networks: files, features, kernels.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arch;
mod backends;
mod checkpoint;
#[path = "../common/mod.rs"]
mod common;
mod comparison;
mod compiler;
mod cuda_kernels;
mod features;
mod gpu;
mod gpu_blocks;
mod gpu_failures;
mod gpu_training;
mod kernels;
mod leela;
mod net_files;
mod net_records;
mod net_writing;
mod nets;
mod overflow;
mod plans;
mod stored_nets;
#[path = "../train/training.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod training;

use common::{cases, in_time, leela_text, outside, skipped};
