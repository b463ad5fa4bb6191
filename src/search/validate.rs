//! Consistency check of a whole tree, for tests.

use super::node::{Averages, Edge, Node, NodeId, NodeState};
use super::tree::Tree;

/// Tolerance for rounding.
const TOLERANCE: f64 = 1e-9;

/// The first inconsistency of the tree, if any.
pub(super) fn check(tree: &Tree, max_utility: f64) -> Result<(), String> {
    if tree.in_flight() != 0 {
        return Err(format!("{} leaves are in flight", tree.in_flight()));
    }
    if tree.is_empty() {
        return Ok(());
    }
    for id in tree.ids() {
        check_node(tree, id, max_utility).map_err(|fault| format!("node {id:?}: {fault}"))?;
    }
    Ok(())
}

fn check_node(tree: &Tree, id: NodeId, max_utility: f64) -> Result<(), String> {
    let node = tree.node(id);
    if node.in_flight != 0 || node.state == NodeState::Evaluating {
        return Err(format!("{} in flight, {:?}", node.in_flight, node.state));
    }
    let edge_visits: u32 = node.edges.iter().map(|edge| edge.visits).sum();
    let goes_on = node.state == NodeState::Expanded && !node.moves.is_empty();
    // Visits end at proven nodes.
    let is_counted = match node.proof {
        Some(_) => node.visits > edge_visits,
        None => node.visits == edge_visits + 1,
    };
    if goes_on && !is_counted {
        return Err(format!("{} visits, {edge_visits} by edges", node.visits));
    }
    if node.moves.len() != node.priors.len() || node.edges.len() > node.moves.len() {
        return Err("moves, priors and edges do not fit".to_string());
    }
    if node
        .guide()
        .is_some_and(|table| table.len() != node.moves.len())
    {
        return Err("moves and their second policy do not fit".to_string());
    }
    if node
        .amaf()
        .is_some_and(|table| table.len() != node.moves.len())
    {
        return Err("moves and their RAVE statistics do not fit".to_string());
    }
    for edge in &node.edges {
        if edge.visits > tree.child(edge).visits {
            return Err(format!(
                "{} edge visits, child {}",
                edge.visits,
                tree.child(edge).visits
            ));
        }
    }
    check_averages(tree, id, node, max_utility)
}

fn check_averages(tree: &Tree, id: NodeId, node: &Node, max_utility: f64) -> Result<(), String> {
    // A child visited through other parents meanwhile has changed.
    let is_behind = |edge: &Edge| edge.visits != tree.child(edge).visits;
    if !node.is_visited() || node.edges.iter().any(is_behind) {
        return Ok(());
    }
    let computed = tree.computed(id);
    let off = distance(&computed.averages, &node.averages)
        .max((computed.weight - node.weight).abs())
        .max((computed.weight_sq - node.weight_sq).abs());
    if off.is_nan() || off > TOLERANCE {
        return Err(format!("averages are off by {off}"));
    }
    if node.averages.utility.abs() > max_utility + TOLERANCE {
        return Err(format!("utility {}", node.averages.utility));
    }
    Ok(())
}

fn distance(a: &Averages, b: &Averages) -> f64 {
    let mut difference = *a;
    difference.add_scaled(b, -1.0);
    let Averages {
        win_loss,
        no_result,
        score,
        score_sq,
        lead,
        utility,
        utility_sq,
    } = difference;
    [
        win_loss, no_result, score, score_sq, lead, utility, utility_sq,
    ]
    .iter()
    .fold(0.0, |largest: f64, part| {
        if part.is_nan() {
            *part
        } else {
            largest.max(part.abs())
        }
    })
}
