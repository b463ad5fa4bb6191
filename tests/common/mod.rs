//! What the test programs share.

#![allow(dead_code, reason = "no test program uses everything")]

pub mod cases;
pub mod client;
pub mod evaluators;
pub mod folders;
pub mod guarded;
pub mod in_time;
pub mod leela_text;
pub mod nets;
pub mod outside;
pub mod running;
pub mod skipped;
pub mod under_test;
