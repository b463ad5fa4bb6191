//! Five in a row: gomoku under its common rules, and renju with its forbidden points.
//!
//! White is [`Side::First`](crate::search::game::Side), although Black moves first, as at draughts.

pub mod answers;
pub mod bench;
pub mod board;
mod board_game;
mod candidates;
pub mod classes;
pub mod evaluate;
pub mod forbidden;
mod geometry;
pub mod lines;
mod network_inputs;
pub mod notation;
pub mod piskvork;
pub mod position;
pub mod psq;
pub mod records;
pub mod rule;
pub mod sgf;
pub mod vcf;
pub mod vct;

pub use evaluate::Evaluation;
pub use position::GomokuPosition;
pub use rule::{Color, Rule, Variant};
