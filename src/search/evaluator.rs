//! What a search asks of a position, and two evaluators that need no weights.

use anyhow::Result;

use super::game::Game;

/// A position to evaluate and what is wanted of it.
#[derive(Clone, Debug)]
pub struct Request<G> {
    /// The position; its game must not be over.
    pub position: G,
    /// Whether it is the root of the search, where some evaluators answer more cautiously.
    pub is_root: bool,
    /// Whether [`Evaluation::ownership`] is wanted.
    pub wants_ownership: bool,
}

impl<G> Request<G> {
    /// An inner position of a search tree.
    pub fn inner(position: G) -> Request<G> {
        Request {
            position,
            is_root: false,
            wants_ownership: false,
        }
    }

    /// The root of a search.
    pub fn root(position: G) -> Request<G> {
        Request {
            position,
            is_root: true,
            wants_ownership: false,
        }
    }
}

/// What an evaluator thinks of a position. Figures are seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// A probability for each legal move, in the order of [`Game::legal_moves`].
    pub policy: Vec<f32>,
    /// Probability of winning less probability of losing, in [-1, 1].
    pub win_loss: f32,
    /// Probability that the game ends without result.
    pub no_result: f32,
    /// Expected final score in points; 0 where the evaluator knows none.
    pub score_mean: f32,
    /// Standard deviation of the final score in points.
    pub score_stdev: f32,
    /// Points that would have to be given away to make the game even.
    pub lead: f32,
    /// Expected owner of each point, row by row from the top left, +1 for the side to move.
    /// Empty unless asked for and known.
    pub ownership: Vec<f32>,
}

/// Gives values and move probabilities to positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// One answer per request, in order.
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>>;
}
