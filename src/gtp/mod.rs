//! The Go Text Protocol: the wire, the engine's side and the controller's side.

pub mod protocol;
pub mod thinker;
