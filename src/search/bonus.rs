//! Bonuses of the root's moves: what a game knows of good manners and evaluations do not. They shift
//! the values by which the search picks the root's moves and by which one is chosen in the end; no
//! average contains them. The ending bonus is KataGo's (1.17, `rootEndingBonusPoints`).

use std::collections::HashMap;

use super::game::{Game, MoveCode};
use super::params::SearchParams;
use super::tree::Tree;

/// What is added to the value of one move, seen by the side to move at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bonus {
    /// Points of score.
    points: f64,
    /// Utility.
    utility: f64,
}

/// The root's moves that have a bonus.
#[derive(Debug, Default)]
pub(super) struct Bonuses(HashMap<MoveCode, Bonus>);

impl Bonuses {
    /// Those of the evaluated root of `tree`, which is `position`.
    pub fn new<G: Game>(position: &G, tree: &Tree, params: &SearchParams) -> Bonuses {
        let root = tree.root();
        let sign = root.to_move.sign();
        let mut bonuses: HashMap<MoveCode, Bonus> = HashMap::new();
        if let (true, Some(ownership)) = (params.wants_root_owners(), root.ownership()) {
            let ownership: Vec<f32> = ownership.iter().map(|owner| sign as f32 * owner).collect();
            for (code, share) in position.ending_shares(&ownership) {
                bonuses.entry(code).or_default().points = share * params.ending_bonus;
            }
        }
        let lead = sign * root.averages.win_loss;
        if params.avoid_repeating > 0.0 && lead > 0.0 {
            let repeating = root
                .moves
                .iter()
                .filter(|&&code| position.repeats_position(code));
            for &code in repeating {
                bonuses.entry(code).or_default().utility = -lead * params.avoid_repeating;
            }
        }
        Bonuses(bonuses)
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
