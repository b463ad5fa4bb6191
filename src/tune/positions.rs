//! Positions with the results of their games, from games of the engine against itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::duel::{PLIES, conditions, player};
use crate::arena::board::openings::Book;
use crate::arena::terms::Terms;
use crate::games::board_game::{BoardGame, replayed};
use crate::go::{Color, PerColor};

/// Positions before this move are those of the opening.
const FIRST_PLY: usize = 8;
/// Games begin with one of so many numbers of random moves: games with the least repeat each other where there are few
/// balanced openings.
const LENGTHS: usize = 9;
/// Most positions of a game.
const MOST: usize = 20;

/// The positions of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamePositions {
    /// Number of the game, from 0.
    pub number: usize,
    /// The first side's point, of one.
    pub result: f64,
    /// Positions in the game's notation.
    pub positions: Vec<String>,
}

/// Plays a game of an evaluation against itself and takes quiet positions of it, in which a move was played that wins
/// nothing at first sight and forces no answer. The game depends on seed and number alone.
pub fn play<G: BoardGame>(
    initial: &G,
    evaluation: &G::Evaluation,
    nodes: u64,
    (seed, number): (u64, usize),
    stop: &Arc<AtomicBool>,
) -> Result<GamePositions> {
    // Seeds of other games are far away.
    let seed = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number as u64);
    let plies = PLIES + number % LENGTHS;
    let book = Book::random(initial, plies, 1, seed)?;
    let conditions = conditions(initial, nodes, book.source);
    let (mut white, mut black) = (
        player("white", evaluation.clone(), stop),
        player("black", evaluation.clone(), stop),
    );
    let players = PerColor([black.as_mut(), white.as_mut()]);
    let report = conditions.play(number, &book.openings[0], players)?;
    let points = report.ending.result().points(Color::White);
    let quiet = replayed(&report.moves.start, &report.moves.moves)
        .skip(plies.max(FIRST_PLY))
        .filter_map(|(position, mv)| {
            let is_quiet = position.is_quiet() && position.gain(mv) == 0;
            (is_quiet && !forces(&position, mv)).then(|| position.text())
        });
    let quiet: Vec<String> = quiet.collect();
    let step = quiet.len().div_ceil(MOST).max(1);
    Ok(GamePositions {
        number,
        result: points.unwrap_or(0.5),
        positions: quiet.into_iter().step_by(step).collect(),
    })
}

/// Whether the answer to a move is forced.
fn forces<G: BoardGame>(position: &G, mv: G::Move) -> bool {
    let mut next = position.clone();
    next.play(mv);
    !next.is_settled()
}
