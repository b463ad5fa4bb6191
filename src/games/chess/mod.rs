//! Chess, Chess960 included: rules on the crate `cozy-chess`, evaluation, notation, UCI.
//!
//! White is [`Side::First`](crate::search::game::Side). Castling moves are stored as the king
//! taking its own rook, as the crate has them.

pub mod bench;
mod board_game;
pub mod diagram;
pub mod evaluate;
pub mod evaluations;
mod exchange;
mod features;
pub mod fen;
pub mod notation;
mod pawns;
pub mod pgn;
pub mod position;
mod squares;
pub mod thesis;
pub mod uci;
pub mod weights;

pub use evaluate::Evaluation;
pub use evaluations::AnyEvaluation;
pub use position::ChessPosition;
pub use thesis::Thesis;
