//! Monte Carlo tree search over any [`game::Game`].
//!
//! A playout has four steps. *Select*: from the root follow the best edge of each node down to a
//! leaf. *Evaluate*: request an evaluation from the [`Evaluator`], unless the game is over.
//! *Expand*: add the legal moves with their priors. *Back up*: count the visit at every node of the
//! path and recompute each node from its children. The first half (`gather`) and the second
//! (`apply`) hold the lock of the tree; the evaluator works in between, without it.
//!
//! Evaluations are from the point of view of the side to move. Inside the tree every value is from
//! that of [`game::Side::First`]; selection and reports convert it to the side to move, in one
//! place each.

#![deny(missing_docs)]

pub mod bonus;
pub mod evaluator;
pub mod game;
pub mod limits;
pub mod mcts;
pub mod memory;
pub mod ownership;
pub mod pace;
pub mod params;
pub mod players;
pub mod report;
pub mod restrictions;

mod backup;
mod bias;
mod choice;
mod guide;
mod node;
mod playout;
mod proof;
mod rave;
mod root;
mod select;
mod tree;
mod utility;
mod validate;
mod weighting;
mod wide;
mod worker;

pub use bonus::{Bonus, RootBonus, RootValues};
pub use evaluator::{
    Errors, Evaluation, Evaluator, HashEvaluator, PlayedOut, Request, UniformEvaluator,
};
pub use game::{Game, MoveCode, Outcome, Side};
pub use limits::Limits;
pub use mcts::Search;
pub use memory::TreeMemory;
pub use ownership::Ownership;
pub use pace::{MachineTime, Pace, TimeSource};
pub use params::{SearchParams, SelectionRule};
pub use players::{PolicyPlayer, value_move};
pub use report::{Detail, MoveReport, RawValues, Report};
pub use restrictions::Restrictions;
pub use worker::Progress;
