//! The Universal Chess Interface (text of April 2006): lines in, lines out.
//!
//! Nothing that a client sends ends the session: what cannot be understood is answered by
//! `info string` with what is wrong, and ignored.

mod command;
mod limits;
mod options;
mod search;
mod session;
mod text;

pub use session::{Host, serve};
