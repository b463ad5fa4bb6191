//! Who decides on a move in Go: by a tree search, by a network alone, or by chance; and what a player does besides
//! searching: it resigns, plays on with a handicap, passes, judges.

mod advantage;
pub mod analysis;
pub mod judge;
pub mod resignation;
pub mod root_params;
pub mod search_limits;
pub mod search_thinker;
pub mod service;
pub mod simple_thinker;
mod symmetric_moves;
pub mod thinker;
