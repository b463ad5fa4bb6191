//! The interface between a search and its evaluator, and two evaluators without weights.

use std::sync::Arc;

use anyhow::{Context, Result};

use super::game::{Game, MoveCode, Side};
use crate::splitmix::scramble;

/// A request to evaluate a position.
#[derive(Clone, Debug)]
pub struct Request<G> {
    /// The position; its game must not be over.
    pub position: G,
    /// Whether it is the root of the search, where some evaluators are more cautious.
    pub is_root: bool,
    /// Whether to compute [`Evaluation::ownership`].
    pub wants_ownership: bool,
    /// Whether to return [`Evaluation::games`].
    pub wants_games: bool,
}

impl<G> Request<G> {
    /// An inner position of a search tree.
    pub fn inner(position: G) -> Request<G> {
        Request {
            position,
            is_root: false,
            wants_ownership: false,
            wants_games: false,
        }
    }

    /// The root of a search.
    pub fn root(position: G) -> Request<G> {
        Request {
            position,
            is_root: true,
            wants_ownership: false,
            wants_games: false,
        }
    }
}

/// An evaluation of a position, from the point of view of the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// A probability for each legal move, in the order of [`Game::legal_moves`].
    pub policy: Vec<f32>,
    /// The same by a second policy that the search may explore by too. Empty if there is none.
    pub guide: Vec<f32>,
    /// Probability of winning less probability of losing, in [-1, 1].
    pub win_loss: f32,
    /// Whether `win_loss` is certain: 1, 0 or -1 by proof.
    pub is_certain: bool,
    /// Probability that the game ends without result.
    pub no_result: f32,
    /// Expected final score in points; 0 if not known.
    pub score_mean: f32,
    /// Standard deviation of the final score in points.
    pub score_stdev: f32,
    /// Lead in points: the komi change that would make the game even.
    pub lead: f32,
    /// Expected error of the evaluation; `None` if not known.
    pub errors: Option<Errors>,
    /// Expected ownership of each point, row by row from the top left, +1 for the side to move.
    /// Empty unless requested and known.
    pub ownership: Vec<f32>,
    /// Games played out from the position. Empty unless requested and played.
    pub games: Vec<PlayedOut>,
}

/// A game played out by an evaluator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedOut {
    /// The result, from the point of view of the side to move at its start: +1 won, 0 drawn, -1
    /// lost.
    pub win_loss: f32,
    /// The moves played, without repetitions, with the side that played each first.
    pub moves: Vec<(Side, MoveCode)>,
}

/// Expected absolute differences between an evaluation and later ones a few moves on, and the time
/// until the result is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Error of [`Evaluation::win_loss`].
    pub win_loss: f32,
    /// Error of [`Evaluation::score_mean`], in points.
    pub score: f32,
    /// Approximate number of moves until the result is decided.
    pub time_left: f32,
}

/// Gives values and move probabilities to positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// One evaluation per request, in order.
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>>;

    /// The evaluation of one request.
    fn evaluate_one(&self, request: Request<G>) -> Result<Evaluation> {
        let mut answers = self.evaluate(&[request])?;
        answers
            .pop()
            .context("the evaluator left a request unanswered")
    }

    /// Tells evaluators apart by what their answers depend on besides the request, such as a network and
    /// settings: of evaluators with the same fingerprint, equal requests get equal answers. `is_root` as in
    /// [`Request`]. An evaluator's fingerprint never changes.
    fn fingerprint(&self, is_root: bool) -> u64 {
        let _ = is_root;
        0
    }

    /// Tells positions apart by what its answers depend on, see [`Game::key`].
    fn position_key(&self, position: &G) -> u128 {
        position.key()
    }

    /// Registers this thread as a regular source of requests, until the returned value is dropped.
    /// Evaluators that batch requests of several threads wait for those that are registered; so a
    /// thread must not be registered while it waits for another one.
    fn attend(&self) -> Box<dyn Attendance + '_> {
        Box::new(())
    }

    /// How many threads should ask it at once, if it is better that these have several requests each than that
    /// more threads have one.
    fn callers(&self) -> Option<u32> {
        None
    }

    /// Announces a thread that is about to register, until the returned value is dropped: batches wait for it, too.
    fn expect(&self) -> Box<dyn Attendance + Send + '_> {
        Box::new(())
    }
}

/// Registration of a thread, until this is dropped. See [`Evaluator::attend`] and [`Evaluator::expect`].
pub trait Attendance {}

impl Attendance for () {}

/// Of an evaluator that asks another one: threads register with that one.
macro_rules! register_with {
    ($self:ident, $inner:expr) => {
        fn attend(&$self) -> Box<dyn $crate::search::evaluator::Attendance + '_> {
            $inner.attend()
        }

        fn callers(&$self) -> Option<u32> {
            $inner.callers()
        }

        fn expect(&$self) -> Box<dyn $crate::search::evaluator::Attendance + Send + '_> {
            $inner.expect()
        }
    };
}
pub(crate) use register_with;

macro_rules! forward_to_inner {
    ($($pointer:ty),+) => {$(
        impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for $pointer {
            fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
                (**self).evaluate(requests)
            }

            fn fingerprint(&self, is_root: bool) -> u64 {
                (**self).fingerprint(is_root)
            }

            fn position_key(&self, position: &G) -> u128 {
                (**self).position_key(position)
            }

            register_with!(self, (**self));
        }
    )+};
}

forward_to_inner!(&E, Box<E>, Arc<E>);

/// An evaluator for which all moves and positions are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl<G: Game> Evaluator<G> for UniformEvaluator {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        Ok(answers(requests, |_, moves| Evaluation {
            policy: vec![1.0 / moves.len() as f32; moves.len()],
            ..Evaluation::default()
        }))
    }
}

/// Evaluates each request from its position and the legal moves.
fn answers<G: Game>(
    requests: &[Request<G>],
    answer: impl Fn(&G, &[MoveCode]) -> Evaluation,
) -> Vec<Evaluation> {
    let mut moves = Vec::new();
    let one = |request: &Request<G>| {
        request.position.legal_moves(&mut moves);
        answer(&request.position, &moves)
    };
    requests.iter().map(one).collect()
}

/// Pseudorandom policy and value from the position's key, for tests and for measuring a search
/// without a net.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashEvaluator;

impl HashEvaluator {
    fn answer(key: u128, moves: &[MoveCode]) -> Evaluation {
        let seed = scramble(key as u64 ^ scramble((key >> 64) as u64));
        let mut policy: Vec<f32> = moves
            .iter()
            .map(|code| skewed(scramble(seed ^ u64::from(code.0))))
            .collect();
        let total: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|prior| *prior /= total);
        let win_loss = 2.0 * unit(scramble(!seed)) - 1.0;
        Evaluation {
            policy,
            win_loss,
            ..Evaluation::default()
        }
    }
}

impl<G: Game> Evaluator<G> for HashEvaluator {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        Ok(answers(requests, |position, moves| {
            HashEvaluator::answer(position.key(), moves)
        }))
    }
}

/// Uniform in [0, 1), exact in single precision.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1 << 24) as f32
}

/// Positive and mostly small, so that a few moves get most of the policy, as with a net.
fn skewed(bits: u64) -> f32 {
    let x = unit(bits);
    let square = x * x;
    let fourth = square * square;
    fourth * fourth + 1e-3
}
