//! The Go Text Protocol, version 2: the wire, the engine's side and the controller's side.

mod analysis;
mod arguments;
pub mod client;
mod client_error;
mod commands;
pub mod controller;
pub mod engine;
pub mod interrupt_flags;
mod pipes;
pub mod protocol;
pub mod reply;
pub mod run;
pub mod script;
mod stream;
pub mod terminal;

pub use engine::{Engine, Identity};
