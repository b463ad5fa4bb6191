//! Networks for Go, and decorators for evaluators of any game.

pub mod batcher;
pub mod cache;
