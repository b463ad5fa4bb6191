//! The Go Text Protocol, version 2: the wire, the engine's side and the controller's side.

mod arguments;
mod clock;
mod commands;
pub mod engine;
mod judgement;
pub mod protocol;
pub mod run;
pub mod thinker;

pub use engine::{Engine, Identity};
