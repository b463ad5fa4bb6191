//! What the protocol asks of whoever does the thinking: a search with a network, a rollout
//! player, a random one. The protocol knows neither searches nor networks.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, bail};

use super::analysis::AnalysisParams;
use super::service::EvaluationService;
use crate::clock::Clock;
use crate::go::{Move, Position, Symmetry};
use crate::params::ParamEntry;
use crate::search::{Detail, Report, Restrictions};

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

/// How a search is bounded and watched by whoever asked for it.
pub struct Watch<'a> {
    /// Ends it when set.
    pub stop: &'a AtomicBool,
    /// Moves to leave alone.
    pub restrictions: &'a Restrictions,
    /// What reports contain.
    pub detail: Detail,
    /// Time between reports before the last one, if they are wanted.
    pub interval: Option<Duration>,
    /// Who watches.
    pub observer: &'a mut dyn Observer,
}

/// Watches a search.
pub trait Observer: Send {
    /// The search begins: from here on the request is not refused any more, though the search may
    /// still fail.
    fn begins(&mut self);

    /// Sees what has been found so far.
    fn sees(&mut self, report: Report);
}

/// Decides on moves.
pub trait Thinker: Send {
    /// Chooses a move for the player to move. The clock is its own as last reported; where it is
    /// unlimited, the player's own limits hold.
    fn choose(&mut self, position: &Position, clock: &Clock) -> Result<Answer>;

    /// As [`Thinker::choose`], by what is known then as soon as `stop` is set.
    fn choose_until(
        &mut self,
        position: &Position,
        clock: &Clock,
        stop: &AtomicBool,
    ) -> Result<Answer> {
        let _ = stop;
        self.choose(position, clock)
    }

    /// Does before a clock runs what would make the first move from such a position a slow one.
    fn warm_up(&mut self, position: &Position) -> Result<()> {
        let _ = position;
        Ok(())
    }

    /// How positions are analyzed; `None` for a player that cannot.
    fn analysis(&self) -> Option<AnalysisParams> {
        None
    }

    /// As [`Thinker::choose`], under somebody's eyes, who gets at least one report at the end. A
    /// search that is stopped chooses by what it has found.
    fn choose_watched(
        &mut self,
        position: &Position,
        clock: &Clock,
        watch: Watch,
    ) -> Result<Answer> {
        let _ = (position, clock, watch);
        bail!("the player does not search")
    }

    /// Searches until it is stopped or can go no further.
    fn analyze(&mut self, position: &Position, watch: Watch) -> Result<()> {
        let _ = (position, watch);
        bail!("the player does not search")
    }

    /// Whether it wants to think while the opponent does.
    fn ponders(&self) -> bool {
        false
    }

    /// Thinks about a position in which the opponent is to move, until `stop` is set or its limits
    /// are reached.
    fn ponder(&mut self, position: &Position, stop: &AtomicBool) -> Result<()> {
        let _ = (position, stop);
        Ok(())
    }

    /// Expected owner of each point by a search, row by row from the top left, +1 for Black; `None`
    /// if the player leaves that to the judge of its service. Of a game that is over, the position
    /// before the passes is meant.
    fn ownership(&mut self, position: &Position) -> Result<Option<Vec<f32>>> {
        let _ = position;
        Ok(None)
    }

    /// Where its evaluations come from.
    fn service(&self) -> &dyn EvaluationService;

    /// The same, to be changed.
    fn service_mut(&mut self) -> &mut dyn EvaluationService;

    /// A game begins: random choices may fall otherwise than in the game before.
    fn begin_game(&mut self) {}

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
