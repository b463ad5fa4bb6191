//! How two parents have two children.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::genome::{Genome, Units};

/// A method of crossing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Crossing {
    /// The parents exchange all units behind a random place.
    One,
    /// They exchange those between random places, up to [`CUTS`] of them.
    Multi,
    /// They exchange each unit with probability 1/2.
    Uniform,
}

/// Places at which genomes are cut by [`Crossing::Multi`].
pub const CUTS: usize = 3;

/// Crosses two genomes.
pub fn cross(
    crossing: Crossing,
    parents: [&Genome; 2],
    units: &Units,
    random: &mut impl Rng,
) -> [Genome; 2] {
    let count = units.len();
    let mut cut = || random.random_range(1..count.max(2));
    match crossing {
        Crossing::One => {
            let place = cut();
            exchanged(parents, units, |unit| unit >= place)
        }
        Crossing::Multi => {
            let places: [usize; CUTS] = std::array::from_fn(|_| cut());
            let before = |unit: usize| places.iter().filter(|&&place| place <= unit).count();
            exchanged(parents, units, |unit| before(unit) % 2 == 1)
        }
        Crossing::Uniform => {
            let choices: Vec<bool> = (0..count).map(|_| random.random_bool(0.5)).collect();
            exchanged(parents, units, |unit| choices[unit])
        }
    }
}

/// The parents with some units exchanged.
pub fn exchanged(
    [mother, father]: [&Genome; 2],
    units: &Units,
    is_exchanged: impl Fn(usize) -> bool,
) -> [Genome; 2] {
    let mut children = [mother.clone(), father.clone()];
    for unit in (0..units.len()).filter(|&unit| is_exchanged(unit)) {
        for index in units.range(unit) {
            children[0][index] = father[index];
            children[1][index] = mother[index];
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn text(genome: &Genome) -> String {
        genome.iter().map(|gene| char::from(*gene as u8)).collect()
    }

    fn parents() -> [Genome; 2] {
        ["abcdef", "123456"].map(|text| text.bytes().map(f64::from).collect())
    }

    #[test]
    fn cut_after_the_third_gene() {
        let [mother, father] = parents();
        let children = exchanged([&mother, &father], &Units::single(6), |unit| unit >= 3);
        assert_eq!(children.each_ref().map(text), ["abc456", "123def"]);
    }

    #[test]
    fn children_have_each_gene_of_both_parents_once() {
        let [mother, father] = parents();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for crossing in [Crossing::One, Crossing::Multi, Crossing::Uniform] {
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..200 {
                let units = Units::single(6);
                let [one, other] = cross(crossing, [&mother, &father], &units, &mut random);
                for index in 0..6 {
                    let pair = (one[index], other[index]);
                    let own = (mother[index], father[index]);
                    assert!(pair == own || pair == (own.1, own.0));
                }
                let changes = (1..6).filter(|&index| {
                    (one[index] == mother[index]) != (one[index - 1] == mother[index - 1])
                });
                let most = [1, 3, 5][crossing as usize];
                assert!(changes.count() <= most);
                seen.insert(text(&one));
            }
            assert!(seen.len() >= 5, "{crossing:?}: {seen:?}");
        }
    }
}
