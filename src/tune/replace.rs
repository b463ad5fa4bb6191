//! Which individuals make way for children.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::genome::Genome;
use super::select::ranking;

/// A method of replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    /// The children replace all individuals.
    All,
    /// Half as many children replace the worst individuals.
    Worst,
    /// Half as many children replace individuals drawn at random.
    Random,
    /// Twice as many children are born, and the best of them become the next parents.
    Best,
}

impl Replacement {
    /// Number of children for this many individuals.
    pub fn children(self, individuals: usize) -> usize {
        match self {
            Replacement::All => individuals,
            Replacement::Worst | Replacement::Random => individuals.div_ceil(2),
            Replacement::Best => 2 * individuals,
        }
    }

    /// The next generation.
    pub fn replace(
        self,
        mut genomes: Vec<Genome>,
        scores: &[f64],
        children: Vec<Genome>,
        random: &mut impl Rng,
    ) -> Vec<Genome> {
        let mut places = match self {
            Replacement::All | Replacement::Best => return children,
            Replacement::Worst => ranking(scores),
            Replacement::Random => {
                let mut places: Vec<usize> = (0..genomes.len()).collect();
                for last in (1..places.len()).rev() {
                    places.swap(last, random.random_range(0..=last));
                }
                places
            }
        };
        for child in children {
            if let Some(place) = places.pop() {
                genomes[place] = child;
            }
        }
        genomes
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn children_take_their_places() {
        let genomes: Vec<Genome> = (0..4).map(|gene| vec![f64::from(gene)]).collect();
        let scores = [0.9, 0.1, 0.2, 0.8];
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut next = |replacement: Replacement| {
            let count = replacement.children(4);
            let children = vec![vec![9.0]; count];
            let next = replacement.replace(genomes.clone(), &scores, children, &mut random);
            next.into_iter()
                .map(|genome| genome[0])
                .collect::<Vec<f64>>()
        };
        assert_eq!(next(Replacement::All), [9.0; 4]);
        assert_eq!(next(Replacement::Best), [9.0; 8]);
        assert_eq!(next(Replacement::Worst), [0.0, 9.0, 9.0, 3.0]);
        let random = next(Replacement::Random);
        assert_eq!(random.iter().filter(|gene| **gene == 9.0).count(), 2);
    }
}
