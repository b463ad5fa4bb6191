//! Where a player's evaluations come from: networks, rollouts, or one evaluator that has no settings. Whoever
//! searches or judges gets a [`View`], whose settings never change; a change of parameters or of the network
//! concerns the views made afterwards.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde::Serialize;

use super::view::View;
use crate::games::rollout_evaluator::{RolloutEvaluator, RolloutParams};
use crate::games::rollout_policy::Tables;
use crate::go::{BoardSize, Color, Position, Rules};
use crate::params::{ParamEntry, ParamError, Parameters};
use crate::search::evaluator::Evaluator;

/// Rollouts that estimate ownership where no network does.
const OWNERSHIP_ROLLOUTS: u32 = 500;

/// A network as KataGo describes it in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Its file, or its name.
    pub name: String,
    /// The name its makers gave it.
    pub internal_name: String,
    /// Positions evaluated in one batch.
    pub max_batch_size: usize,
    /// Whether it imitates players of a rank.
    #[serde(rename = "usesHumanSLProfile")]
    pub uses_human_sl_profile: bool,
    /// Version of its file; 0 for Leela Zero's.
    pub version: u32,
    /// Whether it is computed in 16-bit floating point numbers, `true` or `false`, as that for 19x19 is.
    #[serde(rename = "usingFP16")]
    pub using_fp16: String,
}

/// Makes views for searches and judgements. By default there is no network and nothing to set.
pub trait Evaluators: Send {
    /// A view for a search on a board of this size at whose root `mover` is to move.
    fn view(&self, mover: Color, size: BoardSize) -> Result<View>;

    /// As [`Evaluators::view`], without an advantage of either side and with the same symmetries in every
    /// run of the program: for judgements.
    fn neutral_view(&self, mover: Color, size: BoardSize) -> Result<View> {
        self.view(mover, size)
    }

    /// Whether views take one side to be the stronger player, neutral ones excepted.
    fn has_advantage(&self) -> bool {
        false
    }

    /// Has the network play as if `side` had 2 to the power of `doublings` times as many playouts. No effect where it
    /// cannot be told, as without one.
    fn set_advantage(&mut self, side: Color, doublings: f64) -> Result<()> {
        let _ = (side, doublings);
        Ok(())
    }

    /// Whether boards of this size can be evaluated.
    fn can_play_on(&self, size: BoardSize) -> bool {
        let _ = size;
        true
    }

    /// The rules by which positions on boards of this size are evaluated: the nearest that the network
    /// knows.
    fn known_rules(&self, rules: &Rules, size: BoardSize) -> Rules {
        let _ = size;
        *rules
    }

    /// Forgets evaluations.
    fn clear_cache(&mut self) {}

    /// Loads the network of a file, which must be able to play on boards of this size; its name. After an
    /// error everything is as before.
    fn load_model(&mut self, file: &Path, size: BoardSize) -> Result<String> {
        let _ = (file, size);
        bail!("the player has no network")
    }

    /// The networks, for display.
    fn models(&self) -> Vec<ModelInfo> {
        Vec::new()
    }

    /// What can be set, with present values.
    fn parameters(&self) -> Vec<ParamEntry> {
        Vec::new()
    }

    /// Sets a parameter by name. After an error everything is as before.
    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let _ = text;
        Err(ParamError::Unknown(name.to_owned()).into())
    }
}

/// A view that serves for everything.
impl Evaluators for View {
    fn view(&self, _: Color, _: BoardSize) -> Result<View> {
        Ok(self.clone())
    }
}

/// Evaluates by rollouts.
pub struct Rollouts {
    params: RolloutParams,
    learned: Option<Arc<Tables>>,
    seed: u64,
}

impl Rollouts {
    /// Rollouts that `seed` varies.
    pub fn new(params: RolloutParams, seed: u64) -> Rollouts {
        Rollouts {
            params,
            learned: None,
            seed,
        }
    }

    /// The same with this learned policy, or that of the program.
    #[must_use]
    pub fn with_learned(self, learned: Option<Arc<Tables>>) -> Rollouts {
        Rollouts { learned, ..self }
    }
}

impl Evaluators for Rollouts {
    fn view(&self, _: Color, _: BoardSize) -> Result<View> {
        let evaluator = RolloutEvaluator::with_params(self.params, self.seed)
            .with_learned(self.learned.clone());
        Ok(View::new(Arc::new(evaluator)).with_ownership(ownership_by_rollouts()))
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        self.params.list()
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        Ok(self.params.set(name, text)?)
    }
}

/// Estimates ownership by rollouts, the same in every run of the program.
pub fn ownership_by_rollouts() -> Arc<dyn Evaluator<Position>> {
    Arc::new(RolloutEvaluator::new(OWNERSHIP_ROLLOUTS, 0))
}
