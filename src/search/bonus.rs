//! Bonuses of root moves: game knowledge that evaluations lack. They shift the values by which the
//! search selects root moves and by which a move is chosen in the end; averages do not include
//! them.

use std::collections::HashMap;
use std::fmt;

use super::game::MoveCode;
use super::node::Node;
use super::tree::Tree;

/// The bonus of one move, from the point of view of the side to move at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bonus {
    /// Points of score; ignored if the score does not count.
    pub points: f64,
    /// Utility.
    pub utility: f64,
}

/// Values of the root, as input to its bonuses.
#[derive(Clone, Debug, PartialEq)]
pub struct RootValues {
    /// Winning less losing probability of the side to move, from the search so far.
    pub win_loss: f64,
    /// The evaluator's ownership of the root, +1 for the side to move. `None` if not known.
    pub ownership: Option<Vec<f32>>,
}

/// Computes the bonuses of root moves, once the root has been evaluated.
pub trait RootBonus<G>: fmt::Debug + Send + Sync {
    /// Whether the bonuses depend on [`RootValues::ownership`].
    fn wants_ownership(&self) -> bool {
        false
    }

    /// The moves of `position` with a bonus; several bonuses of one move are added.
    fn bonuses(&self, position: &G, values: &RootValues) -> Vec<(MoveCode, Bonus)>;
}

/// Bonuses of root moves.
#[derive(Debug, Default)]
pub(super) struct Bonuses(HashMap<MoveCode, Bonus>);

impl Bonuses {
    /// For the given moves.
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
    /// For an evaluated root.
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
    /// Utility that the bonus adds to the root's tried move at `index`, for the side to move there:
    /// points count by their effect on the utility of the expected score after the move.
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
