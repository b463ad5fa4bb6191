//! Networks: files, features, kernels.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arch;
mod backends;
#[path = "../common/cases.rs"]
mod cases;
mod checkpoint;
mod comparison;
mod compiler;
mod cuda_kernels;
mod features;
mod gpu;
mod gpu_blocks;
mod gpu_failures;
mod gpu_training;
#[path = "../common/in_time.rs"]
mod in_time;
mod kernels;
mod leela;
#[path = "../common/leela_text.rs"]
mod leela_text;
mod net_files;
mod net_records;
mod net_writing;
mod nets;
#[path = "../common/outside.rs"]
mod outside;
mod overflow;
mod plans;
mod stored_nets;
#[path = "../train/training.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod training;
