//! Games and analyses for a page that stays connected: several persons' pages may show one game, and each page
//! may have positions of its game analyzed. This module knows games, searches and messages, but not how messages
//! travel.
//!
//! [`Hub`] holds games and clients. A client is a page that listens: as long as a game has one, the program plays
//! its colors; a client's analysis ends with the client. All searches share networks and stored evaluations,
//! and each has a tree of its own.

mod action;
mod analyses;
mod client;
mod ending;
mod engines;
mod failure;
mod game;
mod hub;
mod library;
mod moves;
mod outbox;
mod seat;
mod slots;
mod start;
mod state;
mod store;
mod stored;
mod timing;
mod tree;
mod turns;
mod view;

pub use action::Action;
pub use client::Attached;
pub use engines::MakePlayer;
pub use failure::{Failure, Kind};
pub use hub::{Hub, Options};
pub use library::Library;
pub use outbox::Message;
pub use store::Store;

/// Games kept at once: a new one takes the place of the one that was used longest ago and that nobody looks at.
pub const MOST_GAMES: usize = 100;
/// Moves of a game, and of a record that is loaded.
pub const MOST_MOVES: usize = 2000;
/// Bytes of a game record.
pub const MOST_SGF_BYTES: usize = 1 << 20;
/// Visits of a position or a move that a page may ask for.
pub const MOST_VISITS: u64 = 100_000;
