//! Many games between the same two players: openings, colors, several games at once.
//!
//! Each opening is played twice in a row with colors exchanged; the first player is Black in the
//! first game, the third, and so on.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::contest::{Conditions, GameReport, play_game};
use super::contestant::Contestant;
use super::openings::Opening;
use super::tally::Tally;
use crate::go::result::GameResult;
use crate::go::{Color, PerColor};

/// Makes a new contestant, one for each game that runs at the same time.
pub type Maker<'a> = dyn Fn() -> anyhow::Result<Box<dyn Contestant>> + Sync + 'a;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Number of games.
    pub games: usize,
    /// Games at the same time, at least 1.
    pub parallel: usize,
    /// What all games are played under.
    pub conditions: Conditions,
    /// Taken in turn, two games each; none is the empty board.
    pub openings: Vec<Opening>,
}

/// A game's place in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// From 0.
    pub game_index: usize,
    /// Into [`Series::openings`], which may be empty.
    pub opening_index: usize,
    /// The color of the first player.
    pub first_color: Color,
}

/// A game of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesGame {
    /// Which one.
    pub pairing: Pairing,
    /// What happened.
    pub report: GameReport,
}

impl SeriesGame {
    /// The game alone, counted for the first player.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        match self.report.ending.result() {
            GameResult::Win(winner, _) if winner == self.pairing.first_color => tally.wins = 1,
            GameResult::Win(..) => tally.losses = 1,
            GameResult::Draw => tally.draws = 1,
            GameResult::Void | GameResult::Unknown => tally.void = 1,
        }
        tally
    }
}

impl Series {
    /// Who plays what in a game.
    pub fn pairing(&self, game_index: usize) -> Pairing {
        Pairing {
            game_index,
            opening_index: game_index / 2 % self.openings.len().max(1),
            first_color: if game_index.is_multiple_of(2) {
                Color::Black
            } else {
                Color::White
            },
        }
    }

    /// Plays all games, calling `on_game` on this thread after each, in order of their ends. The
    /// first error ends the series once the games under way are over.
    pub fn run(
        &self,
        makers: [&Maker; 2],
        mut on_game: impl FnMut(SeriesGame) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let next_game = AtomicUsize::new(0);
        let is_stopped = AtomicBool::new(false);
        let (sender, games) = channel();
        thread::scope(|scope| {
            for _ in 0..self.parallel.clamp(1, self.games.max(1)) {
                let sender = sender.clone();
                let (next_game, is_stopped) = (&next_game, &is_stopped);
                scope.spawn(move || self.work(makers, next_game, is_stopped, &sender));
            }
            drop(sender);
            let mut result = Ok(());
            for game in games {
                let outcome = game.and_then(&mut on_game);
                if outcome.is_err() {
                    is_stopped.store(true, Ordering::Relaxed);
                }
                result = result.and(outcome);
            }
            result
        })
    }

    /// Plays games until none is left.
    fn work(
        &self,
        makers: [&Maker; 2],
        next_game: &AtomicUsize,
        is_stopped: &AtomicBool,
        games: &Sender<anyhow::Result<SeriesGame>>,
    ) {
        let play_next = || -> anyhow::Result<()> {
            let (mut first, mut second) = (makers[0]()?, makers[1]()?);
            loop {
                let game_index = next_game.fetch_add(1, Ordering::Relaxed);
                if game_index >= self.games || is_stopped.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let pairing = self.pairing(game_index);
                let report = self.play(pairing, first.as_mut(), second.as_mut())?;
                let sent = games.send(Ok(SeriesGame { pairing, report }));
                sent.expect("the receiver outlives the workers");
            }
        };
        if let Err(error) = play_next() {
            is_stopped.store(true, Ordering::Relaxed);
            games
                .send(Err(error))
                .expect("the receiver outlives the workers");
        }
    }

    fn play<'p>(
        &self,
        pairing: Pairing,
        first: &'p mut dyn Contestant,
        second: &'p mut dyn Contestant,
    ) -> anyhow::Result<GameReport> {
        let empty = Opening::default();
        let opening = self.openings.get(pairing.opening_index).unwrap_or(&empty);
        let contestants = match pairing.first_color {
            Color::Black => PerColor([first, second]),
            Color::White => PerColor([second, first]),
        };
        play_game(&self.conditions, opening, contestants)
    }
}
