//! The results of a search, as plain data for protocols, records and training targets.

use super::choice::{best_edge, bound, deserved_averages, selection_values};
use super::evaluator::Errors;
use super::game::{MoveCode, Side};
use super::node::{Edge, Node, NodeId};
use super::ownership::{Ownership, average};
use super::params::SearchParams;
use super::root::Candidate;
use super::select::Selection;
use super::tree::Tree;

/// Contents of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Minimal number of moves, if there are as many, including untried ones.
    pub min_moves: usize,
    /// Longest principal variation, in plies.
    pub pv_length: usize,
    /// Whether to include ownership, if the search has requested it.
    pub ownership: bool,
    /// Whether to include ownership for each move.
    pub moves_ownership: bool,
    /// Whether to include the evaluator's policy for the root.
    pub policy: bool,
}

impl Default for Detail {
    fn default() -> Detail {
        Detail {
            min_moves: 0,
            pv_length: 15,
            ownership: false,
            moves_ownership: false,
            policy: false,
        }
    }
}

/// The state of a search, from the point of view of the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Side to move at the root.
    pub to_move: Side,
    /// Visits of the root, including its own evaluation and reused ones.
    pub visits: u32,
    /// Playouts of the latest run.
    pub playouts: u64,
    /// Whether the latest run ended, or is about to end, as no memory was left for the tree.
    pub is_full: bool,
    /// Probability of winning less probability of losing.
    pub win_loss: f64,
    /// Probability of a game without result.
    pub no_result: f64,
    /// The search's objective: `win_loss` combined with the score.
    pub utility: f64,
    /// Expected final score in points.
    pub score_mean: f64,
    /// Standard deviation of the final score; too large, as it includes the variation within the
    /// tree.
    pub score_stdev: f64,
    /// Lead in points: the score change that would make the game even.
    pub lead: f64,
    /// The evaluator's own values for the root.
    pub raw: RawValues,
    /// Weight of all visits.
    pub weight: f64,
    /// Expected ownership, if requested and known.
    pub ownership: Option<Ownership>,
    /// All legal moves with the evaluator's probabilities, without temperature and noise, if
    /// requested.
    pub policy: Vec<(MoveCode, f32)>,
    /// The moves tried, in descending order of preference.
    pub moves: Vec<MoveReport>,
}

/// An evaluation without search, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawValues {
    /// Probability of winning less probability of losing.
    pub win_loss: f64,
    /// Probability of a game without result.
    pub no_result: f64,
    /// Expected final score in points.
    pub score_mean: f64,
    /// Standard deviation of the final score.
    pub score_stdev: f64,
    /// Lead in points.
    pub lead: f64,
    /// Expected errors of the evaluation, if known.
    pub errors: Option<Errors>,
}

impl RawValues {
    fn of(node: &Node) -> RawValues {
        let sign = node.to_move.sign();
        RawValues {
            win_loss: sign * f64::from(node.own.win_loss),
            no_result: node.own.no_result.into(),
            score_mean: sign * f64::from(node.own.score_mean),
            score_stdev: node.own.score_stdev.into(),
            lead: sign * f64::from(node.own.lead),
            errors: node.own.errors,
        }
    }
}

/// One move of the root, from the point of view of the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub code: MoveCode,
    /// The searched move that this is the image of under a symmetry of the position, if it was not
    /// searched itself.
    pub twin_of: Option<MoveCode>,
    /// Visits of the position it leads to.
    pub visits: u32,
    /// Visits through this edge of the root.
    pub edge_visits: u32,
    /// Prior after root temperature and noise.
    pub prior: f32,
    /// Weight of the visits through the edge in the root's average, before adjustments.
    pub weight: f64,
    /// Weight of all visits of the position it leads to.
    pub position_weight: f64,
    /// Weight in the choice of a move.
    pub selection_value: f64,
    /// Winning less losing probability; for a move without visits its first-play value, as far as
    /// values below are known.
    pub win_loss: f64,
    /// Probability of a game without result.
    pub no_result: f64,
    /// Lower confidence bound of `win_loss`; may lie below -1.
    pub win_loss_lcb: f64,
    /// The search's objective.
    pub utility: f64,
    /// Lower confidence bound of `utility`.
    pub utility_lcb: f64,
    /// Expected final score in points.
    pub score_mean: f64,
    /// Standard deviation of the final score.
    pub score_stdev: f64,
    /// Lead in points.
    pub lead: f64,
    /// Principal variation, beginning with this move.
    pub pv: Vec<MoveCode>,
    /// Visits of the variation's positions.
    pub pv_visits: Vec<u32>,
    /// Visits of the variation's edges.
    pub pv_edge_visits: Vec<u32>,
    /// Expected ownership after this move, if requested and known.
    pub ownership: Option<Ownership>,
}

impl Report {
    /// The best move, if any has been tried.
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }

    /// Win rate of the side to move, draws counting half.
    pub fn winrate(&self) -> f64 {
        0.5 * (1.0 + self.win_loss)
    }

    /// The report on a tree's root; `None` if it has no evaluation. `legal` are its moves with the
    /// evaluator's priors; those in `excluded` are left out.
    pub(super) fn of(
        tree: &Tree,
        params: &SearchParams,
        legal: &[Candidate],
        excluded: &[MoveCode],
        playouts: u64,
        is_full: bool,
        detail: Detail,
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
            is_full,
            win_loss: sign * averages.win_loss,
            no_result: averages.no_result,
            utility: sign * averages.utility,
            score_mean: sign * averages.score,
            score_stdev: averages.score_stdev(),
            lead: sign * averages.lead,
            raw: RawValues::of(node),
            weight: node.weight,
            ownership: match detail.ownership {
                true => average(tree, NodeId::ROOT, sign),
                false => None,
            },
            policy: match detail.policy {
                true => legal.iter().map(|it| (it.code, it.prior)).collect(),
                false => Vec::new(),
            },
            moves: move_reports(tree, params, excluded, detail),
        })
    }
}

