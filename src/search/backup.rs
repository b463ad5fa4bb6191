//! Backup: a finished playout counts at every node of its path, and each is computed anew.
//!
//! A node is a pure function of its own evaluation and its children. Nothing is accumulated, since
//! the weight of old samples may change later. A child enters with the share of its weight that
//! belongs to this parent's edge. Terminal nodes gain one more sample of the same result per visit.

use super::node::{Averages, NodeId, NodeState};
use super::playout::Path;
use super::tree::Tree;

/// Weight of a node's own evaluation.
const OWN_WEIGHT: f64 = 1.0;

impl Tree {
    /// Counts a playout that ended at `leaf`, which is expanded or terminal by now.
    pub fn back_up(&mut self, path: &Path, leaf: NodeId) {
        self.node_mut(leaf).visits += 1;
        self.recompute(leaf);
        self.leave(leaf);
        for step in path.iter().rev() {
            let node = self.node_mut(step.node);
            node.edges[usize::from(step.edge_index)].visits += 1;
            node.visits += 1;
            self.leave(step.node);
            self.recompute(step.node);
        }
    }

    /// Computes a node's averages and weights from its own evaluation and its children.
    pub fn recompute(&mut self, id: NodeId) {
        let (averages, weight, weight_sq) = self.computed(id);
        let node = self.node_mut(id);
        node.averages = averages;
        node.weight = weight;
        node.weight_sq = weight_sq;
    }

    /// What [`Tree::recompute`] would store: averages, weight and sum of squared weights.
    pub fn computed(&self, id: NodeId) -> (Averages, f64, f64) {
        let node = self.node(id);
        let own = Averages::of(&node.own, node.own_utility);
        match node.state {
            NodeState::New | NodeState::Evaluating => (Averages::default(), 0.0, 0.0),
            NodeState::Terminal => {
                let samples = f64::from(node.visits);
                (own, samples * OWN_WEIGHT, samples * OWN_WEIGHT * OWN_WEIGHT)
            }
            NodeState::Expanded => self.with_children(id, &own),
        }
    }

    fn with_children(&self, id: NodeId, own: &Averages) -> (Averages, f64, f64) {
        let mut sums = Averages::default();
        sums.add_scaled(own, OWN_WEIGHT);
        let mut weight = OWN_WEIGHT;
        let mut weight_sq = OWN_WEIGHT * OWN_WEIGHT;
        for edge in self.node(id).edges.iter().filter(|edge| edge.visits > 0) {
            let child = self.child(edge);
            let share = child.weight_through(edge.visits);
            sums.add_scaled(&child.averages, share);
            weight += share;
            weight_sq += (share / child.weight).powi(2) * child.weight_sq;
        }
        let mut averages = Averages::default();
        averages.add_scaled(&sums, 1.0 / weight);
        (averages, weight, weight_sq)
    }
}
