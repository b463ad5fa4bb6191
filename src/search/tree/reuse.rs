//! Reuse of a subtree: nodes below the played move are kept, all others are dropped.

use super::super::game::Side;
use super::super::node::{Node, NodeId};
use super::Tree;

impl Tree {
    /// Copies the nodes below `top` into a new arena, level by level and without recursion.
    pub(super) fn keep_subtree(&mut self, top: NodeId) {
        let mut places: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        places[top.index()] = Some(NodeId::ROOT);
        let mut kept = vec![self.take(top)];
        let mut next = 0;
        while next < kept.len() {
            for i in 0..kept[next].edges.len() {
                let old = kept[next].edges[i].child;
                kept[next].edges[i].child = *places[old.index()].get_or_insert_with(|| {
                    kept.push(self.take(old));
                    NodeId::at(kept.len() - 1)
                });
            }
            next += 1;
        }
        self.transpositions.retain(|_, id| {
            let place = places[id.index()].filter(|&place| place != NodeId::ROOT);
            *id = place.unwrap_or(NodeId::ROOT);
            place.is_some()
        });
        self.bytes = kept.iter().map(Node::bytes).sum();
        let dropped = std::mem::replace(&mut self.nodes, kept);
        self.forget_biases(&dropped);
    }

    /// Takes a node out of the arena.
    fn take(&mut self, id: NodeId) -> Node {
        std::mem::replace(self.node_mut(id), Node::new(Side::First))
    }

    /// Removes the contributions of dropped nodes to the error table. The root's is removed too,
    /// since its evaluation is not corrected.
    fn forget_biases(&mut self, dropped: &[Node]) {
        let rule = self.valuation.bias;
        let links = dropped.iter().filter_map(|node| node.bias.as_ref());
        links.for_each(|link| self.biases.unlink(link, &rule));
        if let Some(link) = self.root_mut().bias.take() {
            self.biases.unlink(&link, &rule);
        }
        self.biases
            .compact(self.nodes.iter_mut().filter_map(|node| node.bias.as_mut()));
    }
}
