//! Variety: in the first turns of a game, moves that are about as good as the best one are drawn as well, and
//! of moves that are each other's images under a symmetry of the position, any. Without it, searches of few
//! visits with a network that sees all symmetries alike play the same games again and again.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SearchPlayer;
use crate::games::go::decode;
use crate::go::{Color, Move, Position};
use crate::search::{Game, MoveCode};

/// Turns after which half of the variety is left, on all boards.
const HALF_LIFE: f64 = 16.0;

/// Visits with which a move's utility says enough, as long as that is not more than [`SMALL_SHARE`].
const ENOUGH_VISITS: f64 = 4.0;

/// Fraction of the best move's visits that is enough in small searches.
const SMALL_SHARE: f64 = 0.25;

/// Fraction of the best move's visits that is needed in any search.
const LEAST_SHARE: f64 = 0.05;

/// Keeps these draws apart from others with the same seed.
const PURPOSE: u64 = 0x1d;

/// A move that was searched.
#[derive(Clone, Copy, Debug)]
struct Searched {
    visits: u32,
    /// For the side to move.
    utility: f64,
}

/// Turns of the game, or so many as there are stones where a position was set up.
pub(super) fn turns_behind(position: &Position) -> usize {
    let stones = Color::BOTH.map(|color| position.board().stone_count(color));
    position.turn().max(stones.iter().sum())
}

impl SearchPlayer {
    /// The move that the search chooses in a turn of the game, counted from 0. The same search always
    /// chooses the same one.
    pub(super) fn draw(&self, turn: usize) -> Option<MoveCode> {
        let temperature = self.search.params().temperature_at(turn);
        let tolerance = self.params.root.variety;
        let is_plain = self.search.params().temperature_below >= 1.0;
        if temperature <= 0.0 || tolerance == 0.0 || !is_plain {
            return self.search.choose(turn);
        }
        let left = (-(turn as f64) / HALF_LIFE).exp2();
        let report = self.search.report();
        let moves = report.map_or_else(Vec::new, |report| report.moves);
        let searched = moves.iter().map(|mv| {
            let (visits, utility) = (mv.edge_visits, mv.utility);
            (mv.code, Searched { visits, utility })
        });
        let searched: HashMap<MoveCode, Searched> = searched.collect();
        let drawn = self.search.choose_weighted(turn, |moves, values| {
            // Passes have second thoughts of their own.
            let is_stone = |mv: &&MoveCode| decode(**mv) != Move::Pass;
            let of = |mv: &MoveCode| searched.get(Some(mv).filter(is_stone)?).copied();
            let known: Vec<Option<Searched>> = moves.iter().map(of).collect();
            let weights = weights(&values, &known, temperature, tolerance * left, left);
            // The search raises them to the power 1/T.
            let powers = weights.iter().map(|weight| weight.powf(temperature));
            powers.collect()
        });
        drawn.map(|mv| self.image(mv, turn))
    }

    /// One of the images of a move under the symmetries of the position.
    fn image(&self, mv: MoveCode, turn: usize) -> MoveCode {
        let Some(root) = self.search.root() else {
            return mv;
        };
        let images = self.symmetric_moves.images_of(mv);
        let mut random = ChaCha8Rng::seed_from_u64(self.params.search.seed ^ turn as u64);
        random.set_stream(Game::key(root) as u64 ^ PURPOSE);
        images[random.random_range(0..images.len())]
    }
}

/// Weights of moves at temperature 1: by selection values at their temperature, where `left` of 1 goes to moves
/// that lose little utility against the one with the largest value, each less by a factor of e for a loss of
/// `tolerance`.
fn weights(
    values: &[f64],
    searched: &[Option<Searched>],
    temperature: f64,
    tolerance: f64,
    left: f64,
) -> Vec<f64> {
    let best = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)));
    let Some((best, most)) = best.and_then(|best| Some((searched[best]?, values[best]))) else {
        return values.iter().map(|v| v.powf(1.0 / temperature)).collect();
    };
    let most_visits = f64::from(best.visits);
    let enough = ENOUGH_VISITS.min(SMALL_SHARE * most_visits);
    let enough = enough.max(LEAST_SHARE * most_visits);
    let both = values.iter().zip(searched);
    let weigh = both.map(|(&value, mv)| {
        let by_value = (value / most).powf(1.0 / temperature);
        let is_known = |mv: &&Searched| value > 0.0 && f64::from(mv.visits) >= enough;
        let by_utility = mv.as_ref().filter(is_known).map_or(0.0, |mv| {
            ((mv.utility - best.utility).min(0.0) / tolerance).exp()
        });
        left * by_utility + (1.0 - left) * by_value
    });
    weigh.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(visits: u32, utility: f64) -> Option<Searched> {
        Some(Searched { visits, utility })
    }

    #[test]
    fn moves_that_lose_little_are_drawn_at_first() {
        let values = [60.0, 20.0, 15.0, 3.0, 0.0];
        let moves = [
            searched(60, 0.1),
            searched(20, 0.3),
            searched(15, 0.02),
            searched(3, 0.1),
            None,
        ];
        let first = weights(&values, &moves, 0.5, 0.08, 1.0);
        let expected = [1.0, 1.0, (-1.0_f64).exp(), 0.0, 0.0];
        for (weight, expected) in first.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-9, "{first:?}");
        }
        let late = weights(&values, &moves, 0.5, 1e-9, 1e-9);
        for (weight, value) in late.iter().zip(values) {
            let by_value = (value / 60.0_f64).powi(2);
            assert!((weight - by_value).abs() < 1e-6, "{late:?}");
        }
    }

    #[test]
    fn without_visits_the_policy_decides() {
        let weights = weights(&[0.2, 0.4], &[None, None], 0.5, 0.08, 1.0);
        assert!((weights[0] / weights[1] - 0.25).abs() < 1e-9, "{weights:?}");
    }

    #[test]
    fn moves_searched_little_are_left_alone() {
        let of = |visits: [u32; 2]| {
            let moves = visits.map(|visits| searched(visits, 0.1));
            weights(&visits.map(f64::from), &moves, 0.5, 0.08, 1.0)
        };
        assert_eq!(of([60, 3]), [1.0, 0.0]);
        assert_eq!(of([60, 4]), [1.0, 1.0]);
        assert_eq!(of([600, 29]), [1.0, 0.0]);
        assert_eq!(of([5, 1]), [1.0, 0.0]);
        assert_eq!(of([4, 1]), [1.0, 1.0]);
    }
}
