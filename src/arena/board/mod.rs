//! Matches at board games other than Go: conditions, the referee, openings, and players in this process.
//!
//! Games are known by the trait [`BoardGame`](crate::games::board_game::BoardGame). White is the first side.

mod adjudication;
pub mod builtin;
mod conditions;
pub mod engine_player;
pub mod openings;
mod plain_players;
mod player;
pub mod policy_player;
mod referee;
pub mod settings;
pub mod tree_player;

pub use adjudication::{Adjudication, DrawRule, ResignRule};
pub use conditions::{BoardConditions, BoardMoves, BoardOpening, BoardSettings};
pub use player::{BoardPlayer, Choice, GameStart, Pace, Turn};
