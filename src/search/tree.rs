//! The arena of nodes: creation, expansion, reuse of a subtree, memory.
//!
//! The tree knows no game: positions are replayed from the root during descent. Several moves may
//! lead to one node, even in cycles; strictly, the tree is a graph.

use std::collections::HashMap;

use super::backup::Valuation;
use super::bias::{BiasTable, ENTRY_BYTES};
use super::bonus::Bonuses;
use super::evaluator::PlayedOut;
use super::game::{MoveCode, Side};
use super::node::{Amaf, AmafTable, Edge, GuideTable, Node, NodeId, NodeState, OwnerMap};
use super::root::Candidate;
use super::utility::Leaf;

mod reuse;

/// Approximate memory of a transposition's entry in the map, in bytes.
const TRANSPOSITION_BYTES: usize = 2 * size_of::<(u128, NodeId)>();

/// All nodes of one search. Empty until the root has been evaluated.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Parameters of averages.
    valuation: Valuation,
    /// Observed errors of evaluations.
    biases: BiasTable,
    /// Bonuses of root moves.
    bonuses: Bonuses,
    /// Nodes that several moves may lead to.
    transpositions: HashMap<u128, NodeId>,
    /// Playouts in flight.
    in_flight: u32,
    /// Playouts from this root that do not count there.
    weightless: u32,
    /// Random numbers drawn so far.
    draws: u64,
    /// Memory of the nodes, with the edges counted at their last update.
    bytes: usize,
}

impl Tree {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The root; the tree must not be empty.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The node an edge leads to.
    pub fn child(&self, edge: &Edge) -> &Node {
        self.node(edge.child)
    }

