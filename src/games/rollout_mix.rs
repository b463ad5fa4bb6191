//! A network whose values are mixed with the results of random games, as AlphaGo's were (Silver et
//! al. 2016). It may help a network that is still weak.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;

use super::rollout_evaluator::RolloutEvaluator;
use crate::go::Position;
use crate::search::evaluator::{Attendance, Evaluation, Evaluator, Request};

/// Mixes the results of random games into another evaluator's values of winning; scores are left
/// as they are.
pub struct RolloutMix {
    inner: Arc<dyn Evaluator<Position>>,
    rollouts: RolloutEvaluator,
    /// The bits of the games' share.
    share: AtomicU32,
}

impl RolloutMix {
    /// One random game for each evaluation, which gets this share of the value.
    pub fn new(inner: Arc<dyn Evaluator<Position>>, share: f32, seed: u64) -> RolloutMix {
        RolloutMix {
            inner,
            rollouts: RolloutEvaluator::new(1, seed),
            share: AtomicU32::new(share.to_bits()),
        }
    }

    /// Gives the games another share from now on; 0 plays none.
    pub fn set_share(&self, share: f32) {
        self.share.store(share.to_bits(), Ordering::SeqCst);
    }

    fn share(&self) -> f32 {
        f32::from_bits(self.share.load(Ordering::SeqCst))
    }
}

impl Evaluator<Position> for RolloutMix {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let share = self.share();
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
        self.inner.fingerprint(is_root) ^ u64::from(self.share().to_bits()) << 32
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        self.inner.attend()
    }
}
