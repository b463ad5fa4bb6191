//! The moves of a game with their variations, as a tree, and the line of it that is shown.

mod variations;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::game::{Stage, Value};
use crate::clock::Clock;
use crate::go::{Color, IllegalMove, Move, PerColor, Position};

/// Moves of a game with all its variations.
pub(super) const MOST_NODES: usize = 10_000;

/// The name of a node, which it keeps.
pub(super) type NodeId = usize;

/// A move and what is known of the position after it.
pub(super) struct Node {
    parent: Option<NodeId>,
    /// None at the root alone.
    mv: Option<(Color, Move)>,
    /// The first goes on with the game, the others begin variations.
    children: Vec<NodeId>,
    /// The child that was in the line last.
    chosen: Option<NodeId>,
    pub(super) comment: String,
    /// What a search has found.
    pub(super) value: Option<Value>,
    /// How far the game had come when the line ended here.
    pub(super) stage: Stage,
    /// The clocks after the move, in games with clocks.
    pub(super) clocks: Option<Box<PerColor<Clock>>>,
    /// Whether it was played here, and does not come from a record.
    pub(super) is_played: bool,
}

/// A way to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) id: NodeId,
    pub(super) color: Color,
    pub(super) mv: Move,
    /// Whether it is part of the line.
    pub(super) is_shown: bool,
}

/// A game with its variations.
pub(super) struct Tree {
    nodes: BTreeMap<NodeId, Node>,
    next: NodeId,
    /// The nodes from the root to the end of the line.
    path: Vec<NodeId>,
    /// The position at the end of the line.
    position: Position,
}

impl Node {
    fn new(parent: Option<NodeId>, mv: Option<(Color, Move)>) -> Node {
        Node {
            parent,
            mv,
            children: Vec::new(),
            chosen: None,
            comment: String::new(),
            value: None,
            stage: Stage::Playing,
            clocks: None,
            is_played: false,
        }
    }
}

impl Tree {
    /// The game that led to a position.
    pub(super) fn new(position: Position) -> Tree {
        let moves: Vec<(Color, Move)> = position.moves().collect();
        let mut tree = Tree {
            nodes: BTreeMap::from([(0, Node::new(None, None))]),
            next: 1,
            path: vec![0],
            position,
        };
        for mv in moves {
            let id = tree.insert(tree.end(), mv, false);
            tree.path.push(id);
        }
        tree
    }

    /// The position at the end of the line.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The position at the end of the line, to be changed otherwise than by moves.
    pub(super) fn position_mut(&mut self) -> &mut Position {
        &mut self.position
    }

    fn end(&self) -> NodeId {
        self.path[self.path.len() - 1]
    }

    /// Whether there is any move, in the line or beside it.
    pub(super) fn has_moves(&self) -> bool {
        self.nodes.len() > 1
    }

    /// The node at the end of the line.
    pub(super) fn last(&self) -> &Node {
        &self.nodes[&self.end()]
    }

    pub(super) fn last_mut(&mut self) -> &mut Node {
        let end = self.end();
        self.nodes.get_mut(&end).expect("the path is in the tree")
    }

    /// The node after `turn` moves of the line.
    pub(super) fn at(&self, turn: usize) -> Option<&Node> {
        self.path.get(turn).map(|id| &self.nodes[id])
    }

    pub(super) fn at_mut(&mut self, turn: usize) -> Option<&mut Node> {
        let id = self.path.get(turn)?;
        self.nodes.get_mut(id)
    }

    /// The nodes of the line from the root on.
    pub(super) fn line(&self) -> impl Iterator<Item = &Node> {
        self.path.iter().map(|id| &self.nodes[id])
    }

    /// The position after `turn` moves of the line, with whoever moved then to move; none if there are fewer.
    pub(super) fn position_at(&self, turn: usize) -> Option<Position> {
        let mut position = self.position.clone();
        let mut next = None;
        for _ in turn..position.turn() {
            next = position.undo().map(|(color, _)| color);
        }
        if let Some(color) = next {
            position.set_to_move(color);
        }
        (position.turn() == turn).then_some(position)
    }

    fn insert(&mut self, parent: NodeId, mv: (Color, Move), is_first: bool) -> NodeId {
        let id = self.next;
        self.next += 1;
        self.nodes.insert(id, Node::new(Some(parent), Some(mv)));
        if let Some(node) = self.nodes.get_mut(&parent) {
            match is_first {
                true => node.children.insert(0, id),
                false => node.children.push(id),
            }
            node.chosen = Some(id);
        }
        id
    }

    /// An error if no move may be added.
    pub(super) fn check_room(&self) -> Result<()> {
        let has_room = self.nodes.len() < MOST_NODES;
        ensure!(
            has_room,
            "a game has at most {MOST_NODES} moves with all its variations"
        );
        Ok(())
    }

