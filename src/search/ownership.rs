//! Expected ownership, averaged over the tree (KataGo's rule): a node's own evaluation keeps the
//! fraction that its weight has, its children share the rest by the squares of their weights, so
//! that good moves count for more than their visits.

use std::collections::HashSet;

use super::node::{Edge, Node, NodeId};
use super::tree::Tree;

/// Minimal fraction of the whole, times a power of the visits, for a node's children to be visited.
const LEAST_SHARE: f64 = 0.5;
const VISITS_POWER: f64 = 0.75;

/// Fraction of that minimum below which a node is counted as its parent.
const DROPPED_PART: f64 = 0.01;

/// Expected ownership of points in the evaluator's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    /// +1 for the side to move at the root.
    pub mean: Vec<f32>,
    /// Standard deviation over the tree.
    pub stdev: Vec<f32>,
}

/// An entry of the traversal's stack.
enum Visit {
    /// A node with its fraction of the whole.
    Enter(NodeId, f64),
    /// The end of a node's subtree.
    Leave(NodeId),
}

/// Sums over the nodes so far, +1 for the first player.
struct Sums {
    mean: Vec<f64>,
    square: Vec<f64>,
}

/// The average below `top`, multiplied by `sign`; `None` if its evaluation has no ownership.
pub(super) fn average(tree: &Tree, top: NodeId, sign: f64) -> Option<Ownership> {
    let node = tree.node(top);
    let points = node.ownership()?.len();
    let least = LEAST_SHARE / f64::from(node.visits.max(1)).powf(VISITS_POWER);
    let mut sums = Sums {
        mean: vec![0.0; points],
        square: vec![0.0; points],
    };
    let mut path = HashSet::new();
    let mut stack = vec![Visit::Enter(top, 1.0)];
    while let Some(visit) = stack.pop() {
        let (id, share) = match visit {
            Visit::Enter(id, share) => (id, share),
            Visit::Leave(id) => {
                path.remove(&id.index());
                continue;
            }
        };
        let node = tree.node(id);
        let mut own_share = share;
        if share >= least && !node.edges.is_empty() && path.insert(id.index()) {
            stack.push(Visit::Leave(id));
            own_share = divide(tree, node, share, least * DROPPED_PART, &mut stack);
        }
        sums.add(node.ownership().unwrap_or_default(), own_share);
    }
    Some(sums.ownership(sign))
}

/// Pushes children with their parts of a node's fraction; returns the rest for the node itself.
fn divide(tree: &Tree, node: &Node, share: f64, dropped: f64, stack: &mut Vec<Visit>) -> f64 {
    let weight = |edge: &Edge| tree.child(edge).weight_through(edge.visits);
    let total: f64 = node.edges.iter().map(weight).sum();
    let squares: f64 = node.edges.iter().map(|edge| weight(edge).powi(2)).sum();
    let own_weight = node.own_weight.max(1e-10);
    let mut own_share = share * own_weight / (total + own_weight);
    let for_children = share - own_share;
    if squares <= 0.0 {
        return share;
    }
    for edge in &node.edges {
        let part = weight(edge).powi(2) / squares * for_children;
        // Finished games have no evaluation.
        if part < dropped || tree.child(edge).ownership().is_none() {
            own_share += part;
        } else {
            stack.push(Visit::Enter(edge.child, part));
        }
    }
    own_share
}

impl Sums {
    fn add(&mut self, ownership: &[f32], share: f64) {
        let sums = self.mean.iter_mut().zip(&mut self.square);
        for ((mean, square), &owner) in sums.zip(ownership) {
            let owner = f64::from(owner);
            *mean += share * owner;
            *square += share * owner * owner;
        }
    }

    fn ownership(&self, sign: f64) -> Ownership {
        let stdev = |(mean, square): (&f64, &f64)| (square - mean * mean).max(0.0).sqrt() as f32;
        Ownership {
            mean: self.mean.iter().map(|mean| (sign * mean) as f32).collect(),
            stdev: self.mean.iter().zip(&self.square).map(stdev).collect(),
        }
    }
}
