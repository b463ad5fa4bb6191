//! How often networks predict human moves, given the full history, komi and rules of the game.

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::data::check::legal_mask;
use crate::data::collection::{Collection, Known};
use crate::data::line::{Line, is_legal_turn, play};
use crate::data::variety::nominal_komi;
use crate::go::Rules;
use crate::nn::evaluator::NetEvaluator;
use crate::nn::features::MAX_HISTORY;

use super::{Metrics, Networks, Report, ShardResult, boards_of, request};

/// Which positions to evaluate, and how.
#[derive(Clone, Copy, Debug)]
pub struct HumanMoves {
    /// Positions per game, spread evenly; all if a game has fewer.
    pub per_game: usize,
    /// Symmetries to average over, 1 to 8.
    pub symmetries: usize,
}

/// Evaluates networks on games, each on its boards. Games on boards without a network are left out.
/// `progress` is called with the positions done.
pub fn of_games(
    networks: &Networks,
    human_moves: HumanMoves,
    games: &Collection,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Report> {
    let boards = boards_of(networks)?;
    let metrics = (0..games.len()).into_par_iter().map(|game| {
        let line = games.line(game);
        if !boards.contain(line.size) {
            return Ok(ShardResult::LeftOut(1));
        }
        let selected = selected(line.moves.len(), human_moves.per_game, games.id(game));
        let network = networks(line.size)?;
        let metrics = of_game(
            &network,
            &line,
            games.known(game),
            &selected,
            human_moves.symmetries,
        )?;
        progress(selected.len());
        let size = (line.size.area(), line.size.to_string());
        Ok(ShardResult::Evaluated(size, Box::new(metrics)))
    });
    // In a fixed order, so that sums do not depend on scheduling.
    let metrics: Vec<_> = metrics.collect::<Result<_>>()?;
    let mut report = Report::of(boards);
    metrics.into_iter().for_each(|result| report.add(result));
    ensure!(
        !report.sizes.is_empty(),
        "there are no games that it can play"
    );
    Ok(report)
}

/// Metrics of one game.
fn of_game(
    network: &NetEvaluator,
    line: &Line,
    known: Known,
    selected: &[usize],
    symmetries: usize,
) -> Result<Metrics> {
    let rules = known.rules.unwrap_or(Rules::CHINESE);
    let mut position = line.start(rules, nominal_komi(known.komi, &rules))?;
    let request = request(MAX_HISTORY);
    let mut metrics = Metrics::default();
    for (ply, &code) in line.moves.iter().enumerate() {
        if selected.contains(&ply) && is_legal_turn(&position, code) {
            let answer = network.average_output(&position, &request, symmetries)?;
            let policy: Vec<f64> = answer.policy.iter().map(|&share| share.into()).collect();
            metrics.add_human(&policy, &legal_mask(&position), code.index());
        }
        play(&mut position, code)?;
    }
    Ok(metrics)
}

/// At most this many evenly spread positions of a game; the first depends on `salt`.
fn selected(moves: usize, most: usize, salt: u64) -> Vec<usize> {
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
        assert_eq!(selected(5, 8, u64::MAX), [0, 1, 2, 3, 4]);
        assert_eq!(selected(100, 4, 0), [0, 25, 50, 75]);
        assert_eq!(selected(100, 4, 1 << 63), [12, 37, 62, 87]);
        assert!(selected(0, 4, 7).is_empty());
    }
}
