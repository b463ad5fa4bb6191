//! The Hub protocol, version 2, that draughts programs speak: lines in, lines out.
//!
//! Nothing that a client sends ends the session: what cannot be understood is answered by `error` with
//! what is wrong; unknown commands and arguments are ignored, as the protocol has it.

mod session;
mod text;

pub use session::{protocol_name, serve};
pub use text::{move_text, parse_move, parse_position, position_text};
