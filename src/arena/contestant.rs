//! The interface of players in a match, independent of protocols and engines.

use std::time::Duration;

use super::contest::Conditions;
use crate::clock::TimeLeft;
use crate::go::{Answer, Color, Move, PointSet};

/// A failure that loses the game. The next [`Contestant::start`] shows whether the player can start
/// another game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error was answered, with this message.
    Refused(String),
    /// The player has exited, with details if known.
    Crashed(String),
    /// No answer within the limit.
    Silent,
    /// The answer is a text that names no move; loses as an illegal move.
    NotAMove(String),
    /// The answer is a move against a rule.
    AgainstRule {
        /// The move.
        answer: String,
        /// The rule.
        reason: String,
    },
}

/// The error of a player of this process.
pub(super) fn refused(error: anyhow::Error) -> Fault {
    Fault::Refused(format!("{error:#}"))
}

/// A contestant's view of a finished game. Each part is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The stones considered dead, of both colors.
    pub dead: Option<PointSet>,
    /// Black's lead in points, negative if White leads.
    pub lead_black: Option<f32>,
}

/// One of the two players of a match, for any number of games.
pub trait Contestant {
    /// Name in reports.
    fn name(&self) -> &str;

    /// Begins a game on an empty board, restarting a player that has exited. An error means that
    /// the player cannot play under these conditions.
    fn start(&mut self, conditions: &Conditions) -> anyhow::Result<()>;

    /// Plays a move of the opening or of the opponent, which the referee found legal.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault>;

    /// Sets the time left before a [`Contestant::genmove`]; the player's clock is stopped.
    fn tell_time(&mut self, color: Color, left: TimeLeft) -> Result<(), Fault>;

    /// Generates and plays a move for `color`. Stops with [`Fault::Silent`] after `limit`, if there
    /// is one.
    fn genmove(&mut self, color: Color, limit: Option<Duration>) -> Result<Answer, Fault>;

    /// The player's view of the result, after two passes.
    fn opinion(&mut self) -> Opinion;
}
