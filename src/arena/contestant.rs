//! Who can take part in a contest. Nothing here knows how a player is reached or thinks.

use std::time::Duration;

use super::contest::Conditions;
use crate::clock::TimeLeft;
use crate::go::{Answer, Color, Move, PointSet};

/// A player that does not go on. Loses the game; whether the player can start another one shows
/// at the next [`Contestant::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error was answered; its message.
    Refused(String),
    /// The player is gone; what is known about it.
    Crashed(String),
    /// No answer came in time.
    Silent,
    /// The answer is a text that names no move; loses as an illegal move.
    NotAMove(String),
}

/// A contestant's view of a finished game. Each part may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The stones thought dead, of both colors.
    pub dead: Option<PointSet>,
    /// The points Black leads by, negative if White does.
    pub lead_black: Option<f32>,
}

/// One of the two players of a contest, for any number of games.
pub trait Contestant {
    /// What to call the player in reports.
    fn name(&self) -> &str;

    /// Begins a game on an empty board. A player that was lost is to be started anew. An error
    /// means that the player cannot play under these conditions at all.
    fn start(&mut self, conditions: &Conditions) -> anyhow::Result<()>;

    /// A move of the opening or of the opponent, legal in the referee's eyes.
    fn play(&mut self, color: Color, made: Move) -> Result<(), Fault>;

    /// Tells the time left before a [`Contestant::genmove`]; the player's clock stands.
    fn tell_time(&mut self, color: Color, left: TimeLeft) -> Result<(), Fault>;

    /// The move for `color`, which the player also remembers as played. To be broken off with
    /// [`Fault::Silent`] after `limit`, if there is one.
    fn genmove(&mut self, color: Color, limit: Option<Duration>) -> Result<Answer, Fault>;

    /// What the player says about the game, after two passes.
    fn opinion(&mut self) -> Opinion;
}
