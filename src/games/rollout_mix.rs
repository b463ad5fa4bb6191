//! A network whose values are mixed with the results of random games, as AlphaGo's were (Silver et
//! al. 2016). It may help a network that is still weak.

use std::sync::Arc;

use anyhow::Result;

use super::rollout_evaluator::RolloutEvaluator;
use crate::go::Position;
use crate::search::evaluator::{Evaluation, Evaluator, Request, register_with};

/// Mixes the results of rollouts into another evaluator's values of winning; scores are left as they are.
pub struct RolloutMix {
    inner: Arc<dyn Evaluator<Position>>,
    rollouts: RolloutEvaluator,
    /// Of the value, for the rollout's result.
    share: f32,
}

impl RolloutMix {
    /// The result of these rollouts gets this share of the value, 0 to 1.
    pub fn new(
        inner: Arc<dyn Evaluator<Position>>,
        share: f32,
        rollouts: RolloutEvaluator,
    ) -> RolloutMix {
        RolloutMix {
            inner,
            rollouts,
            share,
        }
    }
}

impl Evaluator<Position> for RolloutMix {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let share = self.share;
        let mut answers = self.inner.evaluate(requests)?;
        if share > 0.0 {
            let played = self.rollouts.evaluate(requests)?;
            for (answer, played) in answers.iter_mut().zip(played) {
                answer.win_loss += share * (played.win_loss - answer.win_loss);
                answer.games = played.games;
            }
        }
        Ok(answers)
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        let rollouts = self.rollouts.fingerprint(is_root).rotate_left(8);
        self.inner.fingerprint(is_root) ^ u64::from(self.share.to_bits()) << 32 ^ rollouts
    }

    register_with!(self, self.inner);
}
