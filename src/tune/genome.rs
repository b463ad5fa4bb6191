//! Genomes: the weights of an evaluation as numbers, cut into units that are inherited as a whole.

use std::ops::Range;

use rand::{Rng, RngExt};

use crate::games::weighted::WeightGroup;

/// The weights of an evaluation; fractions are kept, though games are played with whole numbers.
pub type Genome = Vec<f64>;

/// The units of a genome, in order: each weight by itself, or groups of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units(Vec<Range<usize>>);

impl Units {
    /// Each of so many weights by itself.
    pub fn single(count: usize) -> Units {
        Units((0..count).map(|index| index..index + 1).collect())
    }

    /// Groups of weights.
    pub fn grouped(groups: &[WeightGroup]) -> Units {
        let mut begin = 0;
        let ranges = groups.iter().map(|group| {
            let range = begin..begin + group.size;
            begin = range.end;
            range
        });
        Units(ranges.collect())
    }

    /// Groups of weights as a whole, or each weight by itself.
    pub fn of(groups: &[WeightGroup], are_grouped: bool) -> Units {
        match are_grouped {
            true => Units::grouped(groups),
            false => Units::single(groups.iter().map(|group| group.size).sum()),
        }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The indices of a unit's weights.
    pub fn range(&self, unit: usize) -> Range<usize> {
        self.0[unit].clone()
    }
}

/// A genome with each unit multiplied by a factor from 0.5 to 1.5.
pub fn varied(genome: &Genome, units: &Units, random: &mut impl Rng) -> Genome {
    let mut varied = genome.clone();
    for unit in 0..units.len() {
        let factor = random.random_range(0.5..=1.5);
        scale(&mut varied, units, unit, factor);
    }
    varied
}

/// Changes one unit by a factor between 1 - `most` and 1 + `most`.
pub fn mutate(genome: &mut Genome, units: &Units, most: f64, random: &mut impl Rng) {
    if !units.is_empty() {
        let unit = random.random_range(0..units.len());
        let factor = 1.0 + most * random.random_range(-1.0..=1.0);
        scale(genome, units, unit, factor);
    }
}

fn scale(genome: &mut Genome, units: &Units, unit: usize, factor: f64) {
    for gene in &mut genome[units.range(unit)] {
        // Two digits suffice, and keep files small.
        *gene = (*gene * factor * 100.0).round() / 100.0;
    }
}

/// Mean standard deviation of weights among individuals, in percent of their means.
pub fn spread(population: &[Genome]) -> f64 {
    let count = population.len() as f64;
    let weights = population.first().map_or(0, Vec::len);
    let spreads = (0..weights).filter_map(|index| {
        let values = || population.iter().map(|genome| genome[index]);
        let mean = values().sum::<f64>() / count;
        let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        (mean.abs() >= 1.0).then(|| 100.0 * variance.sqrt() / mean.abs())
    });
    let spreads: Vec<f64> = spreads.collect();
    spreads.iter().sum::<f64>() / spreads.len().max(1) as f64
}

/// The genome of the weights of an evaluation.
pub fn genome(weights: &[i32]) -> Genome {
    weights.iter().map(|&weight| weight.into()).collect()
}

/// The weights that games are played with.
pub fn weights(genome: &Genome) -> Vec<i32> {
    genome.iter().map(|gene| gene.round() as i32).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn units_change_as_a_whole() {
        let group = |size| WeightGroup::new("", size);
        let units = Units::grouped(&[group(2), group(3)]);
        let genome = vec![100.0; 5];
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let changed = varied(&genome, &units, &mut random);
        assert_eq!(changed[0], changed[1]);
        assert!(changed[2] == changed[3] && changed[3] == changed[4]);
        assert!(changed.iter().all(|gene| (50.0..=150.0).contains(gene)) && changed != genome);
        let mut mutant = genome.clone();
        mutate(&mut mutant, &units, 0.1, &mut random);
        let different = (0..5)
            .filter(|&index| mutant[index] != genome[index])
            .count();
        assert!(different == 2 || different == 3);
        assert!(mutant.iter().all(|gene| (90.0..=110.0).contains(gene)));
    }
}
