//! The order of all positions of a tree; its variations for a record, and those of a record for a tree.

use anyhow::Result;

use super::{Node, NodeId, Tree, play_on};
use crate::formats::sgf::{SideLine, SideNode};
use crate::go::{Color, Move, Position};

impl Tree {
    /// All nodes, each after its parent, children in order: the game first, then its variations.
    pub(in crate::serve) fn in_order(&self) -> Vec<NodeId> {
        self.below(self.path[0])
            .into_iter()
            .map(|(id, _)| id)
            .collect()
    }

    /// The place of the line's end in that order.
    pub(in crate::serve) fn place_of_end(&self) -> usize {
        let end = self.end();
        self.in_order()
            .iter()
            .position(|id| *id == end)
            .unwrap_or_default()
    }

    /// Has the line end at a node.
    pub(in crate::serve) fn go_to(&mut self, id: NodeId) -> Result<()> {
        let mut path = vec![id];
        while let Some(parent) = self.nodes[&path[path.len() - 1]].parent {
            path.push(parent);
        }
        path.reverse();
        self.lead(0, &path[1..])
    }

    pub(in crate::serve) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[&id]
    }

    pub(in crate::serve) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    /// A node and all below it in order, with the places of their parents.
    fn below(&self, root: NodeId) -> Vec<(NodeId, Option<usize>)> {
        let (mut found, mut waiting) = (Vec::new(), vec![(root, None)]);
        while let Some((id, parent)) = waiting.pop() {
            found.push((id, parent));
            let here = Some(found.len() - 1);
            let children = self.nodes[&id].children.iter().rev();
            waiting.extend(children.map(|&child| (child, here)));
        }
        found
    }

    /// The variations of the game, for its record.
    pub(in crate::serve) fn variations(&self) -> Vec<SideLine> {
        let size = self.position.size();
        let mut lines = Vec::new();
        for (turn, id) in self.game().into_iter().enumerate() {
            for &child in self.nodes[&id].children.iter().skip(1) {
                let nodes = self.below(child).into_iter().filter_map(|(id, parent)| {
                    let node = &self.nodes[&id];
                    let mv = node.mv?;
                    Some(SideNode::of_move(parent, size, mv, &node.comment))
                });
                let nodes = nodes.collect();
                lines.push(SideLine { turn, nodes });
            }
        }
        lines
    }

    /// Adds the variations of a record whose game this is so far, those with fewer than `turns` moves before them; if
    /// the game has so many moves, those that repeat it do not go on with it. Left out are these, set-ups within
    /// variations, impossible moves and what is too much, each with what follows; their number.
    pub(in crate::serve) fn add_variations(&mut self, lines: &[SideLine], turns: usize) -> usize {
        let (mut left_out, mut start) = (0, None);
        for line in lines {
            // Those of a turn follow each other.
            let known = start.take().filter(|it: &Position| it.turn() == line.turn);
            start = known.or_else(|| self.position_at(line.turn));
            left_out += match &mut start {
                Some(position) if line.turn < turns => self.add_variation(line, turns, position),
                _ => 1,
            };
        }
        left_out
    }

    /// Adds a variation; `position` is the one before it, and is so again afterwards.
    fn add_variation(&mut self, line: &SideLine, turns: usize, position: &mut Position) -> usize {
        let size = position.size();
        let start = position.turn();
        // The node of each part of the variation with the moves before what follows it; none if it is left out.
        let mut places: Vec<Option<(NodeId, usize)>> = Vec::with_capacity(line.nodes.len());
        let mut left_out = 0;
        for part in &line.nodes {
            let from = match part.parent {
                None => Some((self.path[start], start)),
                Some(parent) => places[parent],
            };
            let Some((parent, turn)) = from else {
                places.push(None);
                continue;
            };
            while position.turn() > turn && position.undo().is_some() {}
            let place = match part.first_move(size) {
                _ if part.sets_up() => None,
                None => Some((parent, turn)),
                Some(_) if parent == self.end() && turn >= turns => None,
                Some(mv) => {
                    let id = self.take_in(parent, mv, position);
                    id.map(|id| (id, turn + 1))
                }
            };
            match place.and_then(|(id, _)| self.nodes.get_mut(&id)) {
                Some(node) => {
                    let comment = part.comment();
                    if !comment.is_empty() && !node.comment.is_empty() {
                        node.comment.push('\n');
                    }
                    node.comment += &comment;
                }
                None => left_out += 1,
            }
            places.push(place);
        }
        while position.turn() > start && position.undo().is_some() {}
        left_out
    }

    /// The node of a move after another one, which is added unless it is there; plays it. None if it is impossible or
    /// there is no room.
    fn take_in(
        &mut self,
        parent: NodeId,
        mv: (Color, Move),
        position: &mut Position,
    ) -> Option<NodeId> {
        let known = self.child(parent, mv);
        if known.is_none() {
            self.check_room().ok()?;
        }
        play_on(position, mv).ok()?;
        Some(known.unwrap_or_else(|| self.insert_beside(parent, mv)))
    }

    /// Adds a variation without going to it.
    fn insert_beside(&mut self, parent: NodeId, mv: (Color, Move)) -> NodeId {
        let chosen = self.nodes[&parent].chosen;
        let id = self.insert(parent, mv, false);
        if let Some(node) = self.nodes.get_mut(&parent) {
            node.chosen = chosen;
        }
        id
    }

    fn child(&self, parent: NodeId, mv: (Color, Move)) -> Option<NodeId> {
        let children = self.nodes[&parent].children.iter().copied();
        let mut same = children.filter(|child| self.nodes[child].mv == Some(mv));
        same.next()
    }
}
