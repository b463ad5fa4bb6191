//! A second policy, the guide: with given probabilities a visit selects its move by another policy than the
//! evaluator's own, for instance that of people whose moves are to be judged (as in KataGo).
//!
//! Such a visit may be weightless: it counts at the move's own position, so that the move is known better, but at
//! none of the positions before, whose averages stay what the search itself makes of them.

use super::node::{GuideTable, Node, NodeId};
use super::params::{SearchParams, SelectionRule};
use super::select::{Best, Selection};
use super::tree::Tree;
use crate::splitmix::scramble;

/// How a visit selects a move at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the search's own rule.
    Own,
    /// By the guide; the visit counts everywhere.
    Guided,
    /// By the guide, counting only below the node.
    Weightless,
}

/// Probabilities of visits by the guide.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GuideShares {
    pub weightless: f64,
    pub weightful: f64,
}

impl SearchParams {
    /// Whether some visits follow the guide.
    pub fn is_guided(&self) -> bool {
        let shares = [self.guide_root(), self.guide_mover(), self.guide_opponent()];
        self.rule == SelectionRule::Puct
            && shares.iter().any(|it| it.weightless + it.weightful > 0.0)
    }

    /// Whether visits follow the guide in positions below the root.
    pub fn is_guided_below_root(&self) -> bool {
        let nothing = GuideShares::default();
        self.is_guided() && (self.guide_mover() != nothing || self.guide_opponent() != nothing)
    }

    /// Whether a tree of one side is of no use to the other, as the guide leads it elsewhere.
    pub(super) fn is_one_sided(&self) -> bool {
        let mover = self.guide_mover();
        self.is_guided() && (mover != self.guide_opponent() || mover != self.guide_root())
    }

    fn guide_root(&self) -> GuideShares {
        GuideShares {
            weightless: self.guide_root_weightless,
            weightful: self.guide_root_weightful,
        }
    }

    fn guide_mover(&self) -> GuideShares {
        GuideShares {
            weightless: self.guide_mover_weightless,
            weightful: self.guide_mover_weightful,
        }
    }

    fn guide_opponent(&self) -> GuideShares {
        GuideShares {
            weightless: self.guide_opponent_weightless,
            weightful: self.guide_opponent_weightful,
        }
    }
}

impl Tree {
    /// How the next visit of a node selects a move.
    pub(super) fn way(&mut self, id: NodeId, params: &SearchParams) -> Way {
        if self.node(id).guide().is_none() || !params.is_guided() {
            return Way::Own;
        }
        let shares = match (id == NodeId::ROOT, self.node(id).to_move) {
            (true, _) => params.guide_root(),
            (false, side) if side == self.root().to_move => params.guide_mover(),
            (false, _) => params.guide_opponent(),
        };
        if shares == GuideShares::default() {
            return Way::Own;
        }
        let bits = scramble(params.seed ^ scramble(self.next_draw()));
        let drawn = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        match drawn {
            drawn if drawn < shares.weightless => Way::Weightless,
            drawn if drawn < shares.weightless + shares.weightful => Way::Guided,
            _ => Way::Own,
        }
    }
}

/// Index of the move to follow by the guide.
pub(super) fn select_guided(tree: &Tree, id: NodeId, params: &SearchParams, way: Way) -> usize {
    let selection = Selection::new(tree, id, params);
    let node = selection.node;
    let Some(guide) = node.guide() else {
        return selection.puct();
    };
    let weights: Vec<f64> = node
        .edges
        .iter()
        .map(|edge| match way {
            Way::Weightless => tree.child(edge).weight,
            _ => tree.child(edge).weight_through(edge.visits),
        })
        .collect();
    let tried = node.edges.len();
    let tried_prior = guide[..tried].iter().map(|&prior| f64::from(prior)).sum();
    let first_play = selection.first_play_after(tried_prior);
    let exploration = exploration(params, weights.iter().sum());
    let mut best = Best::default();
    for (index, &weight) in weights.iter().enumerate() {
        let arm = selection.arm_of(index, weight, first_play);
        let prior = f64::from(guide[index]);
        best.offer(index, arm.value + exploration * prior / (1.0 + arm.weight));
    }
    let untried =
        (tried..guide.len()).max_by(|&a, &b| guide[a].total_cmp(&guide[b]).then(b.cmp(&a)));
    if let Some(untried) = untried {
        let prior = f64::from(guide[untried]);
        best.offer(untried, first_play + exploration * prior);
    }
    best.index
}

/// Factor before P/(1 + w): one part fades with the visits, the other does not.
fn exploration(params: &SearchParams, total_weight: f64) -> f64 {
    let constant = params.guide_cpuct + params.guide_cpuct_permanent * total_weight.sqrt();
    constant * (total_weight + super::select::FIRST_WEIGHT).sqrt()
}

impl Node {
    /// The guide's probabilities of the moves, if it is asked here.
    pub fn guide(&self) -> Option<&[f32]> {
        self.guide.as_ref().map(|table| &*table.0)
    }

    /// Makes an untried move the next to be tried and leaves the others in their order.
    pub fn bring_untried(&mut self, index: usize) {
        let place = self.edges.len();
        self.moves[place..=index].rotate_right(1);
        self.priors[place..=index].rotate_right(1);
        if let Some(GuideTable(table)) = self.guide.as_deref_mut() {
            table[place..=index].rotate_right(1);
        }
        if let Some(table) = &mut self.amaf {
            table.0[place..=index].rotate_right(1);
        }
    }
}
