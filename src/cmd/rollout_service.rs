//! What stands behind the player of random games: the games' parameters, and a judge.

use std::sync::Arc;

use anyhow::Result;

use crate::games::rollout_evaluator::RolloutEvaluator;
use crate::params::{ParamEntry, Parameters};
use crate::player::judge::Judge;
use crate::player::service::EvaluationService;

/// An evaluator by random games, and who judges positions.
pub(super) struct RolloutService {
    evaluator: Arc<RolloutEvaluator>,
    judge: Judge,
}

impl RolloutService {
    pub(super) fn new(evaluator: Arc<RolloutEvaluator>, judge: Judge) -> RolloutService {
        RolloutService { evaluator, judge }
    }
}

impl EvaluationService for RolloutService {
    fn judge(&self) -> &Judge {
        &self.judge
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        self.evaluator.params().list()
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let mut params = self.evaluator.params();
        params.set(name, text)?;
        self.evaluator.set_params(params);
        Ok(())
    }
}
