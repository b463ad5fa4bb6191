//! What a search asks of a position, and two evaluators that need no weights.

use std::sync::Arc;

use anyhow::Result;

use super::game::{Game, MoveCode, Side};

/// A position to evaluate and what is wanted of it.
#[derive(Clone, Debug)]
pub struct Request<G> {
    /// The position; its game must not be over.
    pub position: G,
    /// Whether it is the root of the search, where some evaluators answer more cautiously.
    pub is_root: bool,
    /// Whether [`Evaluation::ownership`] is wanted.
    pub wants_ownership: bool,
    /// Whether [`Evaluation::games`] are wanted.
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
    /// How far the evaluator expects to be off; `None` where it does not know.
    pub errors: Option<Errors>,
    /// Expected owner of each point, row by row from the top left, +1 for the side to move.
    /// Empty unless asked for and known.
    pub ownership: Vec<f32>,
    /// Games played out from the position. Empty unless asked for and played.
    pub games: Vec<PlayedOut>,
}

/// A game that an evaluator has played out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedOut {
    /// The result, seen by the side to move where it began: +1 won, 0 drawn, -1 lost.
    pub win_loss: f32,
    /// The moves made, each once, with who made it first.
    pub moves: Vec<(Side, MoveCode)>,
}

/// Expected differences, without sign, between an evaluation and later ones a few moves on, and for
/// how long there will be any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Of [`Evaluation::win_loss`].
    pub win_loss: f32,
    /// Of [`Evaluation::score_mean`], in points.
    pub score: f32,
    /// How many moves the result stays open, more or less.
    pub time_left: f32,
}

/// Gives values and move probabilities to positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// One answer per request, in order.
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>>;

    /// Tells evaluators apart by what their answers depend on besides the request, such as a network and
    /// settings: of evaluators with the same fingerprint, equal requests get equal answers. `is_root` as in
    /// [`Request`]. An evaluator's fingerprint never changes.
    fn fingerprint(&self, is_root: bool) -> u64 {
        let _ = is_root;
        0
    }

    /// Announces that this thread is going to ask again and again, until the answer is dropped.
    /// Evaluators that unite the requests of several threads wait for those who are present; a
    /// thread must not be present while it waits for another one.
    fn attend(&self) -> Box<dyn Attendance + '_> {
        Box::new(())
    }
}

/// A thread's presence, which ends when this is dropped. See [`Evaluator::attend`].
pub trait Attendance {}

impl Attendance for () {}

macro_rules! forward_to_inner {
    ($($pointer:ty),+) => {$(
        impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for $pointer {
            fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
                (**self).evaluate(requests)
            }

            fn fingerprint(&self, is_root: bool) -> u64 {
                (**self).fingerprint(is_root)
            }

            fn attend(&self) -> Box<dyn Attendance + '_> {
                (**self).attend()
            }
        }
    )+};
}

forward_to_inner!(&E, Box<E>, Arc<E>);

/// Knows nothing: every move alike, every position even.
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

/// Answers each request from its position and the legal moves.
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

/// Makes up a policy and a value from the position's key: always the same, with no sense in it.
/// For tests and for measuring a search without a net.
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

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
pub(super) fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
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
