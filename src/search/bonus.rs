//! Bonuses of the root's moves: what a player knows of its game and evaluations do not. They shift
//! the values by which the search picks the root's moves and by which one is chosen in the end; no
//! average contains them.

use std::collections::HashMap;
use std::fmt;

use super::game::MoveCode;
use super::node::Node;
use super::tree::Tree;

/// What is added to the value of one move, for the side to move at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bonus {
    /// Points of score; without effect where the score does not count.
    pub points: f64,
    /// Utility.
    pub utility: f64,
}

/// What is known of a root when its bonuses are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct RootValues {
    /// Winning less losing probability of the side to move, by what the tree has found so far.
    pub win_loss: f64,
    /// The evaluator's ownership of the root, +1 for the side to move. `None` where it knows none.
    pub ownership: Option<Vec<f32>>,
}

/// Decides on the bonuses of a root's moves, once the root has been evaluated.
pub trait RootBonus<G>: fmt::Debug + Send + Sync {
    /// Whether the bonuses depend on [`RootValues::ownership`].
    fn wants_ownership(&self) -> bool {
        false
    }

    /// The moves of `position` that have a bonus; those of a move named twice are added.
    fn bonuses(&self, position: &G, values: &RootValues) -> Vec<(MoveCode, Bonus)>;
}

/// The root's moves that have a bonus.
#[derive(Debug, Default)]
pub(super) struct Bonuses(HashMap<MoveCode, Bonus>);

impl Bonuses {
    /// Those by which the search goes from now on.
    pub fn new(entries: Vec<(MoveCode, Bonus)>) -> Bonuses {
        let mut bonuses: HashMap<MoveCode, Bonus> = HashMap::new();
        for (code, added) in entries {
            let bonus = bonuses.entry(code).or_default();
            bonus.points += added.points;
            bonus.utility += added.utility;
        }
        Bonuses(bonuses)
    }
}

impl RootValues {
    /// Those of an evaluated root.
    pub(super) fn of(root: &Node) -> RootValues {
        let sign = root.to_move.sign();
        let ownership = root.ownership();
        RootValues {
            win_loss: sign * root.averages.win_loss,
            ownership: ownership.map(|map| map.iter().map(|owner| sign as f32 * owner).collect()),
        }
    }
}

impl Tree {
    /// Utility that the bonus of the root's tried move at `index` adds for the side to move there:
    /// points count by what they would change about the score expected after the move.
    pub fn root_bonus(&self, index: usize) -> f64 {
        let root = self.root();
        let Some(bonus) = self.bonuses().0.get(&root.moves[index]) else {
            return 0.0;
        };
        let after = &self.child(&root.edges[index]).averages;
        let sign = root.to_move.sign();
        let utility = &self.valuation().utility;
        let gain = utility.gain(after.score, after.score_stdev(), sign * bonus.points);
        sign * gain + bonus.utility
    }
}
