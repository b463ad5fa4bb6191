//! The protocol of Piskvork and Gomocup, as an engine speaks it.

mod clock;
mod game;
mod session;
mod swap;
mod think;

pub use session::{Host, serve};
