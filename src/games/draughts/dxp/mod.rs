//! DXP, the DamExchange protocol (version 1) by which draughts programs play each other over a network:
//! international draughts, messages of letters and digits that end with a zero byte.
//!
//! The *initiator* asks for a game, the *follower* accepts it or does not. Who connects and who listens is
//! another matter: here the side that connects is the initiator.

mod message;
mod session;

pub use message::{GameRequest, Message};
pub use session::{Played, Session, Told};

/// The port that programs agree on.
pub const PORT: u16 = 27531;
