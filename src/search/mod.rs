//! Monte Carlo tree search over any [`game::Game`].

pub mod evaluator;
pub mod game;
