//! Choice of a move: a weight for each tried move of a node (KataGo's scheme).
//!
//! A move's weight is its visits, less those of exploration that would not be repeated; the move
//! with the best lower confidence bound gets more than those it surpasses. Values are from the
//! point of view of the side to move at the node.

use super::game::MoveCode;
use super::node::{Averages, Edge, Node, NodeId};
use super::params::SearchParams;
use super::root;
use super::select::Selection;
use super::tree::Tree;

/// Weight of a unit of prior in the search for the reference move.
const PRIOR_AS_WEIGHT: f64 = 2.0;

/// Fraction of its lead that a better bound adds to the other's radius; the gain is at most the
/// square of its inverse.
const BOUND_DAMPING: f64 = 0.2;

/// Added to mean squares, so that the variance is positive.
const LEAST_VARIANCE: f64 = 1e-8;

/// A lower confidence bound of a move's utility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    /// Utility less radius.
    pub value: f64,
    pub radius: f64,
}

/// Weights for choosing among the root's tried moves, aligned with its edges; 0 for too weak and
/// for excluded moves.
pub(super) fn selection_values(
    tree: &Tree,
    params: &SearchParams,
    excluded: &[MoveCode],
) -> Vec<f64> {
    let mut values = deserved_weights(tree, params, excluded);
    favor_lcb(tree, tree.root(), params, &mut values);
    root::prune(&mut values, params.choice_prune, params.choice_subtract);
    scale_up(&mut values);
    tree.prefer_proven(tree.root(), &mut values);
    values
}

/// Scales weights so that the largest is 1 at least, as KataGo does: that of few uncertain visits may be less.
fn scale_up(values: &mut [f64]) {
    let largest = values.iter().fold(0.0_f64, |a, &b| a.max(b));
    if largest > 0.0 && largest < 1.0 {
        values.iter_mut().for_each(|value| *value /= largest);
    }
}

/// The move with the largest weight at an inner node, if any was visited.
pub(super) fn best_edge(tree: &Tree, node: &Node, params: &SearchParams) -> Option<usize> {
    let weights = node.edges.iter();
    let mut values: Vec<f64> = weights
        .map(|edge| tree.child(edge).weight_through(edge.visits))
        .collect();
    tree.prefer_proven(node, &mut values);
    favor_lcb(tree, node, params, &mut values);
    root::first_largest(&values).filter(|&index| values[index] > 0.0)
}

/// Averages of the root without visits of mere exploration.
pub(super) fn deserved_averages(tree: &Tree, params: &SearchParams) -> Averages {
    let root = tree.root();
    if !params.choice_trim || root.proof.is_some() {
        return root.averages;
    }
    let mut values = deserved_weights(tree, params, &[]);
    root::prune(&mut values, params.choice_prune, params.choice_subtract);
    scale_up(&mut values);
    let mut sums = Averages::default();
    sums.add_scaled(
        &Averages::of(&root.own, root.corrected_utility),
        root.own_weight,
    );
    for (edge, value) in root.edges.iter().zip(&values) {
        sums.add_scaled(&tree.child(edge).averages, *value);
    }
    let total = root.own_weight + values.iter().sum::<f64>();
    let mut averages = Averages::default();
    averages.add_scaled(&sums, 1.0 / total);
    averages
}

/// Weights of the root's tried moves, 0 for excluded ones. Except for the leading move, none keeps
/// more visits than the selection would give it now.
fn deserved_weights(tree: &Tree, params: &SearchParams, excluded: &[MoveCode]) -> Vec<f64> {
    let root = tree.root();
    let moves = root.edges.iter().zip(&root.moves);
    let mut weights: Vec<f64> = moves
        .map(|(edge, code)| match excluded.contains(code) {
            true => 0.0,
            false => tree.child(edge).weight_through(edge.visits),
        })
        .collect();
    tree.prefer_proven(root, &mut weights);
    let selection = Selection::new(tree, NodeId::ROOT, params);
    let leading = root::first_largest(&standings(root, &weights));
    if let (Some(leading), true) = (leading, params.choice_trim) {
        let standard = selection.settled_score(leading);
        for (index, weight) in weights.iter_mut().enumerate() {
            if index != leading && *weight > 0.0 {
                let wanted = selection.wanted_weight(index, standard);
                *weight = weight.min(wanted).ceil();
            }
        }
    }
    weights
}

