//! What a search has found, as plain data for protocols, records and training targets.

use super::choice::{best_edge, bound, deserved_averages, selection_values};
use super::game::{MoveCode, Side};
use super::node::NodeId;
use super::params::SearchParams;
use super::tree::Tree;

/// Longest principal variation reported, in plies.
const PV_LENGTH: usize = 15;

/// The state of a search. Values are seen by the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Who moves at the root.
    pub to_move: Side,
    /// Visits of the root, its own evaluation and reused ones included.
    pub visits: u32,
    /// Descents made by the latest run.
    pub playouts: u64,
    /// Probability of winning less probability of losing.
    pub win_loss: f64,
    /// Probability of a game without result.
    pub no_result: f64,
    /// What the search maximises: `win_loss` with the score mixed in.
    pub utility: f64,
    /// Expected final score in points.
    pub score_mean: f64,
    /// Standard deviation of the final score; too large, as it adds the tree's spread.
    pub score_stdev: f64,
    /// Points ahead: the score that would make the game even if given away.
    pub lead: f64,
    /// The evaluator's own `win_loss` for the root.
    pub raw_win_loss: f64,
    /// The evaluator's own `lead` for the root.
    pub raw_lead: f64,
    /// The moves tried, the best first.
    pub moves: Vec<MoveReport>,
}

/// One move of the root. Values are seen by the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub code: MoveCode,
    /// Visits of the position it leads to.
    pub visits: u32,
    /// Times the root has chosen it.
    pub edge_visits: u32,
    /// Prior after root temperature and noise.
    pub prior: f32,
    /// Weight of these visits in the root's average, before adjustments.
    pub weight: f64,
    /// How much the choice of move favors it.
    pub selection_value: f64,
    /// Probability of winning less probability of losing.
    pub win_loss: f64,
    /// Lower confidence bound of `win_loss`; may lie below -1.
    pub win_loss_bound: f64,
    /// What the search maximises.
    pub utility: f64,
    /// Lower confidence bound of `utility`.
    pub utility_bound: f64,
    /// Expected final score in points.
    pub score_mean: f64,
    /// Standard deviation of the final score.
    pub score_stdev: f64,
    /// Points ahead.
    pub lead: f64,
    /// Principal variation, beginning with this move.
    pub pv: Vec<MoveCode>,
}

impl Report {
    /// The best move, if any has been tried.
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }

    /// Probability that the side to move wins, drawn games counted half.
    pub fn winrate(&self) -> f64 {
        0.5 * (1.0 + self.win_loss)
    }

    /// The root of a tree; `None` while that has no evaluation. Moves in `excluded` are left out.
    pub(super) fn of(
        tree: &Tree,
        params: &SearchParams,
        excluded: &[MoveCode],
        playouts: u64,
    ) -> Option<Report> {
        if tree.is_empty() {
            return None;
        }
        let node = tree.root();
        let sign = node.to_move.sign();
        let averages = deserved_averages(tree, params);
        Some(Report {
            to_move: node.to_move,
            visits: node.visits,
            playouts,
            win_loss: sign * averages.win_loss,
            no_result: averages.no_result,
            utility: sign * averages.utility,
            score_mean: sign * averages.score,
            score_stdev: averages.score_stdev(),
            lead: sign * averages.lead,
            raw_win_loss: sign * f64::from(node.own.win_loss),
            raw_lead: sign * f64::from(node.own.lead),
            moves: move_reports(tree, params, excluded),
        })
    }
}

fn move_reports(tree: &Tree, params: &SearchParams, excluded: &[MoveCode]) -> Vec<MoveReport> {
    let values = selection_values(tree, params, excluded);
    let mut reports: Vec<MoveReport> = (0..values.len())
        .filter(|&index| !excluded.contains(&tree.root().moves[index]))
        .map(|index| move_report(tree, params, index, values[index]))
        .collect();
    reports.sort_by(|a, b| {
        (b.edge_visits > 0)
            .cmp(&(a.edge_visits > 0))
            .then(b.selection_value.total_cmp(&a.selection_value))
            .then(b.visits.cmp(&a.visits))
            .then(b.prior.total_cmp(&a.prior))
    });
    reports
}

fn move_report(
    tree: &Tree,
    params: &SearchParams,
    index: usize,
    selection_value: f64,
) -> MoveReport {
    let root = tree.root();
    let sign = root.to_move.sign();
    let edge = &root.edges[index];
    let child = tree.child(edge);
    let bound = bound(tree, root, edge, params);
    let win_loss = sign * child.averages.win_loss;
    MoveReport {
        code: root.moves[index],
        visits: child.visits,
        edge_visits: edge.visits,
        prior: root.priors[index],
        selection_value,
        weight: child.weight_through(edge.visits),
        win_loss,
        win_loss_bound: win_loss - bound.radius * params.win_loss_factor / params.max_utility(),
        utility: sign * child.averages.utility,
        utility_bound: bound.value,
        score_mean: sign * child.averages.score,
        score_stdev: child.averages.score_stdev(),
        lead: sign * child.averages.lead,
        pv: principal_variation(tree, params, root.moves[index], edge.child),
    }
}

/// The moves most in favor from a node on, after the move that leads to it.
fn principal_variation(
    tree: &Tree,
    params: &SearchParams,
    first: MoveCode,
    node: NodeId,
) -> Vec<MoveCode> {
    let mut moves = vec![first];
    let mut node = tree.node(node);
    while moves.len() < PV_LENGTH {
        let Some(index) = best_edge(tree, node, params) else {
            break;
        };
        moves.push(node.moves[index]);
        node = tree.child(&node.edges[index]);
    }
    moves
}
