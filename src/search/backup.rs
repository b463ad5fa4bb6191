//! Backup: a finished playout counts at every node of its path, and each node is recomputed.
//!
//! A node reached by several moves is visited through one edge at a time; its other parents are
//! updated when they are next visited. A node is a function of its own evaluation, its children,
//! and the observed errors of evaluations like its own. Nothing is accumulated, since the weight of
//! old samples may change later. A child enters with the fraction of its weight that belongs to
//! this parent's edge, adjusted as in [`super::weighting`]. Terminal nodes gain one more sample of
//! the same result per visit.

use smallvec::SmallVec;

use super::bias::BiasRule;
use super::node::{Averages, Node, NodeId, NodeState};
use super::params::SearchParams;
use super::playout::Path;
use super::tree::Tree;
use super::utility::LeafUtility;
use super::weighting::{Sample, Weighting};

/// Least weight of children from which an evaluation's error is learned.
const TELLING_WEIGHT: f64 = 1e-10;

/// Parameters of averages, fixed during a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Valuation {
    pub utility: LeafUtility,
    pub weighting: Weighting,
    pub bias: BiasRule,
    /// Whether certain results are passed on to parents.
    pub proves: bool,
}

impl Valuation {
    /// `expected_score` is the expected score at the root from the first player's point of view;
    /// `knows_errors` is whether the evaluator gives error estimates.
    pub fn new(params: &SearchParams, expected_score: f64, knows_errors: bool) -> Valuation {
        Valuation {
            utility: LeafUtility::new(params, expected_score),
            weighting: Weighting::new(params, knows_errors),
            bias: BiasRule::new(params),
            proves: false,
        }
    }
}

/// Averages and their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Computed {
    pub averages: Averages,
    pub weight: f64,
    /// Sum of the squared weights of independent samples.
    pub weight_sq: f64,
}

/// Sums over a node's children.
#[derive(Clone, Copy, Debug, Default)]
struct Children {
    sums: Averages,
    weight: f64,
    weight_sq: f64,
    /// Sum of the weights before adjustment.
    full_weight: f64,
}

impl Tree {
    /// Counts a playout that ended at `leaf`, which is expanded or terminal.
    pub fn back_up(&mut self, path: &Path, leaf: NodeId) {
        self.node_mut(leaf).visits += 1;
        self.recompute(leaf);
        self.leave(leaf);
        self.back_up_path(path);
    }

    /// Counts a playout that ends at the node of its path's last edge, which has more visits than
    /// that edge and is well enough known. A weightless step counts neither there nor above.
    pub fn back_up_path(&mut self, path: &Path) {
        let mut counts = true;
        for step in path.iter().rev() {
            counts &= step.counts;
            self.leave(step.node);
            if counts {
                let node = self.node_mut(step.node);
                node.edges[usize::from(step.edge_index)].visits += 1;
                node.visits += 1;
                self.recompute(step.node);
            }
        }
        if !counts {
            self.count_weightless();
        }
    }

    /// Recomputes a node's averages and weights from its own evaluation and its children, and
    /// records the evaluation's error.
    pub fn recompute(&mut self, id: NodeId) {
        self.prove(id);
        let children = self.children(id);
        self.correct(id, &children);
        let computed = with_own(self.node(id), &children);
        let node = self.node_mut(id);
        node.averages = computed.averages;
        node.weight = computed.weight;
        node.weight_sq = computed.weight_sq;
    }

    /// The result of [`Tree::recompute`] without new information about errors.
    pub fn computed(&self, id: NodeId) -> Computed {
        with_own(self.node(id), &self.children(id))
    }

    /// Records the error observed at a node, and corrects its evaluation by all recorded ones.
    fn correct(&mut self, id: NodeId, children: &Children) {
        let node = self.node(id);
        let own = node.own_utility;
        let mut corrected = own;
        let mut bias = node.bias;
        if let (Some(link), None) = (&mut bias, node.proof) {
            let rule = self.valuation().bias;
            if children.weight > TELLING_WEIGHT {
                let average = children.sums.utility / children.weight;
                let observation = rule.observation(children.full_weight, average, own);
                self.biases_mut().record(link, observation);
            }
            corrected += self.biases().correction(link, &rule);
        }
        let node = self.node_mut(id);
        node.bias = bias;
        node.corrected_utility = corrected;
    }

    fn children(&self, id: NodeId) -> Children {
        let node = self.node(id);
        let mut samples: SmallVec<[Sample; 16]> = SmallVec::new();
        let mut nodes: SmallVec<[&Node; 16]> = SmallVec::new();
        let mut children = Children::default();
        for (edge, &prior) in node.edges.iter().zip(&node.priors) {
            let child = self.child(edge);
            let weight = child.weight_through(edge.visits);
            if weight > 0.0 {
                children.full_weight += weight;
                nodes.push(child);
                samples.push(Sample {
                    weight,
                    value: child.utility_for(node.to_move),
                    prior: f64::from(prior),
                });
            }
        }
        self.valuation().weighting.adjust(&mut samples);
        for (child, sample) in nodes.iter().zip(&samples) {
            children.sums.add_scaled(&child.averages, sample.weight);
            children.weight += sample.weight;
            children.weight_sq += (sample.weight / child.weight).powi(2) * child.weight_sq;
        }
        children
    }
}

/// A node's own evaluation, or its result once per visit, combined with its children.
fn with_own(node: &Node, children: &Children) -> Computed {
    let nothing = Children::default();
    let children = match node.proof {
        Some(_) => &nothing,
        None => children,
    };
    let samples = match node.state {
        NodeState::New | NodeState::Evaluating => return Computed::default(),
        NodeState::Terminal => f64::from(node.visits),
        // No move is allowed: all visits end here.
        NodeState::Expanded if node.moves.is_empty() || node.proof.is_some() => {
            f64::from(node.visits)
        }
        NodeState::Expanded => 1.0,
    };
    let own = Averages::of(&node.own, node.corrected_utility);
    let own_weight = samples * node.own_weight;
    let weight = children.weight + own_weight;
    let mut sums = children.sums;
    sums.add_scaled(&own, own_weight);
    let mut averages = Averages::default();
    if weight > 0.0 {
        averages.add_scaled(&sums, 1.0 / weight);
    }
    Computed {
        averages,
        weight,
        weight_sq: children.weight_sq + own_weight * node.own_weight,
    }
}
