//! What the protocol asks of whoever does the thinking: a search with a network, a rollout
//! player, a random one. The protocol knows neither searches nor networks.

use anyhow::Result;

use super::service::EvaluationService;
use crate::go::{Move, Point, Position, Symmetry};
use crate::params::ParamEntry;
use crate::search::Clock;

/// An answer to `genmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A stone or a pass.
    Play(Move),
    /// The player gives up.
    Resign,
}

/// A network's outputs for one position, as `kata-raw-nn` prints them.
#[derive(Clone, Debug, PartialEq)]
pub struct RawNetwork {
    /// The symmetry the network saw.
    pub symmetry: Symmetry,
    /// Probabilities that White wins, loses, and that there is no result.
    pub white_win: f32,
    /// See above.
    pub white_loss: f32,
    /// See above.
    pub no_result: f32,
    /// Points White is ahead.
    pub white_lead: f32,
    /// Expected final score for White in self-play.
    pub white_score_mean: f32,
    /// Expectation of its square.
    pub white_score_mean_square: f32,
    /// Expected number of moves of uncertainty left; -1 if the network does not say.
    pub variance_time_left: f32,
    /// Expected error of win/loss shortly after; -1 if the network does not say.
    pub shortterm_win_loss_error: f32,
    /// Expected error of the score shortly after; -1 if the network does not say.
    pub shortterm_score_error: f32,
    /// Probability of each point, row by row from the top left; none where illegal.
    pub policy: Vec<Option<f32>>,
    /// Probability of passing.
    pub policy_pass: f32,
    /// Expected owner of each point in the same order, +1 for White.
    pub white_ownership: Vec<f32>,
}

/// A network that can be asked for its own outputs, without search or cache.
pub trait Network: Send + Sync {
    /// What the network says when it sees the position under a symmetry.
    fn raw(&self, position: &Position, symmetry: Symmetry) -> Result<RawNetwork>;
}

/// Decides on moves.
pub trait Thinker: Send {
    /// Chooses a move for the player to move. The clock is its own as last reported; where it is
    /// unlimited, the player's own limits hold.
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer>;

    /// Points for the free handicap, if the player has an opinion.
    fn free_handicap(&mut self, position: &Position, stones: usize) -> Option<Vec<Point>> {
        let _ = (position, stones);
        None
    }

    /// Where its evaluations come from.
    fn service(&self) -> &dyn EvaluationService;

    /// The same, to be changed.
    fn service_mut(&mut self) -> &mut dyn EvaluationService;

    /// Drops what it keeps from move to move.
    fn forget(&mut self) {}

    /// What can be set, with present values: its own parameters and those of the service.
    fn parameters(&self) -> Vec<ParamEntry> {
        self.service().parameters()
    }

    /// Sets one of these by name. After an error everything is as before.
    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        self.service_mut().set_parameter(name, text)
    }
}
