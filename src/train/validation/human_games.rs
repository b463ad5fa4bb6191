//! How often networks find the moves that people made, shown what these saw: all of the past, and the
//! komi and rules of the game.

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::data::check::legal_mask;
use crate::data::collection::{Collection, Known};
use crate::data::line::{Line, MoveCode, play};
use crate::data::variety::nominal_komi;
use crate::go::{Position, Rules};
use crate::nn::evaluator::NetEvaluator;
use crate::nn::features::MAX_HISTORY;

use super::{Looked, Marks, Networks, Report, boards_of, request};

/// Which moves are asked about, and how.
#[derive(Clone, Copy, Debug)]
pub struct HumanMoves {
    /// Moves of each game, spread evenly over it; all if it has no more.
    pub per_game: usize,
    /// In how many symmetries each position is seen (1 to 8); the answers are averaged.
    pub symmetries: usize,
}

/// Asks networks about games, each on its boards. Games on boards that the usual one is not
/// for are left out. `watch` is told of moves by their number.
pub fn of_games(
    networks: &Networks,
    human_moves: HumanMoves,
    games: &Collection,
    watch: &(dyn Fn(usize) + Sync),
) -> Result<Report> {
    let boards = boards_of(networks)?;
    let marks = (0..games.len()).into_par_iter().map(|game| {
        let line = games.line(game);
        if !boards.contain(line.size) {
            return Ok(None);
        }
        let asked = asked(line.moves.len(), human_moves.per_game, games.id(game));
        let network = networks(line.size)?;
        let marks = of_game(
            &network,
            &line,
            games.known(game),
            &asked,
            human_moves.symmetries,
        )?;
        watch(asked.len());
        Ok(Some(((line.size.area(), line.size.to_string()), marks)))
    });
    // Sums do not depend on who is ready first.
    let marks: Vec<_> = marks.collect::<Result<_>>()?;
    let mut report = Report::default();
    for (size, marks) in marks.into_iter().flatten() {
        report.add(Looked::At(size, Box::new(marks)));
    }
    ensure!(
        !report.sizes.is_empty(),
        "there are no games that it can play"
    );
    Ok(report)
}

/// Marks of the moves asked about.
fn of_game(
    network: &NetEvaluator,
    line: &Line,
    known: Known,
    asked: &[usize],
    symmetries: usize,
) -> Result<Marks> {
    let rules = known.rules.unwrap_or(Rules::CHINESE);
    let mut position = line.start(rules, nominal_komi(known.komi, &rules))?;
    let request = request(MAX_HISTORY);
    let mut marks = Marks::default();
    for (ply, &code) in line.moves.iter().enumerate() {
        if asked.contains(&ply) && is_answerable(&position, code) {
            let answer = network.average_output(&position, &request, symmetries)?;
            let policy: Vec<f64> = answer.policy.iter().map(|&share| share.into()).collect();
            marks.see_person(&policy, &legal_mask(&position), code.index());
        }
        play(&mut position, code)?;
    }
    Ok(marks)
}

/// Whether the move was made in turn, and as the rules allow.
fn is_answerable(position: &Position, code: MoveCode) -> bool {
    let made = code.made(position.size());
    let is_in_turn = code.color() == position.to_move();
    is_in_turn && made.is_some_and(|made| position.is_legal(made))
}

/// Places in a game, at most so many, as far apart as each other; where the first is depends on `salt`.
fn asked(moves: usize, most: usize, salt: u64) -> Vec<usize> {
    let count = most.min(moves);
    let offset = (salt >> 32) as f64 / (1u64 << 32) as f64;
    let place = |index: usize| ((index as f64 + offset) * moves as f64 / count as f64) as usize;
    (0..count).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_over_a_game() {
        assert_eq!(asked(5, 8, u64::MAX), [0, 1, 2, 3, 4]);
        assert_eq!(asked(100, 4, 0), [0, 25, 50, 75]);
        assert_eq!(asked(100, 4, 1 << 63), [12, 37, 62, 87]);
        assert!(asked(0, 4, 7).is_empty());
    }
}
