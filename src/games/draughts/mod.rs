//! Draughts in all common variants: one table of rules, captures as each rule book has them, notation,
//! game records, the protocols Hub and DXP.
//!
//! White is [`Side::First`](crate::search::game::Side), also where Black moves first.

pub mod bench;
pub mod board;
mod board_game;
mod captures;
pub mod dxp;
pub mod endings;
pub mod evaluate;
pub mod hub;
pub mod notation;
mod patterns;
pub mod pdn;
pub mod position;
pub mod variant;

pub use evaluate::Evaluation;
pub use position::{DraughtsMove, DraughtsPosition};
pub use variant::Variant;
