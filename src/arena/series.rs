//! A series of games between the same two players: boards, openings, colors, concurrent games.
//!
//! Each opening is played twice in a row with colors exchanged; the first player has the color
//! [`Terms::FIRST`], Black in Go, in the first game, the third, and so on. Divisions alternate, one pair of games each.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::contest::{Conditions, GameReport};
use super::terms::Terms;
use crate::go::{Color, PerColor};
use crate::threads;

/// Creates a contestant, one for each concurrent game.
pub type Maker<'a, C = Conditions> =
    dyn Fn() -> anyhow::Result<Box<<C as Terms>::Contestant>> + Sync + 'a;

/// Games of a series under the same conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Division<C: Terms = Conditions> {
    /// Their conditions.
    pub conditions: C,
    /// Used in turn, two games each.
    openings: Vec<C::Opening>,
}

impl<C: Terms> Division<C> {
    /// With these openings, or the initial position if there are none.
    pub fn new(conditions: C, mut openings: Vec<C::Opening>) -> Division<C> {
        if openings.is_empty() {
            openings.push(conditions.bare_opening());
        }
        Division {
            conditions,
            openings,
        }
    }

    /// At least one.
    pub fn openings(&self) -> &[C::Opening] {
        &self.openings
    }
}

/// Settings of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series<C: Terms = Conditions> {
    /// Number of games.
    pub games: usize,
    /// Concurrent games, at least 1.
    pub parallel: usize,
    /// At least one.
    pub divisions: Vec<Division<C>>,
}

/// The place of a game in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Number from 0.
    pub game_index: usize,
    /// Index into [`Series::divisions`].
    pub division_index: usize,
    /// Index into [`Division::openings`].
    pub opening_index: usize,
    /// The color of the first player.
    pub first_color: Color,
}

/// A game of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesGame<C: Terms = Conditions> {
    /// Its place.
    pub pairing: Pairing,
    /// The game.
    pub report: GameReport<C::Moves>,
}

impl<C: Terms> Series<C> {
    /// The place of a game by its number.
    pub fn pairing(&self, game_index: usize) -> Pairing {
        let (pair, divisions) = (game_index / 2, self.divisions.len());
        let division_index = pair % divisions;
        let openings = self.divisions[division_index].openings.len();
        Pairing {
            game_index,
            division_index,
            opening_index: pair / divisions % openings,
            first_color: if game_index.is_multiple_of(2) {
                C::FIRST
            } else {
                !C::FIRST
            },
        }
    }

    /// The conditions and openings of a game.
    pub fn division(&self, pairing: &Pairing) -> &Division<C> {
        &self.divisions[pairing.division_index]
    }

    /// The opening of a game.
    pub fn opening(&self, pairing: &Pairing) -> &C::Opening {
        &self.division(pairing).openings[pairing.opening_index]
    }

    /// Plays all games except `done`, calling `on_game` on this thread after each, in order of
    /// completion. After an error, or when `on_game` stops the series, games in progress are
    /// finished first.
    pub fn run(
        &self,
        makers: [&Maker<C>; 2],
        done: &BTreeSet<usize>,
        mut on_game: impl FnMut(SeriesGame<C>) -> anyhow::Result<ControlFlow<()>>,
    ) -> anyhow::Result<()> {
        let queue: Vec<usize> = (0..self.games)
            .filter(|game| !done.contains(game))
            .collect();
        let next_game = AtomicUsize::new(0);
        let is_stopped = AtomicBool::new(false);
        // Games are not played ahead of what is recorded: a test may have been decided.
        let (sender, games) = sync_channel(0);
        let next = || {
            let index = next_game.fetch_add(1, Ordering::Relaxed);
            let is_stopped = is_stopped.load(Ordering::Relaxed);
            queue.get(index).copied().filter(|_| !is_stopped)
        };
        let stop = || is_stopped.store(true, Ordering::Relaxed);
        thread::scope(|scope| {
            let count = self.parallel.max(1).min(queue.len());
            let (next, stop) = (&next, &stop);
            let work = move || self.work(makers, next, stop, &sender);
            threads::start_in(scope, count, "match", work)?;
            let mut result = Ok(());
            for game in games {
                let outcome = game.and_then(&mut on_game);
                if !matches!(outcome, Ok(ControlFlow::Continue(()))) {
                    stop();
                }
                result = result.and(outcome.map(drop));
            }
            result
        })
    }

    /// Plays games until none is left.
    fn work(
        &self,
        makers: [&Maker<C>; 2],
        next_game: &(dyn Fn() -> Option<usize> + Sync),
        stop: &(dyn Fn() + Sync),
        games: &SyncSender<anyhow::Result<SeriesGame<C>>>,
    ) {
        let play_next = || -> anyhow::Result<()> {
            let (mut first, mut second) = (makers[0]()?, makers[1]()?);
            while let Some(game_index) = next_game() {
                let pairing = self.pairing(game_index);
                let report = self.play(pairing, first.as_mut(), second.as_mut())?;
                let sent = games.send(Ok(SeriesGame { pairing, report }));
                sent.expect("the receiver outlives the workers");
            }
            Ok(())
        };
        if let Err(error) = play_next() {
            stop();
            games
                .send(Err(error))
                .expect("the receiver outlives the workers");
        }
    }

    fn play(
        &self,
        pairing: Pairing,
        first: &mut C::Contestant,
        second: &mut C::Contestant,
    ) -> anyhow::Result<GameReport<C::Moves>> {
        let contestants = match pairing.first_color {
            Color::Black => PerColor([first, second]),
            Color::White => PerColor([second, first]),
        };
        let conditions = &self.division(&pairing).conditions;
        let opening = self.opening(&pairing);
        let mut report = conditions.play(pairing.game_index, opening, contestants)?;
        report.tell_apart(pairing.first_color);
        Ok(report)
    }
}

/// The points of the first of two players in two games of an opening, one with each color, of two; a void game
/// counts as a draw.
pub fn pair_of_games<C: Terms>(
    conditions: &C,
    opening: &C::Opening,
    first: &mut C::Contestant,
    second: &mut C::Contestant,
) -> anyhow::Result<f64> {
    let mut points = 0.0;
    for (number, color) in [C::FIRST, !C::FIRST].into_iter().enumerate() {
        let contestants = match color {
            Color::Black => PerColor([&mut *first, &mut *second]),
            Color::White => PerColor([&mut *second, &mut *first]),
        };
        let report = conditions.play(number, opening, contestants)?;
        points += report.ending.result().points(color).unwrap_or(0.5);
    }
    Ok(points)
}
