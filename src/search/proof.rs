//! Proven results. A node is won if a move leads to a node that is lost for the other side; its result is
//! that of its best move once all have been proven. Visits end at proven nodes, and moves that are proven
//! lost are not selected any more (Winands, Björnsson and Saito 2008, "Monte-Carlo Tree Search Solver").

use super::node::{Node, NodeId};
use super::tree::Tree;
use super::utility::Leaf;

/// A certain result, from the first player's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Won,
    Drawn,
    Lost,
}

/// What is proven of a move, for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Lost,
    Drawn,
    Won,
}

impl Proof {
    /// Of a value for the first player that is certain.
    pub fn of(win_loss: f32) -> Proof {
        match win_loss {
            0.5.. => Proof::Won,
            ..=-0.5 => Proof::Lost,
            _ => Proof::Drawn,
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
    /// What is proven of the move of a tried edge.
    pub fn fate(&self, node: &Node, index: usize) -> Option<Fate> {
        let proof = self.child(node.edges.get(index)?).proof?;
        let value = f64::from(proof.leaf().win_loss) * node.to_move.sign();
        Some(match value {
            0.5.. => Fate::Won,
            ..=-0.5 => Fate::Lost,
            _ => Fate::Drawn,
        })
    }

    /// Notes what the children prove of a node, if proofs are wanted.
    pub fn prove(&mut self, id: NodeId) {
        let node = self.node(id);
        if !self.valuation().proves || node.proof.is_some() || node.edges.is_empty() {
            return;
        }
        let fates = (0..node.edges.len()).map(|index| self.fate(node, index));
        let best = fates.clone().flatten().max();
        let is_complete =
            node.edges.len() == node.moves.len() && fates.clone().all(|it| it.is_some());
        let decided = best.filter(|&best| best == Fate::Won || is_complete);
        let Some(place) = decided.and_then(|best| fates.clone().position(|it| it == Some(best)))
        else {
            return;
        };
        if let Some(proof) = self.child(&node.edges[place]).proof {
            self.set_proof(id, proof);
        }
    }

    /// Notes that a node's own value is certain, if it is and proofs are wanted.
    pub fn note_certain(&mut self, id: NodeId, is_certain: bool) {
        if is_certain && self.valuation().proves {
            self.node_mut(id).proof = Some(Proof::of(self.node(id).own.win_loss));
        }
    }

    /// Makes a node one whose result is certain.
    fn set_proof(&mut self, id: NodeId, proof: Proof) {
        self.node_mut(id).proof = Some(proof);
        self.set_own(id, proof.leaf());
    }

    /// Changes weights for the choice among a node's moves: a proven win alone has one, and a proven loss none unless the
    /// node is lost.
    pub fn prefer_proven(&self, node: &Node, weights: &mut [f64]) {
        let fate = |index| self.fate(node, index);
        let won = (0..weights.len()).find(|&index| fate(index) == Some(Fate::Won));
        for (index, weight) in weights.iter_mut().enumerate() {
            match won {
                Some(won) if won == index => *weight = weight.max(1.0),
                Some(_) => *weight = 0.0,
                None if node.proof.is_none() && fate(index) == Some(Fate::Lost) => *weight = 0.0,
                None => {}
            }
        }
    }
}
