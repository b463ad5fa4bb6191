//! Selection: which move of a node a playout follows.
//!
//! Values are from the point of view of the side to move. Only here do playouts in flight have an
//! effect: they count as visits, and as losses mixed into the value. All untried moves share one
//! first-play value, so only the one with the highest prior can be selected.

use super::node::{Node, NodeId};
use super::params::{SearchParams, SelectionRule};
use super::proof::Proof;
use super::tree::Tree;
use super::wide::{flattened, half_normal};

/// Added under the root of PUCT so that the first selection follows the prior.
pub(super) const FIRST_WEIGHT: f64 = 0.01;

/// Minimal weight of a move with playouts in flight.
const LEAST_WEIGHT: f64 = 0.25;

/// Index of the move to follow; an untried move is to be tried now. Only RAVE may select another
/// than the first untried one.
pub(super) fn select(tree: &Tree, id: NodeId, params: &SearchParams) -> usize {
    let selection = Selection::new(tree, id, params);
    match params.rule {
        SelectionRule::Puct => selection.puct(),
        SelectionRule::Ucb1 => selection.ucb1(),
        SelectionRule::Rave => selection.rave(),
    }
}

/// A node at which a move is selected.
pub(super) struct Selection<'a> {
    tree: &'a Tree,
    pub(super) node: &'a Node,
    pub(super) params: &'a SearchParams,
    is_root: bool,
    /// Sum of the children's weights, without the node's own.
    pub(super) total_weight: f64,
    /// First-play value of unvisited moves.
    first_play: f64,
}

/// Data of one move: value for the side to move, and weight.
#[derive(Clone, Copy)]
pub(super) struct Arm {
    pub value: f64,
    pub weight: f64,
}

