//! Minimax and alpha-beta search for games of two players. Knows no game, no protocol and no text.
//! [`chance`] is for games with dice, [`deals`] for games with hidden cards, all else for games with
//! perfect information and without chance.
//!
//! [`plain`] has the textbook algorithms: minimax, alpha-beta and beam search, without anything
//! else. They are the reference that the tests hold the strong search against, and what
//! `keima tree` counts nodes of. [`engine`] is the strong search: iterative deepening with
//! aspiration windows, principal variation search, a transposition table, quiescence search, null
//! moves and late move reductions, on one or several threads.
//!
//! A game implements [`Position`], its evaluation [`StaticEval`]. Every score is seen from the side
//! to move, in hundredths of a pawn or man ([`score`]).

mod busy;
pub mod chance;
pub mod deals;
pub mod engine;
pub mod limits;
pub mod line;
mod ordering;
pub mod params;
pub mod perft;
pub mod plain;
pub mod position;
mod pruning;
mod quiescence;
pub mod report;
mod root;
pub mod score;
mod search;
pub mod table;
mod worker;

pub use engine::Engine;
pub use limits::{Control, Limits};
pub use line::Line;
pub use params::MinimaxParams;
pub use position::{Position, StaticEval, Verdict, Wanted};
pub use report::{Bound, Found, Report, Variation};
pub use score::Score;
