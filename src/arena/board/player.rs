//! The interface of players of board games, independent of protocols.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::conditions::BoardConditions;
use crate::arena::contestant::Fault;
use crate::clock::{Clock, TimeControl, TimeLeft};
use crate::games::board_game::BoardGame;
use crate::go::{Color, PerColor};
use crate::minimax::Score;
use crate::minimax::limits::ClockState;

/// The start of a game.
#[derive(Clone, Copy)]
pub struct GameStart<'a, G: BoardGame> {
    /// The conditions.
    pub conditions: &'a BoardConditions<G>,
    /// Where the game begins.
    pub start: &'a G,
    /// Number of the game in the match, from 0.
    pub number: usize,
    /// The color of the player that is told.
    pub color: Color,
}

/// A position in which a player is to move.
#[derive(Clone, Copy)]
pub struct Turn<'a, G: BoardGame> {
    /// The conditions.
    pub conditions: &'a BoardConditions<G>,
    /// Where the game began.
    pub start: &'a G,
    /// The position now.
    pub position: &'a G,
    /// The moves so far, as the protocol of the game's engines writes them.
    pub engine_moves: &'a [String],
    /// Keys of the positions before this one, oldest first.
    pub history: &'a [u64],
    /// The player's color.
    pub color: Color,
    /// Both clocks.
    pub clocks: &'a PerColor<Clock>,
    /// Time after which the game is lost, if there is a clock.
    pub limit: Option<Duration>,
}

/// A move, and what the player thinks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move, which is legal.
    pub mv: M,
    /// Hundredths of a pawn or man from the player's view, if it tells.
    pub score: Option<Score>,
    /// Depth of its search in plies, if it tells.
    pub depth: Option<u32>,
}

/// How much time a player has, as engines of board games understand it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As much as it wants.
    Free,
    /// This for the move.
    Move(Duration),
    /// A clock.
    Clock(ClockState),
}

impl Pace {
    /// The pace of a clock. Overtime that has not begun is not told: engines would not understand it.
    pub fn of(clock: &Clock) -> Pace {
        let TimeLeft { seconds, count } = clock.left();
        let left = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let increment = match clock.control() {
            TimeControl::Unlimited => return Pace::Free,
            TimeControl::Canadian { stones: 1, .. } | TimeControl::Japanese { .. } if count > 0 => {
                return Pace::Move(left);
            }
            TimeControl::Fischer { increment, .. } => {
                Duration::try_from_secs_f64(increment).unwrap_or_default()
            }
            _ => Duration::ZERO,
        };
        Pace::Clock(ClockState {
            left,
            increment,
            moves_to_go: (count > 0).then_some(count),
        })
    }
}

/// One of the two players of a match, for any number of games.
pub trait BoardPlayer<G: BoardGame> {
    /// Name in reports.
    fn name(&self) -> &str;

    /// Begins a game, restarting a player that has exited. An error means that the player cannot play under
    /// these conditions.
    fn start(&mut self, game: &GameStart<G>) -> anyhow::Result<()> {
        let _ = game;
        Ok(())
    }

    /// Waits until the player can be asked, at nobody's expense.
    fn rest(&mut self) {}

    /// Chooses a move. Stops with [`Fault::Silent`] after the limit, if there is one.
    fn choose(&mut self, turn: &Turn<G>) -> Result<Choice<G::Move>, Fault>;
}

/// An interrupted game has no result.
pub(super) fn check(stop: &AtomicBool) -> Result<(), Fault> {
    match stop.load(Ordering::Relaxed) {
        true => Err(Fault::Refused("interrupted".to_owned())),
        false => Ok(()),
    }
}

/// Not for positions that the referee asks about: they have moves.
pub(super) fn no_move() -> Fault {
    Fault::Refused("no move was found".to_owned())
}