    /// All nodes.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::at)
    }

    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Playouts from the root, with those that do not count there.
    pub fn all_visits(&self) -> u64 {
        u64::from(self.root().visits) + u64::from(self.weightless)
    }

    /// Notes a playout that does not count at the root.
    pub fn count_weightless(&mut self) {
        self.weightless += 1;
    }

    /// Another number for each random draw.
    pub fn next_draw(&mut self) -> u64 {
        self.draws += 1;
        self.draws
    }

    /// Memory used, in bytes.
    pub fn bytes(&self) -> usize {
        let transpositions = self.transpositions.len() * TRANSPOSITION_BYTES;
        self.bytes + self.biases.len() * ENTRY_BYTES + transpositions
    }

    pub fn valuation(&self) -> &Valuation {
        &self.valuation
    }

    /// Sets whether certain results are passed on to parents; the tree must be empty.
    pub fn set_proves(&mut self, proves: bool) {
        self.valuation.proves = proves;
    }

    pub fn bonuses(&self) -> &Bonuses {
        &self.bonuses
    }

    /// Sets the bonuses of root moves, until there is another root.
    pub fn set_bonuses(&mut self, bonuses: Bonuses) {
        self.bonuses = bonuses;
    }

    pub fn biases(&self) -> &BiasTable {
        &self.biases
    }

    pub fn biases_mut(&mut self) -> &mut BiasTable {
        &mut self.biases
    }

    /// Creates a root with its evaluation and first visit.
    pub fn plant(&mut self, to_move: Side, expansion: Expansion) {
        self.clear();
        self.push(to_move);
        self.expand(NodeId::ROOT, expansion);
        self.root_mut().visits = 1;
        self.recompute(NodeId::ROOT);
    }

    /// Appends a node, which can be found by `transposition` from now on.
    pub fn add_node(&mut self, to_move: Side, transposition: Option<u128>) -> NodeId {
        let id = self.push(to_move);
        if let Some(key) = transposition {
            self.transpositions.insert(key, id);
        }
        id
    }

    /// The node for a transposition, if there is one with this side to move.
    pub fn known(&self, transposition: u128, to_move: Side) -> Option<NodeId> {
        let id = *self.transpositions.get(&transposition)?;
        (self.node(id).to_move == to_move).then_some(id)
    }

    /// Connects the next untried move of `parent` with `child`.
    pub fn add_edge(&mut self, parent: NodeId, child: NodeId) -> Edge {
        let edge = Edge { child, visits: 0 };
        self.node_mut(parent).edges.push(edge);
        self.bytes += size_of::<Edge>();
        edge
    }

    /// Links a node's evaluation to the errors of others with the same pattern.
    pub fn link(&mut self, id: NodeId, pattern: u128) {
        self.node_mut(id).bias = Some(self.biases.link(pattern));
    }

    /// Gives a node its evaluation and moves.
    pub fn expand(&mut self, id: NodeId, expansion: Expansion) {
        self.node_mut(id).state = NodeState::Expanded;
        self.set_own(id, expansion.leaf);
        self.note_certain(id, expansion.is_certain);
        let node = self.node_mut(id);
        let before = node.bytes();
        node.ownership = expansion.ownership;
        node.moves = expansion.moves;
        node.priors = expansion.priors;
        node.guide = expansion.guide;
        if !expansion.games.is_empty() {
            let table = vec![Amaf::default(); node.moves.len()];
            node.amaf = Some(Box::new(AmafTable(table.into())));
        }
        let after = node.bytes();
        self.bytes += after.saturating_sub(before);
    }

    /// Marks a node where the game is over.
    pub fn end(&mut self, id: NodeId, result: Leaf) {
        self.node_mut(id).state = NodeState::Terminal;
        self.set_own(id, result);
        self.note_certain(id, result.no_result == 0.0);
    }

    /// Replaces the root's own evaluation, keeping its moves and subtree.
    pub fn set_root_evaluation(&mut self, expansion: Expansion) {
        if self.root().proof.is_none() {
            self.set_own(NodeId::ROOT, expansion.leaf);
            self.note_certain(NodeId::ROOT, expansion.is_certain);
        }
        self.root_mut().ownership = expansion.ownership;
        self.recompute(NodeId::ROOT);
    }

    /// Replaces the root's moves by `candidates`, which must be sorted by falling prior. Edges of
    /// moves that are not among them are dropped with their visits.
    pub fn set_root_policy(&mut self, candidates: &[Candidate]) {
        let root = self.root_mut();
        let prior_of = |code: MoveCode| candidates.iter().find(|c| c.code == code);
        let tried: Vec<(Edge, Candidate)> = root
            .edges
            .iter()
            .zip(&root.moves)
            .filter_map(|(&edge, &code)| Some((edge, *prior_of(code)?)))
            .collect();
        let is_tried = |c: &&Candidate| tried.iter().any(|(_, t)| t.code == c.code);
        let untried = candidates.iter().filter(|c| !is_tried(c)).copied();
        let ordered: Vec<Candidate> = tried.iter().map(|(_, c)| *c).chain(untried).collect();
        if let Some(table) = &mut root.amaf {
            let known: HashMap<MoveCode, Amaf> = root
                .moves
                .iter()
                .copied()
                .zip(table.0.iter().copied())
                .collect();
            let of = |c: &Candidate| known.get(&c.code).copied().unwrap_or_default();
            table.0 = ordered.iter().map(of).collect();
        }
        root.moves = ordered.iter().map(|c| c.code).collect();
        root.priors = ordered.iter().map(|c| c.prior).collect();
        root.edges = tried.iter().map(|(edge, _)| *edge).collect();
        root.visits = 1 + root.edges.iter().map(|edge| edge.visits).sum::<u32>();
        self.recompute(NodeId::ROOT);
    }

    /// Sets the second policy of the root's moves; none if it is empty. Moves that it does not have get 0.
    pub fn set_root_guide(&mut self, guide: &HashMap<MoveCode, f32>) {
        let root = self.root_mut();
        let of = |code: &MoveCode| guide.get(code).copied().unwrap_or(0.0);
        let table = GuideTable(root.moves.iter().map(of).collect());
        root.guide = (!guide.is_empty()).then(|| Box::new(table));
    }

    /// Sets the parameters of averages and, if they change anything, recomputes the whole tree.
    pub fn set_valuation(&mut self, valuation: Valuation) {
        if valuation == self.valuation {
            return;
        }
        self.valuation = valuation;
        for id in self.children_first() {
            let own = self.node(id).own;
            self.set_own(id, own);
            self.recompute(id);
        }
    }

    /// Makes the child behind `code` the root and drops everything not below it. If that child has
    /// no evaluation, returns false and leaves an empty tree.
    pub fn advance(&mut self, code: MoveCode) -> bool {
        self.bonuses = Bonuses::default();
        self.weightless = 0;
        let kept = self
            .child_of_root(code)
            .filter(|&id| self.node(id).state == NodeState::Expanded);
        match kept {
            Some(id) => self.keep_subtree(id),
            None => self.clear(),
        }
        kept.is_some()
    }

    /// Adds a playout in flight to each node of its path.
    pub fn enter(&mut self, id: NodeId) {
        self.node_mut(id).in_flight += 1;
    }

    /// Removes a playout in flight.
    pub fn leave(&mut self, id: NodeId) {
        self.node_mut(id).in_flight -= 1;
    }

    /// Adds a pending leaf.
    pub fn begin_flight(&mut self) {
        self.in_flight += 1;
    }

    /// Removes a pending leaf.
    pub fn end_flight(&mut self) {
        self.in_flight -= 1;
    }

    fn clear(&mut self) {
        *self = Tree {
            valuation: self.valuation,
            ..Tree::default()
        };
    }

    fn root_mut(&mut self) -> &mut Node {
        &mut self.nodes[0]
    }

    fn push(&mut self, to_move: Side) -> NodeId {
        let id = NodeId::at(self.nodes.len());
        self.nodes.push(Node::new(to_move));
        self.bytes += size_of::<Node>();
        id
    }

    /// All nodes, children before parents; in cycles, after some of their children.
    fn children_first(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut is_met = vec![false; self.nodes.len()];
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for start in self.ids() {
            if !std::mem::replace(&mut is_met[start.index()], true) {
                path.push((start, 0));
            }
            while let Some((id, next)) = path.last_mut() {
                let Some(edge) = self.node(*id).edges.get(*next) else {
                    order.push(*id);
                    path.pop();
                    continue;
                };
                *next += 1;
                if !std::mem::replace(&mut is_met[edge.child.index()], true) {
                    path.push((edge.child, 0));
                }
            }
        }
        order
    }

    pub(super) fn set_own(&mut self, id: NodeId, leaf: Leaf) {
        let Valuation {
            utility, weighting, ..
        } = self.valuation;
        let node = self.node_mut(id);
        node.own_weight = match node.state {
            NodeState::Terminal => weighting.of_result(),
            _ if node.proof.is_some() => weighting.of_result(),
            _ => weighting.of_leaf(utility.error_of(&leaf)),
        };
        node.own_utility = utility.of(&leaf);
        node.own = leaf;
    }

    fn child_of_root(&self, code: MoveCode) -> Option<NodeId> {
        let root = self.nodes.first()?;
        let index = root.moves.iter().position(|&m| m == code)?;
        root.edges.get(index).map(|edge| edge.child)
    }
}

/// An evaluation in the form that the tree stores.
#[derive(Debug)]
pub(super) struct Expansion {
    pub leaf: Leaf,
    /// Whether the value of `leaf` is no estimate.
    pub is_certain: bool,
    pub moves: Box<[MoveCode]>,
    pub priors: Box<[f32]>,
    pub ownership: Option<Box<OwnerMap>>,
    pub games: Vec<PlayedOut>,
    /// A second policy, if there is one.
    pub guide: Option<Box<GuideTable>>,
}

impl Expansion {
    /// Drops forbidden moves.
    pub fn retain(&mut self, is_allowed: impl Fn(MoveCode) -> bool) {
        if let Some(GuideTable(guide)) = self.guide.as_deref_mut() {
            let both = self.moves.iter().zip(guide.iter());
            let kept = both.filter(|(code, _)| is_allowed(**code));
            *guide = kept.map(|(_, &prior)| prior).collect();
        }
        let both = self.moves.iter().zip(&self.priors);
        let kept = both.filter(|(code, _)| is_allowed(**code));
        let (moves, priors): (Vec<_>, Vec<_>) = kept.unzip();
        (self.moves, self.priors) = (moves.into(), priors.into());
    }
}
