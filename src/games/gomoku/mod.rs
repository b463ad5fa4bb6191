//! Five in a row: gomoku under its common rules, and renju with its forbidden points.
//!
//! White is [`Side::First`](crate::search::game::Side), although Black moves first, as at draughts.

pub mod board;
pub mod classes;
pub mod forbidden;
mod geometry;
pub mod lines;
pub mod rule;
pub mod vcf;

pub use rule::{Color, Rule, Variant};