fn move_reports(
    tree: &Tree,
    params: &SearchParams,
    excluded: &[MoveCode],
    detail: Detail,
) -> Vec<MoveReport> {
    let root = tree.root();
    let values = selection_values(tree, params, excluded);
    let reporter = Reporter::new(tree, params, detail);
    let is_allowed = |index: &usize| !excluded.contains(&root.moves[*index]);
    let tried = (0..values.len()).filter(is_allowed);
    let mut reports: Vec<MoveReport> = tried
        .map(|index| reporter.tried(index, values[index]))
        .collect();
    let untried = (values.len()..root.moves.len()).filter(is_allowed);
    let missing = detail.min_moves.saturating_sub(reports.len());
    reports.extend(untried.take(missing).map(|index| reporter.left_out(index)));
    reports.sort_by(|a, b| {
        (b.edge_visits > 0)
            .cmp(&(a.edge_visits > 0))
            .then(b.selection_value.total_cmp(&a.selection_value))
            .then(b.visits.cmp(&a.visits))
            .then(b.prior.total_cmp(&a.prior))
    });
    reports
}

/// Builds reports on root moves.
struct Reporter<'a> {
    tree: &'a Tree,
    root: &'a Node,
    params: &'a SearchParams,
    detail: Detail,
    sign: f64,
    /// Utility of a move without visits for the side to move.
    first_play: f64,
}

impl<'a> Reporter<'a> {
    fn new(tree: &'a Tree, params: &'a SearchParams, detail: Detail) -> Reporter<'a> {
        let root = tree.root();
        Reporter {
            tree,
            root,
            params,
            detail,
            sign: root.to_move.sign(),
            first_play: Selection::new(tree, NodeId::ROOT, params).first_play(),
        }
    }

    fn tried(&self, index: usize, selection_value: f64) -> MoveReport {
        let edge = &self.root.edges[index];
        let child = self.tree.child(edge);
        let unvisited = MoveReport {
            selection_value,
            visits: child.visits,
            edge_visits: edge.visits,
            ..self.untried(index)
        };
        if !child.is_visited() {
            return unvisited;
        }
        let bound = bound(self.tree, self.root, index, self.params);
        let win_loss = self.sign * child.averages.win_loss;
        let variation = self.variation(index, edge);
        MoveReport {
            weight: child.weight_through(edge.visits),
            position_weight: child.weight,
            win_loss,
            no_result: child.averages.no_result,
            win_loss_lcb: win_loss - self.in_win_loss(bound.radius),
            utility: self.sign * child.averages.utility,
            utility_lcb: bound.value,
            score_mean: self.sign * child.averages.score,
            score_stdev: child.averages.score_stdev(),
            lead: self.sign * child.averages.lead,
            pv: variation.iter().map(|step| step.0).collect(),
            pv_visits: variation.iter().map(|step| step.1).collect(),
            pv_edge_visits: variation.iter().map(|step| step.2).collect(),
            ownership: match self.detail.moves_ownership {
                true => average(self.tree, edge.child, self.sign),
                false => None,
            },
            ..unvisited
        }
    }

    /// A move of which only the prior is known: its utility is the first-play value, other values
    /// are the root's (as in KataGo).
    fn untried(&self, index: usize) -> MoveReport {
        let averages = &self.root.averages;
        let gap = self.first_play - self.sign * averages.utility;
        let win_loss = (self.sign * averages.win_loss + gap).clamp(-1.0, 1.0);
        let radius = 2.0 * self.params.max_utility() * self.params.lcb_deviations;
        MoveReport {
            code: self.root.moves[index],
            twin_of: None,
            visits: 0,
            edge_visits: 0,
            prior: self.root.priors[index],
            weight: 0.0,
            position_weight: 0.0,
            selection_value: 0.0,
            win_loss,
            no_result: averages.no_result,
            win_loss_lcb: win_loss - self.in_win_loss(radius),
            utility: self.first_play,
            utility_lcb: -radius,
            score_mean: self.sign * averages.score,
            score_stdev: averages.score_stdev(),
            lead: self.sign * averages.lead,
            pv: vec![self.root.moves[index]],
            pv_visits: vec![0],
            pv_edge_visits: vec![0],
            ownership: None,
        }
    }

    /// A move that the search has left out: nothing is known of its bounds and its ownership but the root's (as in
    /// KataGo).
    fn left_out(&self, index: usize) -> MoveReport {
        let untried = self.untried(index);
        MoveReport {
            win_loss_lcb: untried.win_loss,
            utility_lcb: untried.utility,
            ownership: match self.detail.moves_ownership {
                true => average(self.tree, NodeId::ROOT, self.sign),
                false => None,
            },
            ..untried
        }
    }

    /// Converts a difference of utilities to one of win less loss.
    fn in_win_loss(&self, difference: f64) -> f64 {
        difference * self.params.win_loss_factor / self.params.max_utility()
    }

    /// The principal variation after a move of the root, which comes first: each move with the
    /// visits of its node and its edge.
    fn variation(&self, index: usize, edge: &Edge) -> Vec<(MoveCode, u32, u32)> {
        let mut node = self.tree.child(edge);
        let mut steps = vec![(self.root.moves[index], node.visits, edge.visits)];
        while steps.len() < self.detail.pv_length {
            let Some(index) = best_edge(self.tree, node, self.params) else {
                break;
            };
            let (code, edge) = (node.moves[index], &node.edges[index]);
            node = self.tree.child(edge);
            steps.push((code, node.visits, edge.visits));
        }
        steps
    }
}
