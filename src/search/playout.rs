//! The two halves of a playout: gather descends to a leaf, apply adds its evaluation.
//!
//! Between them the tree is free for other threads. A playout that meets a node which is being
//! evaluated (a collision) is given up, which undoes it completely.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use smallvec::SmallVec;

use super::evaluator::{Evaluation, Evaluator, Request};
use super::game::{Game, MoveCode};
use super::guide::{Way, select_guided};
use super::node::{Edge, GuideTable, NodeId, NodeState, OwnerMap};
use super::params::SearchParams;
use super::restrictions::Restrictions;
use super::root::{Candidate, sort_by_prior};
use super::select::select;
use super::tree::{Expansion, Tree};
use super::utility::Leaf;

/// An edge on the way down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub node: NodeId,
    pub edge_index: u16,
    /// Whether the playout counts here and above.
    pub counts: bool,
}

/// The path from the root to the parent of a leaf.
pub(super) type Path = Vec<Step>;

/// A leaf that is being evaluated.
#[derive(Debug)]
pub(super) struct PendingLeaf {
    path: Path,
    node: NodeId,
}

/// Result of a descent.
pub(super) enum Descent<G> {
    /// At a leaf that needs an evaluation.
    Leaf(PendingLeaf, G),
    /// At the end of the game, or where an edge has fewer visits than its node; the visit has been
    /// backed up.
    Finished,
    /// At a leaf that another playout is evaluating. Until it is given up, the playout counts as in flight on its
    /// path, so that the next one goes elsewhere.
    Collision(PendingLeaf),
}

impl Tree {
    /// Gathers one playout. The root must be expanded and `root` be its position, of which `copy` may be a copy.
    /// Moves are played only where the position is needed, so that a collision costs little.
    pub fn descend<G: Game>(
        &mut self,
        root: &G,
        copy: &mut Option<G>,
        params: &SearchParams,
    ) -> Descent<G> {
        let mut path = Path::new();
        let mut codes: SmallVec<[MoveCode; 32]> = SmallVec::new();
        let mut reached: Option<G> = None;
        let mut id = NodeId::ROOT;
        self.enter(id);
        loop {
            let way = self.way(id, params);
            let index = self.selected(id, params, way);
            let counts = way != Way::Weightless;
            path.push(Step {
                node: id,
                edge_index: u16::try_from(index).expect("move codes are 16 bits wide"),
                counts,
            });
            let code = self.node(id).moves[index];
            let tried = self.node(id).edges.get(index).copied();
            let edge = match (tried, &mut reached) {
                (Some(edge), Some(position)) => {
                    position.play(code);
                    edge
                }
                (Some(edge), None) => edge,
                (None, _) => {
                    let position = reached.take();
                    let mut position = position.unwrap_or_else(|| after(root, copy, &codes));
                    let edge = self.try_move(id, code, &mut position, params);
                    reached = Some(position);
                    edge
                }
            };
            codes.push(code);
            let is_cycle = path.iter().any(|step| step.node == edge.child);
            if is_cycle || counts && self.child(&edge).visits > edge.visits {
                self.back_up_path(&path);
                return Descent::Finished;
            }
            id = edge.child;
            self.enter(id);
            match self.node(id).state {
                // Where no move is allowed, the position itself is a result, and so is a proven one.
                NodeState::Expanded
                    if !self.node(id).moves.is_empty() && self.node(id).proof.is_none() => {}
                NodeState::Expanded | NodeState::Terminal => {
                    self.back_up(&path, id);
                    return Descent::Finished;
                }
                NodeState::Evaluating => {
                    return Descent::Collision(PendingLeaf { path, node: id });
                }
                NodeState::New => {
                    self.node_mut(id).state = NodeState::Evaluating;
                    self.begin_flight();
                    let position = reached.unwrap_or_else(|| after(root, copy, &codes));
                    return Descent::Leaf(PendingLeaf { path, node: id }, position);
                }
            }
        }
    }

