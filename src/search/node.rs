//! Nodes and edges of the tree: plain data, owned by the thread that holds the tree.
//!
//! Averages are from the first player's point of view and recomputed from the children, never
//! accumulated. Edge `i` of a node belongs to move `i` of its list: moves are tried in the order of
//! the list, in descending order of the prior, and the tried ones come first.

use super::bias::BiasLink;
use super::game::{MoveCode, Side};
use super::proof::Proof;
use super::utility::Leaf;

/// Number of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The root is always the first node of the arena.
    pub const ROOT: NodeId = NodeId(0);

    /// The node at an index of the arena.
    pub fn at(index: usize) -> NodeId {
        NodeId(u32::try_from(index).expect("the memory limit keeps the arena below 2^32 nodes"))
    }

    /// Index in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tried move: its child, and how often this parent has selected it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub child: NodeId,
    pub visits: u32,
}

/// State of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NodeState {
    /// Created, but no evaluation is in progress.
    #[default]
    New,
    /// A thread is waiting for its evaluation.
    Evaluating,
    /// Evaluated: it has moves and an own evaluation.
    Expanded,
    /// The game is over here.
    Terminal,
}

/// Weighted averages over a node's own evaluation and those of its subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Averages {
    pub win_loss: f64,
    pub no_result: f64,
    pub score: f64,
    pub score_sq: f64,
    pub lead: f64,
    pub utility: f64,
    pub utility_sq: f64,
}

impl Averages {
    /// One sample.
    pub fn of(leaf: &Leaf, utility: f64) -> Averages {
        let mean = f64::from(leaf.score_mean);
        let stdev = f64::from(leaf.score_stdev);
        Averages {
            win_loss: f64::from(leaf.win_loss),
            no_result: f64::from(leaf.no_result),
            score: mean,
            score_sq: mean * mean + stdev * stdev,
            lead: f64::from(leaf.lead),
            utility,
            utility_sq: utility * utility,
        }
    }

    /// Adds `factor` times `other`.
    pub fn add_scaled(&mut self, other: &Averages, factor: f64) {
        self.win_loss += factor * other.win_loss;
        self.no_result += factor * other.no_result;
        self.score += factor * other.score;
        self.score_sq += factor * other.score_sq;
        self.lead += factor * other.lead;
        self.utility += factor * other.utility;
        self.utility_sq += factor * other.utility_sq;
    }

    /// Standard deviation of the score.
    pub fn score_stdev(&self) -> f64 {
        (self.score_sq - self.score * self.score).max(0.0).sqrt()
    }
}

/// Expected ownership of each point in the evaluator's order, +1 for the first player. Behind two
/// pointers, since few searches use it.
#[derive(Clone, Debug)]
pub(super) struct OwnerMap(pub Box<[f32]>);

/// All-moves-as-first statistics of a move (RAVE).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Amaf {
    /// Games in which the side to move played it first.
    pub games: f32,
    /// Sum of their results, from that side's point of view.
    pub results: f32,
}

/// The same for each move of a node. Behind two pointers, too.
#[derive(Clone, Debug)]
pub(super) struct AmafTable(pub Box<[Amaf]>);

/// Probabilities of a second policy for the moves of a node. Behind two pointers, too.
#[derive(Clone, Debug)]
pub(super) struct GuideTable(pub Box<[f32]>);

/// A position in the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Meaningless until the first visit has been backed up.
    pub averages: Averages,
    /// Sum of the weights behind the averages, own evaluation included.
    pub weight: f64,
    /// Sum of the squared weights of independent samples.
    pub weight_sq: f64,
    /// Utility of `own` for the first player.
    pub own_utility: f64,
    /// The same with the bias correction that was used for the averages.
    pub corrected_utility: f64,
    /// Weight of the own evaluation, or of one visit if the game is over.
    pub own_weight: f64,
    /// The entry for errors of evaluations like this one.
    pub bias: Option<BiasLink>,
    /// The node's own evaluation, or the result if the game is over.
    pub own: Leaf,
    /// Visits backed up, including the own evaluation.
    pub visits: u32,
    /// Playouts in flight below this node.
    pub in_flight: u32,
    pub moves: Box<[MoveCode]>,
    /// Aligned with `moves`.
    pub priors: Box<[f32]>,
    pub edges: Vec<Edge>,
    /// Expected ownership, if requested and known.
    pub ownership: Option<Box<OwnerMap>>,
    /// RAVE statistics, aligned with `moves`, if the evaluator plays games out.
    pub amaf: Option<Box<AmafTable>>,
    /// A second policy, aligned with `moves`, where there is one.
    pub guide: Option<Box<GuideTable>>,
    pub state: NodeState,
    pub to_move: Side,
    /// The result, if it is certain and proofs are wanted.
    pub proof: Option<Proof>,
}

/// Kept small, since selection reads every child of every node on its path.
const _: () = assert!(size_of::<Node>() <= 256);
const _: () = assert!(size_of::<Edge>() == 8);

impl Node {
    /// A node without evaluation.
    pub fn new(to_move: Side) -> Node {
        Node {
            averages: Averages::default(),
            weight: 0.0,
            weight_sq: 0.0,
            own_utility: 0.0,
            corrected_utility: 0.0,
            own_weight: 1.0,
            bias: None,
            own: Leaf::default(),
            visits: 0,
            in_flight: 0,
            moves: Box::default(),
            priors: Box::default(),
            edges: Vec::new(),
            ownership: None,
            amaf: None,
            guide: None,
            state: NodeState::New,
            to_move,
            proof: None,
        }
    }

    /// Whether a visit has been backed up.
    pub fn is_visited(&self) -> bool {
        self.visits > 0
    }

    /// Average utility for `side`.
    pub fn utility_for(&self, side: Side) -> f64 {
        side.sign() * self.averages.utility
    }

    /// Part of this node's weight that belongs to an edge with `edge_visits` of its visits.
    pub fn weight_through(&self, edge_visits: u32) -> f64 {
        if edge_visits == self.visits {
            return self.weight;
        }
        self.weight * f64::from(edge_visits) / f64::from(self.visits.max(1))
    }

    /// Expected ownership of each point, +1 for the first player.
    pub fn ownership(&self) -> Option<&[f32]> {
        self.ownership.as_ref().map(|map| &*map.0)
    }

    /// RAVE statistics.
    pub fn amaf(&self) -> Option<&[Amaf]> {
        self.amaf.as_ref().map(|table| &*table.0)
    }

    /// Swaps two moves that have not been tried.
    pub fn swap_untried(&mut self, a: usize, b: usize) {
        self.moves.swap(a, b);
        self.priors.swap(a, b);
        if let Some(table) = &mut self.amaf {
            table.0.swap(a, b);
        }
        if let Some(table) = &mut self.guide {
            table.0.swap(a, b);
        }
    }

    /// Memory used, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Node>()
            + self.ownership().map_or(0, size_of_val)
            + self.amaf().map_or(0, size_of_val)
            + self.guide().map_or(0, size_of_val)
            + self.moves.len() * (size_of::<MoveCode>() + size_of::<f32>())
            + self.edges.capacity() * size_of::<Edge>()
    }
}
