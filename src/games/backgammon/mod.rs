//! Backgammon without doubling cube, for one point or for money: rules, evaluations, players, notation.

pub mod bearoff;
pub mod bench;
pub mod board;
pub mod diagram;
mod dice_game;
pub mod external;
pub mod fibs;
pub mod learning;
pub mod linear;
pub mod match_score;
pub mod model;
pub mod net;
pub mod notation;
pub mod outcome;
pub mod player;
pub mod plays;
pub mod position;
pub mod records;
mod shots;
pub mod variant;

pub use board::Board;
pub use plays::{Dice, Play};
pub use position::{BackgammonPosition, Stakes};