    /// Expands an evaluated leaf with the moves allowed there and counts its playout.
    pub fn apply(
        &mut self,
        leaf: &PendingLeaf,
        mut expansion: Expansion,
        restrictions: &Restrictions,
    ) {
        if !restrictions.end_at_root() {
            let side = self.node(leaf.node).to_move;
            let depth = leaf.path.len() as u32;
            expansion.retain(|code| !restrictions.forbids(side, code, depth));
        }
        let games = std::mem::take(&mut expansion.games);
        self.expand(leaf.node, expansion);
        self.back_up(&leaf.path, leaf.node);
        self.learn(&leaf.path, leaf.node, &games);
        self.end_flight();
    }

    /// Undoes a playout whose evaluation failed.
    pub fn cancel(&mut self, leaf: &PendingLeaf) {
        self.node_mut(leaf.node).state = NodeState::New;
        self.give_up(leaf);
        self.end_flight();
    }

    /// Undoes a playout that met another one.
    pub fn give_up(&mut self, leaf: &PendingLeaf) {
        self.leave(leaf.node);
        for step in &leaf.path {
            self.leave(step.node);
        }
    }

    /// Index of the move to follow; if it is untried, the next to be tried.
    fn selected(&mut self, id: NodeId, params: &SearchParams, way: Way) -> usize {
        if way == Way::Own {
            return self.brought_forward(id, select(self, id, params));
        }
        let index = select_guided(self, id, params, way);
        let next = self.node(id).edges.len();
        if index > next {
            self.node_mut(id).bring_untried(index);
        }
        index.min(next)
    }

    /// Index of the move at `index` after it is tried: tried moves precede untried ones.
    fn brought_forward(&mut self, id: NodeId, index: usize) -> usize {
        let next = self.node(id).edges.len();
        if index > next {
            self.node_mut(id).swap_untried(index, next);
            return next;
        }
        index
    }

    /// Tries the next untried move of `parent`: adds an edge to its node, which is new unless other
    /// moves have led there before.
    fn try_move<G: Game>(
        &mut self,
        parent: NodeId,
        code: MoveCode,
        position: &mut G,
        params: &SearchParams,
    ) -> Edge {
        let pattern = match params.bias_factor > 0.0 {
            true => position.pattern(code),
            false => None,
        };
        position.play(code);
        let transposition = match params.graph_search {
            true => position.transposition(),
            false => None,
        };
        let known = transposition.and_then(|key| self.known(key, position.to_move()));
        let child = known.unwrap_or_else(|| {
            let child = self.add_node(position.to_move(), transposition);
            match (result_of(position, params), pattern) {
                (Some(result), _) => self.end(child, result),
                (None, Some(pattern)) => self.link(child, pattern),
                (None, None) => {}
            }
            child
        });
        self.add_edge(parent, child)
    }
}

/// The position after some moves from `root`, of which `copy` may be a copy.
fn after<G: Game>(root: &G, copy: &mut Option<G>, codes: &[MoveCode]) -> G {
    let mut position = copy.take().unwrap_or_else(|| root.clone());
    codes.iter().for_each(|&code| position.play(code));
    position
}

/// The result of a finished game as a leaf. An integer score is taken as half a point to either
/// side, since the next finer komi would decide it (KataGo).
fn result_of<G: Game>(position: &G, params: &SearchParams) -> Option<Leaf> {
    let outcome = position.outcome()?;
    let is_whole = params.score_scale > 0.0 && outcome.score.fract() == 0.0;
    Some(Leaf {
        win_loss: outcome.win_loss,
        no_result: if outcome.no_result { 1.0 } else { 0.0 },
        score_mean: outcome.score,
        score_stdev: if is_whole && !outcome.no_result {
            0.5
        } else {
            0.0
        },
        lead: outcome.score,
        errors: None,
    })
}

/// Evaluates positions and prepares the results for the tree, without holding its lock.
pub(super) fn evaluate<G: Game>(
    evaluator: &dyn Evaluator<G>,
    requests: &[Request<G>],
) -> Result<Vec<Expansion>> {
    let answers = evaluator.evaluate(requests)?;
    ensure!(
        answers.len() == requests.len(),
        "the evaluator gave {} answers to {} requests",
        answers.len(),
        requests.len()
    );
    requests
        .iter()
        .zip(&answers)
        .map(|(r, answer)| Expansion::new(&r.position, answer))
        .collect()
}