    /// Adds a move after `turn` moves of the line, which ends with it; `after` is the position then. It goes on with
    /// the game if it is the first there or `is_game`, else it begins a variation.
    pub(super) fn add(&mut self, turn: usize, mv: (Color, Move), after: Position, is_game: bool) {
        self.path.truncate(turn + 1);
        let id = self.insert(self.end(), mv, is_game);
        self.path.push(id);
        self.last_mut().is_played = true;
        self.position = after;
    }

    /// All moves were played here.
    pub(super) fn set_played(&mut self) {
        for node in self.nodes.values_mut() {
            node.is_played = true;
        }
    }

    /// The ways to go on after `turn` moves of the line.
    pub(super) fn branches(&self, turn: usize) -> Vec<Branch> {
        let next = self.path.get(turn + 1);
        let children = self.at(turn).map_or(&[][..], |node| &node.children);
        let branches = children.iter().filter_map(|id| {
            let (color, mv) = self.nodes[id].mv?;
            let is_shown = next == Some(id);
            Some(Branch {
                id: *id,
                color,
                mv,
                is_shown,
            })
        });
        branches.collect()
    }

    /// Turns of the line where there are several ways to go on, or where it could go on but ends.
    pub(super) fn turns_with_branches(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.path.len()).filter(|&turn| {
            let children = self.nodes[&self.path[turn]].children.len();
            children > usize::from(turn + 1 < self.path.len())
        })
    }

    /// Has the line go on after `turn` moves with one of the branches there, to its end.
    pub(super) fn go_on_with(&mut self, turn: usize, branch: NodeId) -> Result<()> {
        let mut moves = vec![branch];
        while let Some(next) = self.continuation(moves[moves.len() - 1], true) {
            moves.push(next);
        }
        self.lead(turn, &moves)
    }

    /// Has the line be the game without variations.
    pub(super) fn go_to_game(&mut self) -> Result<()> {
        let game = self.game();
        let common = self.path.iter().zip(&game).take_while(|(a, b)| a == b);
        let turn = common.count().saturating_sub(1);
        self.lead(turn, &game[turn + 1..])
    }

    /// The child that was chosen last, or the one of the game.
    fn continuation(&self, id: NodeId, as_chosen: bool) -> Option<NodeId> {
        let node = &self.nodes[&id];
        let chosen = node
            .chosen
            .filter(|id| as_chosen && node.children.contains(id));
        chosen.or(node.children.first().copied())
    }

    /// The nodes of the game without variations.
    fn game(&self) -> Vec<NodeId> {
        let mut game = vec![self.path[0]];
        while let Some(next) = self.continuation(game[game.len() - 1], false) {
            game.push(next);
        }
        game
    }

    /// How many moves of the game come from its record.
    pub(super) fn moves_of_record(&self) -> usize {
        let game = self.game().into_iter().skip(1);
        game.take_while(|id| !self.nodes[id].is_played).count()
    }

    /// The node at the end of the game without variations.
    pub(super) fn last_of_game(&self) -> &Node {
        let game = self.game();
        &self.nodes[&game[game.len() - 1]]
    }

    /// Whether the line is the game, up to its end.
    pub(super) fn is_game(&self) -> bool {
        self.path == self.game()
    }

    /// Has the line go on with these nodes after `turn` moves.
    fn lead(&mut self, turn: usize, ids: &[NodeId]) -> Result<()> {
        let position = self.position_after(turn, ids)?;
        self.path.truncate(turn + 1);
        for &id in ids {
            let end = self.end();
            if let Some(node) = self.nodes.get_mut(&end) {
                node.chosen = Some(id);
            }
            self.path.push(id);
        }
        self.position = position;
        Ok(())
    }

    /// The position after `turn` moves of the line and those of these nodes.
    fn position_after(&self, turn: usize, ids: &[NodeId]) -> Result<Position> {
        let mut position = self.position.clone();
        while position.turn() > turn && position.undo().is_some() {}
        for id in ids {
            let mv = self.nodes[id].mv.context("no move")?;
            play_on(&mut position, mv)
                .ok()
                .context("an impossible move")?;
        }
        Ok(position)
    }

    /// Takes the last move of the line back, and out of the tree if it was played here and nothing follows it; false at
    /// the start.
    pub(super) fn take_back(&mut self) -> bool {
        if self.position.undo().is_none() {
            return false;
        }
        let Some(id) = self.path.pop() else {
            return false;
        };
        let node = &self.nodes[&id];
        if node.is_played && node.children.is_empty() {
            self.nodes.remove(&id);
            let end = self.end();
            if let Some(parent) = self.nodes.get_mut(&end) {
                parent.children.retain(|child| *child != id);
            }
        }
        true
    }

    /// The position at the end of the game without variations.
    pub(super) fn position_of_game(&self) -> Result<Position> {
        let game = self.game();
        let common = self.path.iter().zip(&game).take_while(|(a, b)| a == b);
        let turn = common.count().saturating_sub(1);
        self.position_after(turn, &game[turn + 1..])
    }
}

/// Plays a move that has been played before; after two passes that resumes the game.
fn play_on(position: &mut Position, (color, mv): (Color, Move)) -> Result<(), IllegalMove> {
    position.resume();
    position.play_reported(color, mv)
}