impl<'a> Selection<'a> {
    pub fn new(tree: &'a Tree, id: NodeId, params: &'a SearchParams) -> Selection<'a> {
        let node = tree.node(id);
        let total_weight = node
            .edges
            .iter()
            .map(|edge| tree.child(edge).weight_through(edge.visits))
            .sum();
        let mut selection = Selection {
            tree,
            node,
            params,
            is_root: id == NodeId::ROOT,
            total_weight,
            first_play: 0.0,
        };
        let tried = &node.priors[..node.edges.len()];
        let tried_prior = tried.iter().map(|&prior| f64::from(prior)).sum();
        selection.first_play = selection.first_play_after(tried_prior);
        selection
    }

    /// First-play value.
    pub fn first_play(&self) -> f64 {
        self.first_play
    }

    /// P. Rosin's PUCB as AlphaZero and KataGo use it.
    pub fn puct(&self) -> usize {
        let exploration = self.exploration();
        let score = |arm: Arm, index: usize| {
            let (prior, bonus) = self.widened(index);
            arm.value + bonus + exploration * prior / (1.0 + arm.weight)
        };
        let mut best = Best::default();
        for index in 0..self.node.edges.len() {
            if self.tree.fate(self.node, index) != Some(Proof::Lost) {
                best.offer(index, score(self.arm(index), index));
            }
        }
        let untried = self.node.edges.len();
        if untried < self.node.moves.len() {
            best.offer(
                untried,
                score(
                    Arm {
                        value: self.first_play,
                        weight: 0.0,
                    },
                    untried,
                ),
            );
        }
        best.index
    }

    /// The score of a tried move without playouts in flight.
    pub fn settled_score(&self, index: usize) -> f64 {
        let prior = f64::from(self.node.priors[index]);
        let Arm { value, weight } = self.settled_arm(index);
        value + self.exploration() * prior / (1.0 + weight)
    }

    /// The weight at which a tried move has the score `standard`; infinite if its score is always
    /// higher.
    pub fn wanted_weight(&self, index: usize, standard: f64) -> f64 {
        let prior = f64::from(self.node.priors[index]);
        let missing = standard - self.settled_arm(index).value;
        if missing <= 0.0 {
            return f64::INFINITY;
        }
        (self.exploration() * prior / missing - 1.0).max(0.0)
    }

    /// Prior and bonus of a move: flattened and randomised at the root if wide noise is on.
    fn widened(&self, index: usize) -> (f64, f64) {
        let prior = f64::from(self.node.priors[index]);
        let noise = self.params.wide_root_noise;
        if !self.is_root || noise == 0.0 {
            return (prior, 0.0);
        }
        let turn = u64::from(self.node.visits) + u64::from(self.node.in_flight);
        let bonus = noise * half_normal(self.params.seed, turn, index);
        (flattened(prior, noise), bonus)
    }

    /// UCB1 on values scaled to [0, 1].
    pub(super) fn ucb1(&self) -> usize {
        let untried = self.node.edges.len();
        if untried < self.node.moves.len() && self.may_try(untried) {
            return untried;
        }
        let tried = 0..self.node.edges.len();
        let arms: Vec<Arm> = tried.map(|index| self.arm(index)).collect();
        let total: f64 = arms.iter().map(|arm| arm.weight).sum();
        let log_total = total.max(1.0).ln();
        let scale = 2.0 * self.params.max_utility();
        let mut best = Best::default();
        for (index, arm) in arms.iter().enumerate() {
            let bonus = (log_total / arm.weight.max(LEAST_WEIGHT)).sqrt();
            best.offer(
                index,
                arm.value / scale + 0.5 + self.params.ucb1_exploration * bonus,
            );
        }
        best.index
    }

    /// UCB1 ignores moves with prior 0, unless all have it.
    fn may_try(&self, untried: usize) -> bool {
        self.node.priors[untried] > 0.0 || self.node.priors[..untried].iter().all(|&p| p <= 0.0)
    }

    /// Factor before P/(1 + w): grows with the weight and with the standard deviation of utility.
    fn exploration(&self) -> f64 {
        let SearchParams {
            cpuct,
            cpuct_log,
            cpuct_base,
            ..
        } = *self.params;
        let growth = if cpuct_log == 0.0 {
            0.0
        } else {
            cpuct_log * ((self.total_weight + cpuct_base) / cpuct_base).ln()
        };
        (cpuct + growth) * (self.total_weight + FIRST_WEIGHT).sqrt() * self.spread_factor()
    }

    /// 1 for the prior standard deviation of utility, more or less by the observed one.
    fn spread_factor(&self) -> f64 {
        let SearchParams {
            utility_stdev_scale,
            utility_stdev_prior,
            utility_stdev_prior_weight,
            ..
        } = *self.params;
        if utility_stdev_scale == 0.0 || self.node.weight <= 1.0 {
            return 1.0;
        }
        let mean_sq = self.node.averages.utility * self.node.averages.utility;
        let observed = self.node.averages.utility_sq.max(mean_sq) * self.node.weight;
        let prior =
            (mean_sq + utility_stdev_prior * utility_stdev_prior) * utility_stdev_prior_weight;
        let square = (prior + observed) / (utility_stdev_prior_weight + self.node.weight - 1.0);
        let spread = (square - mean_sq).max(0.0).sqrt();
        1.0 + utility_stdev_scale * (spread / utility_stdev_prior - 1.0)
    }

    /// The parent's value less a reduction that grows with the prior already tried. The parent's
    /// own evaluation is replaced by its average at the same rate.
    fn first_play_from_parent(&self, tried_prior: f64) -> f64 {
        let power = self.params.fpu_parent_power;
        let blend = match power == power.trunc() {
            // The same on all machines.
            true => tried_prior.powi(power as i32),
            false => tried_prior.powf(power),
        };
        let blend = blend.min(1.0);
        let parent = blend * self.node.averages.utility + (1.0 - blend) * self.node.own_utility;
        let reduction = match self.is_root {
            true if self.params.noise_weight > 0.0 => 0.0,
            true => self.params.root_fpu_reduction,
            false => self.params.fpu_reduction,
        };
        self.node.to_move.sign() * parent - reduction * tried_prior.sqrt()
    }

    /// First-play value if so much of the prior has been tried.
    pub fn first_play_after(&self, tried_prior: f64) -> f64 {
        match self.params.fpu_from_parent {
            true => self.first_play_from_parent(tried_prior),
            false => 0.0,
        }
    }

    /// A tried move by its backed-up values.
    fn settled_arm(&self, index: usize) -> Arm {
        let edge = &self.node.edges[index];
        let weight = self.tree.child(edge).weight_through(edge.visits);
        self.settled_arm_of(index, weight, self.first_play)
    }

    /// The same with this weight and first-play value.
    fn settled_arm_of(&self, index: usize, weight: f64, first_play: f64) -> Arm {
        let child = self.tree.child(&self.node.edges[index]);
        let value = match weight > 0.0 {
            true if self.is_root => {
                child.utility_for(self.node.to_move) + self.tree.root_bonus(index)
            }
            true => child.utility_for(self.node.to_move),
            false => first_play,
        };
        Arm { value, weight }
    }

    /// A tried move, with the playouts in flight below it counted as losses.
    pub(super) fn arm(&self, index: usize) -> Arm {
        self.delayed(index, self.settled_arm(index))
    }

    /// The same with this weight and first-play value.
    pub(super) fn arm_of(&self, index: usize, weight: f64, first_play: f64) -> Arm {
        self.delayed(index, self.settled_arm_of(index, weight, first_play))
    }

    fn delayed(&self, index: usize, mut arm: Arm) -> Arm {
        let child = self.tree.child(&self.node.edges[index]);
        if child.in_flight > 0 {
            let lost = f64::from(child.in_flight) * self.params.virtual_loss;
            if self.params.virtual_loss_in_value {
                let share = lost / (lost + arm.weight.max(LEAST_WEIGHT));
                arm.value += (-self.params.max_utility() - arm.value) * share;
            }
            arm.weight += lost;
        }
        arm
    }
}

