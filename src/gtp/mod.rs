//! The Go Text Protocol, version 2: the wire, the engine's side and the controller's side.

mod advantage;
pub mod analysis;
mod arguments;
pub mod attention;
pub mod client;
mod client_error;
mod clock;
mod commands;
pub mod controller;
pub mod engine;
pub mod judge;
mod judgement;
mod pipes;
mod process;
pub mod protocol;
pub mod reply;
pub mod resignation;
pub mod root_params;
pub mod run;
pub mod script;
pub mod search_limits;
pub mod search_thinker;
pub mod service;
pub mod simple_thinker;
mod stream;
mod symmetric_moves;
pub mod terminal;
pub mod thinker;

pub use engine::{Engine, Identity};