/// Ranking of the leading move: its weight without the first visit, and its prior.
fn standings(root: &Node, weights: &[f64]) -> Vec<f64> {
    let standing = |((edge, weight), &prior): ((&Edge, &f64), &f32)| {
        let visits = f64::from(edge.visits);
        let later = (visits - 1.0).max(0.0) / visits.max(1.0);
        weight * later + PRIOR_AS_WEIGHT * f64::from(prior)
    };
    let moves = root.edges.iter().zip(weights).zip(&root.priors);
    moves.map(standing).collect()
}

/// Raises the weight of the move with the best lower bound above those with more visits but a lower
/// bound that is worse, the more the clearer the difference.
fn favor_lcb(tree: &Tree, node: &Node, params: &SearchParams, values: &mut [f64]) {
    if params.lcb_deviations == 0.0 {
        return;
    }
    let bounds = (0..node.edges.len()).map(|index| bound(tree, node, index, params));
    let bounds: Vec<Bound> = bounds.collect();
    let most = values.iter().fold(0.0_f64, |most, &value| most.max(value));
    let enough = params.lcb_min_share * most;
    let eligible: Vec<f64> = values
        .iter()
        .zip(&bounds)
        .map(|(&value, bound)| match value > 0.0 && value >= enough {
            true => bound.value,
            false => f64::NEG_INFINITY,
        })
        .collect();
    let best = root::first_largest(&eligible).filter(|&index| eligible[index].is_finite());
    let Some(best) = best else {
        return;
    };
    let outdone = values.iter().zip(&bounds).map(|(value, other)| {
        let lead = bounds[best].value - other.value;
        let factor = (other.radius + lead) / (other.radius + BOUND_DAMPING * lead);
        match lead > 0.0 {
            true => value * factor * factor,
            false => 0.0,
        }
    });
    let raised = outdone.fold(values[best], f64::max);
    values[best] = raised;
}

/// The lower bound of a move. A small prior weight of maximal variance is included, which matters
/// to moves with few visits only. At the root the move's bonus counts.
pub(super) fn bound(tree: &Tree, node: &Node, index: usize, params: &SearchParams) -> Bound {
    let edge = &node.edges[index];
    let child = tree.child(edge);
    let range = params.max_utility();
    let weight = child.weight_through(edge.visits);
    let weight_sq = child.weight_sq * f64::from(edge.visits) / f64::from(child.visits.max(1));
    if weight <= 0.0 || weight_sq <= 0.0 {
        let radius = 2.0 * range * params.lcb_deviations;
        return Bound {
            value: -radius,
            radius,
        };
    }
    let mean_sq = child.averages.utility * child.averages.utility;
    let observed = child.averages.utility_sq.max(mean_sq + LEAST_VARIANCE);
    let prior_weight = weight / (weight * weight / weight_sq).powi(3);
    let total = weight + prior_weight;
    let square = (observed * weight + (observed + range * range) * prior_weight) / total;
    let samples = total * total / (weight_sq + prior_weight * prior_weight);
    let radius = params.lcb_deviations * ((square - mean_sq) / samples).sqrt();
    let bonus = match std::ptr::eq(node, tree.root()) {
        true => tree.root_bonus(index),
        false => 0.0,
    };
    Bound {
        value: child.utility_for(node.to_move) + bonus - radius,
        radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_weights_below_one_are_scaled_up() {
        for (given, expected) in [
            ([0.2, 0.1, 0.0], [1.0, 0.5, 0.0]),
            ([2.0, 1.0, 0.5], [2.0, 1.0, 0.5]),
            ([0.0; 3], [0.0; 3]),
        ] {
            let mut values = given;
            scale_up(&mut values);
            assert_eq!(values, expected);
        }
    }
}
