//! RAVE (Gelly and Silver 2007, 2011): a move is also judged by the games in which it was played
//! later ("all moves as first"), which gives information long before the move has been tried.
//!
//! It needs an evaluator that plays games out. A game counts at each node of a playout's path, for
//! the moves that the side to move there played before its opponent did.

use super::evaluator::PlayedOut;
use super::game::{MoveCode, Side};
use super::node::NodeId;
use super::playout::Path;
use super::select::{Arm, Best, Selection};
use super::tree::Tree;

impl Tree {
    /// Updates the nodes of a path by games that were played out at its end.
    pub(super) fn learn(&mut self, path: &Path, leaf: NodeId, games: &[PlayedOut]) {
        let at_leaf = self.node(leaf).to_move;
        for game in games {
            let for_first = at_leaf.sign() * f64::from(game.win_loss);
            let mut makers = Makers::default();
            for &(side, code) in &game.moves {
                makers.set(code, side);
            }
            self.note(leaf, &makers, for_first);
            for step in path.iter().rev() {
                let node = self.node(step.node);
                makers.set(node.moves[usize::from(step.edge_index)], node.to_move);
                self.note(step.node, &makers, for_first);
            }
        }
    }

    /// Counts a game at one node.
    fn note(&mut self, id: NodeId, makers: &Makers, for_first: f64) {
        let node = self.node_mut(id);
        let Some(table) = &mut node.amaf else {
            return;
        };
        let result = (node.to_move.sign() * for_first) as f32;
        for (code, amaf) in node.moves.iter().zip(table.0.iter_mut()) {
            if makers.of(*code) == Some(node.to_move) {
                amaf.games += 1.0;
                amaf.results += result;
            }
        }
    }
}

/// Which side played each move first, by code.
#[derive(Default)]
struct Makers(Vec<Option<Side>>);

impl Makers {
    fn of(&self, code: MoveCode) -> Option<Side> {
        self.0.get(usize::from(code.0)).copied().flatten()
    }

    fn set(&mut self, code: MoveCode, side: Side) {
        let place = usize::from(code.0);
        if place >= self.0.len() {
            self.0.resize(place + 1, None);
        }
        self.0[place] = Some(side);
    }
}

impl Selection<'_> {
    /// UCB1, with values mixed from a move's own results and its all-moves-as-first results (Gelly
    /// and Silver 2011, hand-selected schedule). Untried moves use the latter.
    pub(super) fn rave(&self) -> usize {
        let Some(table) = self.node.amaf() else {
            return self.ucb1();
        };
        let scale = 2.0 * self.params.max_utility();
        let equivalence = self.params.rave_equivalence;
        let log_total = self.total_weight.max(1.0).ln();
        let middle = self.node.utility_for(self.node.to_move);
        let tried = self.node.edges.len();
        let none_has_prior = self.node.priors.iter().all(|&prior| prior <= 0.0);
        let mut best = Best::default();
        for (index, amaf) in table.iter().enumerate() {
            let arm = match self.node.edges.get(index) {
                Some(_) => self.arm(index),
                None => Arm {
                    value: middle,
                    weight: 0.0,
                },
            };
            if index >= tried && self.node.priors[index] <= 0.0 && !none_has_prior {
                continue;
            }
            let (games, results) = (f64::from(amaf.games), f64::from(amaf.results));
            // A prior of one game with the average result.
            let by_games = (results * self.params.win_loss_factor + middle) / (games + 1.0);
            let share = match games > 0.0 {
                true => (equivalence / (3.0 * arm.weight + equivalence)).sqrt(),
                false => 0.0,
            };
            let value = share * by_games + (1.0 - share) * arm.value;
            let bonus = (log_total / (arm.weight + 1.0)).sqrt();
            let score = value / scale + 0.5 + self.params.ucb1_exploration * bonus;
            best.offer(index, score);
        }
        best.index
    }
}
