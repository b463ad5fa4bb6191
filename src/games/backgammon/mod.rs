//! Backgammon without doubling cube, for one point or for money: rules, evaluations, players, notation.

pub mod bearoff;
pub mod board;
pub mod diagram;
pub mod fibs;
pub mod learning;
pub mod linear;
pub mod model;
pub mod net;
pub mod notation;
pub mod outcome;
pub mod plays;
pub mod position;
mod shots;

pub use board::Board;
pub use plays::{Dice, Play};
pub use position::{BackgammonPosition, Stakes};
