//! Weaker play: a player that overlooks moves, as people do, chooses among those it sees. So its moves are
//! those of a stronger player, but sometimes not the best ones.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SearchPlayer;
use crate::games::go::decode;
use crate::go::{Move, Position};
use crate::params::parameters;
use crate::search::{Detail, MoveCode};

parameters! {
    /// How moves are overlooked.
    OversightParams;

    /// Probability that a move is overlooked, each by itself; what is left of the choice is made as
    /// always, by visits and then by the policy.
    probability as "chosenMoveOversight": f64 = 0.0, 0 => 0.99;
}

/// What the policy counts beside visits: it decides among moves that were not searched.
const PRIOR_SHARE: f64 = 1e-3;

impl SearchPlayer {
    /// The move in place of the chosen one where moves are overlooked. Passes are not.
    pub(super) fn overlooking(&self, position: &Position, chosen: Move) -> Move {
        let probability = self.params.oversight.probability;
        if probability == 0.0 || chosen == Move::Pass {
            return chosen;
        }
        let detail = Detail {
            min_moves: usize::MAX,
            ..Detail::default()
        };
        let report = self.search.report_in(detail);
        let moves = report.map_or_else(Vec::new, |report| report.moves);
        let prior = |code: MoveCode| {
            let known = moves.iter().find(|mv| mv.code == code);
            known.map_or(0.0, |mv| f64::from(mv.prior))
        };
        let mut random = ChaCha8Rng::seed_from_u64(self.params.search.seed);
        random.set_stream(position.key() as u64);
        let turn = position.turn();
        let drawn = self.search.choose_weighted(turn, |moves, values| {
            let is_play = |code: &MoveCode| decode(*code) != Move::Pass;
            let weighed = moves.iter().zip(values).map(|(code, value)| {
                let is_overlooked = random.random_bool(probability);
                match is_play(code) && !is_overlooked {
                    true => value + PRIOR_SHARE * prior(*code),
                    false => 0.0,
                }
            });
            let weighed: Vec<f64> = weighed.collect();
            match weighed.iter().any(|&weight| weight > 0.0) {
                true => weighed,
                // Whoever overlooks everything plays anywhere, but does not pass.
                false => moves.iter().map(|code| f64::from(is_play(code))).collect(),
            }
        });
        drawn.map_or(chosen, decode)
    }
}
