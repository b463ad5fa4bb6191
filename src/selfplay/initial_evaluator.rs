//! The evaluator before there is a network: rollouts, and a uniform policy with slight random
//! differences, so that searches do not try moves in board order.

use std::hash::{DefaultHasher, Hasher};

use anyhow::Result;

use crate::games::rollout_evaluator::RolloutEvaluator;
use crate::go::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request};

/// Maximal ratio between priors.
const TRIFLE: f32 = 0.05;

/// Evaluates by rollouts.
#[derive(Debug)]
pub struct InitialEvaluator {
    rollouts: RolloutEvaluator,
    seed: u64,
}

impl InitialEvaluator {
    /// With this many rollouts per evaluation. The same position always gets the same evaluation.
    pub fn new(rollouts: u32, seed: u64) -> InitialEvaluator {
        InitialEvaluator {
            rollouts: RolloutEvaluator::new(rollouts, seed),
            seed,
        }
    }

    fn prefer(&self, request: &Request<Position>, evaluation: &mut Evaluation) {
        let key = request.position.key();
        let preference = |index: usize| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u128(key);
            hasher.write_u64(self.seed);
            hasher.write_usize(index);
            (hasher.finish() >> 40) as f32 / (1 << 24) as f32
        };
        let policy = &mut evaluation.policy;
        for (index, prior) in policy.iter_mut().enumerate() {
            *prior *= 1.0 + TRIFLE * preference(index);
        }
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|prior| *prior /= sum);
    }
}

impl Evaluator<Position> for InitialEvaluator {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let mut answers = self.rollouts.evaluate(requests)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            self.prefer(request, answer);
        }
        Ok(answers)
    }
}
