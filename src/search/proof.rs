//! Proven results. A node is won if a move leads to a node that is lost for the other side; its result is
//! that of its best move once all have been proven. Visits end at proven nodes, and moves that are proven
//! lost are not selected any more (Winands, Björnsson and Saito 2008, "Monte-Carlo Tree Search Solver").

use super::game::Side;
use super::node::{Node, NodeId};
use super::tree::Tree;
use super::utility::Leaf;

/// A certain result, from worst to best for one of the sides: in nodes for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    Lost,
    Drawn,
    Won,
}

impl Proof {
    /// Of a value that is certain.
    fn of(win_loss: f32) -> Proof {
        match win_loss {
            0.5.. => Proof::Won,
            ..=-0.5 => Proof::Lost,
            _ => Proof::Drawn,
        }
    }

    /// The first player's result as that of a side, and the other way round.
    fn seen_by(self, side: Side) -> Proof {
        match (side, self) {
            (Side::Second, Proof::Lost) => Proof::Won,
            (Side::Second, Proof::Won) => Proof::Lost,
            _ => self,
        }
    }

    /// As the result of a game.
    fn leaf(self) -> Leaf {
        Leaf {
            win_loss: match self {
                Proof::Won => 1.0,
                Proof::Drawn => 0.0,
                Proof::Lost => -1.0,
            },
            ..Leaf::default()
        }
    }
}

impl Tree {
    /// What is proven of a tried move, for the side that makes it.
    pub fn fate(&self, node: &Node, index: usize) -> Option<Proof> {
        let proof = self.child(node.edges.get(index)?).proof?;
        Some(proof.seen_by(node.to_move))
    }

    /// Notes what the children prove of a node, if proofs are wanted.
    pub fn prove(&mut self, id: NodeId) {
        let node = self.node(id);
        if !self.valuation().proves || node.proof.is_some() {
            return;
        }
        let fates = (0..node.edges.len()).map(|index| self.fate(node, index));
        let is_complete =
            node.edges.len() == node.moves.len() && fates.clone().all(|fate| fate.is_some());
        let best = fates.flatten().max();
        if let Some(best) = best.filter(|&best| best == Proof::Won || is_complete) {
            let proof = best.seen_by(node.to_move);
            self.node_mut(id).proof = Some(proof);
            self.set_own(id, proof.leaf());
        }
    }

    /// Takes a node's own value as proven, if it is certain and proofs are wanted.
    pub fn note_certain(&mut self, id: NodeId, is_certain: bool) {
        if is_certain && self.valuation().proves {
            self.node_mut(id).proof = Some(Proof::of(self.node(id).own.win_loss));
        }
    }

    /// Changes weights for the choice among a node's moves: a proven win alone has one, and a proven loss none unless the
    /// node is lost.
    pub fn prefer_proven(&self, node: &Node, weights: &mut [f64]) {
        let fate = |index| self.fate(node, index);
        let proof = node.proof.map(|proof| proof.seen_by(node.to_move));
        let won = (0..weights.len()).find(|&index| fate(index) == Some(Proof::Won));
        for (index, weight) in weights.iter_mut().enumerate() {
            match won {
                Some(won) if won == index => *weight = weight.max(1.0),
                Some(_) => *weight = 0.0,
                None if proof != Some(Proof::Lost) && fate(index) == Some(Proof::Lost) => {
                    *weight = 0.0;
                }
                None => {}
            }
        }
    }
}
