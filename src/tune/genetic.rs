//! The genetic algorithm: evaluate, select, cross, mutate, replace.
//!
//! Random numbers of a generation depend on the seed and its number alone, so that a run goes on after any
//! interruption as if there had been none.

use anyhow::{Result, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::cross::{Crossing, cross};
use super::genome::{Genome, Units, mutate, varied};
use super::replace::Replacement;
use super::select::{Selection, ranking, select};

/// Settings of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneticSettings {
    /// Individuals, at least 2.
    pub population: usize,
    /// How parents are chosen.
    pub selection: Selection,
    /// How they are crossed.
    pub crossing: Crossing,
    /// Probability that a child is mutated, from 0 to 1.
    pub mutation: f64,
    /// Largest change of a mutated unit, as a share of it.
    pub sigma: f64,
    /// Who makes way.
    pub replacement: Replacement,
    /// Of all random numbers.
    pub seed: u64,
}

impl GeneticSettings {
    /// Fails if a setting makes no sense.
    pub fn check(&self) -> Result<()> {
        ensure!(
            self.population >= 2,
            "a population has at least 2 individuals"
        );
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        ensure!(
            is_share(self.mutation),
            "the probability of mutations is from 0 to 1"
        );
        ensure!(is_share(self.sigma), "the size of mutations is from 0 to 1");
        Ok(())
    }

    /// The first generation: the given vectors as they are, then varied ones.
    pub fn first(&self, start: &[Genome], units: &Units) -> Vec<Genome> {
        let mut random = self.random(0);
        let mut population = start.to_vec();
        for index in population.len()..self.population {
            let parent = &start[index % start.len()];
            population.push(varied(parent, units, &mut random));
        }
        population
    }

    /// The generation after this one, which has the number `generation`.
    pub fn next(
        &self,
        generation: usize,
        mut population: Vec<Genome>,
        mut scores: Vec<f64>,
        units: &Units,
    ) -> Vec<Genome> {
        let mut random = self.random(1 + generation as u64);
        if population.len() > self.population {
            // More children than places: the best stay.
            let best: Vec<usize> = ranking(&scores).into_iter().take(self.population).collect();
            population = best
                .iter()
                .map(|&index| population[index].clone())
                .collect();
            scores = best.iter().map(|&index| scores[index]).collect();
        }
        let count = self.replacement.children(self.population);
        let parents = select(self.selection, &scores, count + count % 2, &mut random);
        let mut children = Vec::new();
        for pair in parents.chunks_exact(2) {
            let both = [&population[pair[0]], &population[pair[1]]];
            children.extend(cross(self.crossing, both, units, &mut random));
        }
        children.truncate(count);
        for child in &mut children {
            if random.random_bool(self.mutation) {
                mutate(child, units, self.sigma, &mut random);
            }
        }
        self.replacement
            .replace(population, &scores, children, &mut random)
    }

    fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(stream);
        random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minus the distance from a point.
    fn closeness(genome: &Genome) -> f64 {
        let goal = [100.0, 50.0, 80.0, 30.0];
        let squares = genome
            .iter()
            .zip(goal)
            .map(|(gene, goal)| (gene - goal).powi(2));
        -squares.sum::<f64>().sqrt()
    }

    fn best_after(settings: &GeneticSettings, generations: usize) -> (f64, Vec<Genome>) {
        let units = Units::single(4);
        let start = vec![vec![70.0, 70.0, 60.0, 40.0]];
        let mut population = settings.first(&start, &units);
        for generation in 0..generations {
            let scores = population.iter().map(closeness).collect();
            population = settings.next(generation, population, scores, &units);
        }
        let best = population
            .iter()
            .map(closeness)
            .fold(f64::NEG_INFINITY, f64::max);
        (best, population)
    }

    #[test]
    fn every_variant_approaches_a_known_optimum() {
        let start = closeness(&vec![70.0, 70.0, 60.0, 40.0]);
        for selection in [
            Selection::Elite,
            Selection::Tournament,
            Selection::Roulette,
            Selection::Sus,
        ] {
            for crossing in [Crossing::One, Crossing::Multi, Crossing::Uniform] {
                for replacement in [
                    Replacement::All,
                    Replacement::Worst,
                    Replacement::Random,
                    Replacement::Best,
                ] {
                    let settings = GeneticSettings {
                        population: 40,
                        selection,
                        crossing,
                        mutation: 0.5,
                        sigma: 0.1,
                        replacement,
                        seed: 1,
                    };
                    let (best, population) = best_after(&settings, 60);
                    assert!(best > start / 3.0, "{settings:?}: {best}, from {start}");
                    // The same seed gives the same run.
                    assert_eq!(best_after(&settings, 60).1, population);
                }
            }
        }
    }

    #[test]
    fn start_vectors_are_in_the_first_generation() {
        let settings = GeneticSettings {
            population: 5,
            selection: Selection::Elite,
            crossing: Crossing::One,
            mutation: 0.0,
            sigma: 0.0,
            replacement: Replacement::All,
            seed: 7,
        };
        let start = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        let first = settings.first(&start, &Units::single(2));
        assert_eq!((first.len(), &first[..2]), (5, &start[..]));
        assert!((0.5..=1.5).contains(&first[2][0]) && first[2] != start[0]);
    }
}
