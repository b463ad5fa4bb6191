//! Games with chance: positions in which dice or cards decide, between those in which players do.
//!
//! A game implements [`Chance`], its evaluation [`ExpectedValue`]. Unlike the scores of games
//! without chance, values are expected results, seen from the first side: averages are taken of
//! them, so that only their differences matter, not their order alone.
//!
//! [`tree`] has the algorithms: expectiminimax, and Star1 and Star2 (B. Ballard, The *-minimax
//! search procedure for trees containing chance nodes, 1983), which leave out what cannot change
//! the result. [`player`] chooses a move with them, deepening the most promising ones.

pub mod player;
pub mod table;
pub mod tree;

use std::fmt::Debug;

/// Who decides in a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// The first side, which wants a large value.
    Max,
    /// The second side, which wants a small value.
    Min,
    /// Chance.
    Roll,
    /// Nobody: the game is over with this result for the first side.
    Over(f64),
}

/// A position of a game with chance. Copied for each move, so it should be small.
pub trait Chance: Clone + Send + Sync {
    /// Who decides.
    fn node(&self) -> Node;

    /// Hash that is equal for positions with equal futures.
    fn key(&self) -> u64;

    /// Appends the positions after each choice of a side, at least one, those that look best first
    /// as far as that is cheap to tell. Without a choice to make, as when dice cannot be played,
    /// there is one.
    fn choices(&self, list: &mut Vec<Self>);

    /// Appends the outcomes of chance with their probabilities, which are positive and sum up to 1;
    /// the most probable come first.
    fn outcomes(&self, list: &mut Vec<(f64, Self)>);
}

/// An evaluation without search.
pub trait ExpectedValue<P>: Sync {
    /// The expected result for the first side.
    fn value(&self, position: &P) -> f64;

    /// The least and the greatest value of any position, results of finished games included.
    /// Infinite where nothing is known.
    fn bounds(&self) -> Bounds {
        Bounds {
            least: f64::NEG_INFINITY,
            greatest: f64::INFINITY,
        }
    }
}

/// The range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// None is smaller.
    pub least: f64,
    /// None is greater.
    pub greatest: f64,
}
