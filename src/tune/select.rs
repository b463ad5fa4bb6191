//! Which individuals become parents.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// A method of selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// The best fifth.
    Elite,
    /// The better of two drawn at random.
    Tournament,
    /// Each with a probability in proportion to how much better it is than the worst.
    Roulette,
    /// Stochastic universal sampling (Baker 1987): as roulette, but one turn of a wheel with equally spaced
    /// pointers, so that no individual is chosen much more or less often than expected.
    Sus,
}

/// Part of the individuals that is elite.
const ELITE: f64 = 0.2;

/// Indices of individuals, best first; equal ones in their order.
pub fn ranking(scores: &[f64]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..scores.len()).collect();
    ranking.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    ranking
}

/// Chooses `count` parents from at least one individual.
pub fn select(
    selection: Selection,
    scores: &[f64],
    count: usize,
    random: &mut impl Rng,
) -> Vec<usize> {
    let individuals = scores.len();
    match selection {
        Selection::Elite => {
            let best = ((individuals as f64 * ELITE).ceil() as usize).clamp(1, individuals);
            let ranking = ranking(scores);
            (0..count)
                .map(|_| ranking[random.random_range(0..best)])
                .collect()
        }
        Selection::Tournament => (0..count)
            .map(|_| {
                let [a, b] = [(); 2].map(|()| random.random_range(0..individuals));
                if scores[b] > scores[a] { b } else { a }
            })
            .collect(),
        Selection::Roulette => {
            let pointers = (0..count).map(|_| random.random_range(0.0..1.0));
            let pointers: Vec<f64> = pointers.collect();
            at_pointers(scores, &pointers)
        }
        Selection::Sus => {
            let first = random.random_range(0.0..1.0);
            let pointers = (0..count).map(|index| (index as f64 + first) / count as f64);
            at_pointers(scores, &pointers.collect::<Vec<_>>())
        }
    }
}

/// The individuals at points of a wheel, from 0 to 1, on which each has a part in proportion to its score less
/// the worst. If all are equal, so are the parts.
fn at_pointers(scores: &[f64], pointers: &[f64]) -> Vec<usize> {
    let worst = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let mut parts: Vec<f64> = scores.iter().map(|score| score - worst).collect();
    let mut total: f64 = parts.iter().sum();
    if total <= 0.0 {
        parts = vec![1.0; scores.len()];
        total = scores.len() as f64;
    }
    let at = |pointer: f64| {
        let mut left = pointer * total;
        let place = parts.iter().position(|part| {
            left -= part;
            left < 0.0
        });
        place.unwrap_or(scores.len() - 1)
    };
    pointers.iter().map(|&pointer| at(pointer)).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const SCORES: [f64; 5] = [0.1, 0.5, 0.3, 0.1, 0.2];

    fn counts(selection: Selection, count: usize) -> [usize; 5] {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut counts = [0; 5];
        for index in select(selection, &SCORES, count, &mut random) {
            counts[index] += 1;
        }
        counts
    }

    #[test]
    fn better_individuals_are_parents_more_often() {
        assert_eq!(ranking(&SCORES), [1, 2, 4, 0, 3]);
        assert_eq!(counts(Selection::Elite, 50), [0, 50, 0, 0, 0]);
        for selection in [Selection::Tournament, Selection::Roulette] {
            let counts = counts(selection, 2_000);
            assert!(counts[1] > counts[2] && counts[2] > counts[4] && counts[4] > counts[0]);
        }
        // Scores less the worst are 0, 4, 2, 0 and 1 of 7.
        assert_eq!(counts(Selection::Sus, 7), [0, 4, 2, 0, 1]);
        assert_eq!(counts(Selection::Sus, 700), [0, 400, 200, 0, 100]);
    }

    #[test]
    fn equal_individuals_are_chosen_alike() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut chosen = select(Selection::Sus, &[0.5; 4], 8, &mut random);
        chosen.sort_unstable();
        assert_eq!(chosen, [0, 0, 1, 1, 2, 2, 3, 3]);
    }
}
