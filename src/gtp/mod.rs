//! The Go Text Protocol, version 2: the wire, the engine's side and the controller's side.

pub mod client;
pub mod controller;
pub mod protocol;
pub mod reply;
pub mod script;
pub mod thinker;
