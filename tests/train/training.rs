//! Random samples for tests of training.

use keima::data::batch::{Batch, SampleWeights, Targets};
use keima::go::BoardSize;
use keima::nn::desc::InputVersion;
use keima::nn::features::{GLOBALS, InputBatch, PLANES};
use keima::train::model::Model;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A generator of random numbers.
pub fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn distribution(len: usize, random: &mut ChaCha8Rng, allowed: &[bool]) -> Vec<f32> {
    let weights: Vec<f32> = (0..len)
        .map(|index| {
            if allowed[index] {
                random.random_range(0.0f32..1.0).powi(3)
            } else {
                0.0
            }
        })
        .collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Samples with every target known, but for those of the last one.
pub fn batch(size: BoardSize, samples: usize, random: &mut ChaCha8Rng) -> Batch {
    let area = size.area();
    let mut spatial = Vec::new();
    for _ in 0..samples * area {
        spatial.push(1.0);
        let planes = (1..PLANES).map(|_| random.random_bool(0.15) as u8 as f32);
        spatial.extend(planes);
    }
    let global = (0..samples * GLOBALS).map(|_| random.random_range(-1.0..1.0));
    let global = global.collect();
    let mut targets = Targets::default();
    for sample in 0..samples {
        let legal: Vec<bool> = (0..=area)
            .map(|mv| mv == area || random.random_bool(0.8))
            .collect();
        targets
            .policy
            .extend(distribution(area + 1, random, &legal));
        targets
            .opponent_policy
            .extend(distribution(area + 1, random, &vec![true; area + 1]));
        let mv = (0..=area).find(|mv| legal[*mv] && random.random_bool(0.2));
        targets.human_move.push(mv);
        targets.legal.extend(legal);
        let outcome = distribution(3, random, &[true; 3]);
        targets.outcome.push([outcome[0], outcome[1], outcome[2]]);
        targets.lead.push(random.random_range(-30.0..30.0));
        targets.score_mean.push(random.random_range(-30.0..30.0));
        targets.score_stdev.push(random.random_range(1.0..20.0));
        targets.variance_time.push(random.random_range(1.0..90.0));
        targets
            .shortterm_value_error
            .push(random.random_range(0.0..1.0));
        targets
            .shortterm_score_error
            .push(random.random_range(0.0..9.0));
        // Distances from a teacher are constants, and so not in differences of losses.
        targets.is_expectation.push(false);
        targets.sibling_group.push(sample / 2 * 2);
        let ownership = (0..area).map(|_| random.random_range(-1.0..1.0));
        targets.ownership.extend(ownership);
        let mut weights = SampleWeights::ALL;
        if sample + 1 == samples && samples > 1 {
            weights.opponent = 0.0;
            weights.ownership = 0.0;
            weights.shortterm = 0.5;
        }
        targets.weights.push(weights);
    }
    Batch {
        size,
        version: InputVersion::V7,
        inputs: InputBatch {
            size,
            spatial,
            global,
            metadata: Vec::new(),
        },
        targets,
    }
}

/// Moves all parameters of a model away from where new ones begin, so that none is without effect.
pub fn shake(model: &mut Model, random: &mut ChaCha8Rng) {
    for value in &mut model.values {
        *value = *value * random.random_range(0.8..1.2) + random.random_range(-0.05..0.05);
    }
}