/// The first of the highest scores.
pub(super) struct Best {
    pub index: usize,
    score: f64,
}

impl Default for Best {
    fn default() -> Best {
        Best {
            index: 0,
            score: f64::NEG_INFINITY,
        }
    }
}

impl Best {
    pub fn offer(&mut self, index: usize, score: f64) {
        if score > self.score {
            *self = Best { index, score };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::backup::Valuation;
    use super::super::game::{MoveCode, Side};
    use super::super::playout::Step;
    use super::super::tree::Expansion;
    use super::super::utility::Leaf;
    use super::*;

    fn expansion(win_loss: f32, priors: &[f32]) -> Expansion {
        Expansion {
            leaf: Leaf {
                win_loss,
                ..Leaf::default()
            },
            is_certain: false,
            moves: (0..priors.len() as u16).map(MoveCode).collect(),
            priors: priors.into(),
            ownership: None,
            games: Vec::new(),
            guide: None,
        }
    }

    /// A root of `side` with value 0.2 and one visit of each child, values seen by `First`.
    fn tree(side: Side, priors: &[f32], values: &[f32]) -> Tree {
        let mut tree = Tree::default();
        tree.set_valuation(Valuation::new(&SearchParams::plain(), 0.0, false));
        tree.plant(side, expansion(0.2, priors));
        for (&value, edge_index) in values.iter().zip(0..) {
            let child = tree.add_node(!side, None);
            tree.add_edge(NodeId::ROOT, child);
            tree.enter(NodeId::ROOT);
            tree.enter(child);
            tree.expand(child, expansion(value, &[1.0]));
            tree.back_up(
                &vec![Step {
                    node: NodeId::ROOT,
                    edge_index,
                    counts: true,
                }],
                child,
            );
        }
        tree
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn puct_has_the_documented_numbers() {
        let tree = tree(Side::First, &[0.5, 0.3, 0.2], &[0.5, -0.1]);
        let params = SearchParams::default();
        let selection = Selection::new(&tree, NodeId::ROOT, &params);
        // Mean 0.2 of 0.2, 0.5, -0.1; mean square 0.1; weight 3, of which 2 the children's.
        let square: f64 = ((0.04 + 0.16) * 2.0 + 0.1 * 3.0) / (2.0 + 3.0 - 1.0) - 0.04;
        let factor = 1.0 + 0.85 * (square.sqrt() / 0.4 - 1.0);
        close(selection.spread_factor(), factor);
        let growth = 1.0 + 0.45 * (502.0_f64 / 500.0).ln();
        close(selection.exploration(), growth * 2.01_f64.sqrt() * factor);
        // Average and own evaluation are both 0.2; 0.8 of the prior is tried.
        close(selection.first_play, 0.2 - 0.1 * 0.8_f64.sqrt());
        let quiet = SearchParams {
            utility_stdev_scale: 0.0,
            cpuct_log: 0.0,
            ..params
        };
        close(
            Selection::new(&tree, NodeId::ROOT, &quiet).exploration(),
            2.01_f64.sqrt(),
        );
    }

    #[test]
    fn values_are_the_movers() {
        let params = SearchParams {
            cpuct: 0.0,
            cpuct_log: 0.0,
            ..SearchParams::default()
        };
        let pick = |side| {
            select(
                &tree(side, &[0.5, 0.5], &[0.5, -0.1]),
                NodeId::ROOT,
                &params,
            )
        };
        assert_eq!(pick(Side::First), 0);
        assert_eq!(pick(Side::Second), 1);
    }

    #[test]
    fn playouts_in_flight_count_as_lost() {
        let params = SearchParams {
            cpuct: 0.0,
            cpuct_log: 0.0,
            ..SearchParams::default()
        };
        let mut tree = tree(Side::Second, &[0.5, 0.5], &[-0.5, -0.4]);
        assert_eq!(select(&tree, NodeId::ROOT, &params), 0);
        tree.enter(tree.root().edges[0].child);
        let arm = Selection::new(&tree, NodeId::ROOT, &params).arm(0);
        close(arm.value, 0.5 + (-1.0 - 0.5) * 0.5);
        close(arm.weight, 2.0);
        assert_eq!(select(&tree, NodeId::ROOT, &params), 1);
        let count_only = SearchParams {
            virtual_loss_in_value: false,
            ..params
        };
        assert_eq!(select(&tree, NodeId::ROOT, &count_only), 0);
    }
}