impl Expansion {
    /// Sorts the moves by prior and converts values to the first player's point of view.
    ///
    /// Fails if the policy does not fit the legal moves or a value is not finite.
    pub fn new<G: Game>(position: &G, evaluation: &Evaluation) -> Result<Expansion> {
        let policy = &evaluation.policy;
        let mut moves: Vec<MoveCode> = Vec::with_capacity(policy.len());
        position.legal_moves(&mut moves);
        ensure!(
            !moves.is_empty(),
            "a position that is not over has no legal move"
        );
        ensure!(
            policy.len() == moves.len(),
            "a policy of {} for {} legal moves",
            policy.len(),
            moves.len()
        );
        ensure!(
            policy.iter().all(|p| p.is_finite()),
            "a prior is not finite"
        );
        let mut candidates: Vec<Candidate> = moves
            .iter()
            .zip(policy)
            .map(|(&code, &prior)| Candidate {
                code,
                prior: prior.max(0.0),
            })
            .collect();
        sort_by_prior(&mut candidates);
        Ok(Expansion {
            guide: guide(&moves, &candidates, evaluation)?,
            leaf: seen_by_first(position, evaluation)?,
            is_certain: evaluation.is_certain,
            moves: candidates.iter().map(|c| c.code).collect(),
            priors: candidates.iter().map(|c| c.prior).collect(),
            ownership: owners_seen_by_first(position, evaluation)?,
            games: evaluation.games.clone(),
        })
    }
}

/// The second policy in the order of the candidates, if there is one. `moves` are in the evaluation's order.
fn guide(
    moves: &[MoveCode],
    candidates: &[Candidate],
    evaluation: &Evaluation,
) -> Result<Option<Box<GuideTable>>> {
    let guide = &evaluation.guide;
    if guide.is_empty() {
        return Ok(None);
    }
    ensure!(
        guide.len() == moves.len() && guide.iter().all(|p| p.is_finite()),
        "a second policy of {} for {} legal moves, or one that is not finite",
        guide.len(),
        moves.len()
    );
    let known: HashMap<MoveCode, f32> = moves.iter().copied().zip(guide.iter().copied()).collect();
    let ordered = candidates.iter().map(|it| known[&it.code].max(0.0));
    Ok(Some(Box::new(GuideTable(ordered.collect()))))
}

/// `None` if not known.
fn owners_seen_by_first<G: Game>(
    position: &G,
    evaluation: &Evaluation,
) -> Result<Option<Box<OwnerMap>>> {
    let ownership = &evaluation.ownership;
    if ownership.is_empty() {
        return Ok(None);
    }
    ensure!(
        ownership.iter().all(|owner| owner.is_finite()),
        "an expected owner is not finite"
    );
    let sign = position.to_move().sign() as f32;
    let map = ownership.iter().map(|owner| sign * owner).collect();
    Ok(Some(Box::new(OwnerMap(map))))
}

fn seen_by_first<G: Game>(position: &G, evaluation: &Evaluation) -> Result<Leaf> {
    let sign = position.to_move().sign() as f32;
    let leaf = Leaf {
        win_loss: sign * evaluation.win_loss,
        no_result: evaluation.no_result,
        score_mean: sign * evaluation.score_mean,
        score_stdev: evaluation.score_stdev,
        lead: sign * evaluation.lead,
        errors: evaluation.errors,
    };
    let values = [
        leaf.win_loss,
        leaf.no_result,
        leaf.score_mean,
        leaf.score_stdev,
        leaf.lead,
    ];
    let errors = evaluation.errors.unwrap_or_default();
    ensure!(
        (0.0..f32::INFINITY).contains(&errors.win_loss)
            && (0.0..f32::INFINITY).contains(&errors.score),
        "an evaluation expects impossible errors: {} of the value, {} of the score",
        errors.win_loss,
        errors.score
    );
    ensure!(
        values.iter().all(|x| x.is_finite()),
        "an evaluation is not finite: {leaf:?}"
    );
    ensure!(
        leaf.win_loss.abs() <= 1.0 + 1e-4,
        "a value outside [-1, 1]: {}",
        leaf.win_loss
    );
    Ok(leaf)
}
