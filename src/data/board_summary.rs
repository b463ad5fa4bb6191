//! What a collection of recorded games is like: how many games differ, who wins, how long games are.

use std::collections::HashSet;
use std::fmt;

use anyhow::Result;

use super::board_games::{LearningGame, default_inputs};
use crate::games::board_game::BoardGame;
use crate::go::{Point, Symmetry};
use crate::nn::board_evaluator::size_of;

/// Moves of games that are counted together.
const BIN: usize = 10;

/// Counts of recorded games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All games.
    pub games: usize,
    /// Games of which no two are the same, move for move, under a symmetry of the board.
    pub different: usize,
    /// Games that the side to move first has won, drawn and lost; the others are not over.
    pub results: [usize; 3],
    /// Games with 0 to 9 moves, 10 to 19, and so on.
    pub lengths: Vec<usize>,
}

impl Summary {
    /// Of these games.
    pub fn of<G: BoardGame>(games: &[LearningGame<G>]) -> Result<Summary> {
        let mut summary = Summary::default();
        let mut seen = HashSet::new();
        for game in games {
            summary.games += 1;
            summary.different += usize::from(seen.insert(least_image(game)?));
            let place = game.result.map(|result| (1.0 - result) as usize);
            if let Some(count) = place.and_then(|place| summary.results.get_mut(place)) {
                *count += 1;
            }
            let bin = game.moves.len() / BIN;
            if summary.lengths.len() <= bin {
                summary.lengths.resize(bin + 1, 0);
            }
            summary.lengths[bin] += 1;
        }
        Ok(summary)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let share = |count: usize| 100.0 * count as f64 / self.games.max(1) as f64;
        let [won, drawn, lost] = self.results;
        writeln!(
            f,
            "{} games, {} different up to symmetries of the board ({:.1} %)",
            self.games,
            self.different,
            share(self.different)
        )?;
        writeln!(f, "the first player won {won}, drew {drawn}, lost {lost}")?;
        write!(f, "moves")?;
        for (bin, &count) in self
            .lengths
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let first = bin * BIN;
            write!(
                f,
                "\n{first:>5} to {:<4} {count:>8} {:5.1} %",
                first + BIN - 1,
                share(count)
            )?;
        }
        Ok(())
    }
}

/// The sides of the board and the cells of the moves, turned and mirrored such that they are the least of all images.
fn least_image<G: BoardGame>(game: &LearningGame<G>) -> Result<Option<Vec<usize>>> {
    let inputs = default_inputs::<G>()?;
    let mut position = game.start.clone();
    let size = size_of(&inputs, &position)?;
    let points: Vec<Point> = size.points().collect();
    let mut cells = Vec::new();
    for &mv in &game.moves {
        cells.push((inputs.cell)(&position, mv));
        position.play(mv);
    }
    let image = |symmetry: Symmetry| {
        let turned = symmetry.size(size);
        let sides = [turned.width(), turned.height()];
        let cells = cells
            .iter()
            .map(|&cell| turned.index(symmetry.point(size, points[cell])));
        sides.into_iter().chain(cells).collect::<Vec<usize>>()
    };
    Ok(Symmetry::all().map(image).min())
}
