//! Networks as the source of a player's evaluations: one set of networks, each in memory once, and one store
//! of their evaluations, shared by all views.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};

use super::evaluators::{Evaluators, ModelInfo, ownership_by_rollouts};
use super::view::View;
use crate::games::rollout_evaluator::{RolloutEvaluator, RolloutParams};
use crate::games::rollout_mix::RolloutMix;
use crate::games::rollout_policy::Tables;
use crate::go::{BoardSize, Color, Position, Rules, Symmetry};
use crate::nn::backend::Precision;
use crate::nn::cache::{EvalCache, EvalStore};
use crate::nn::desc::input_version_of;
use crate::nn::evaluator::{NetEvaluator, NetRequest};
use crate::nn::features::known_rules;
use crate::nn::metadata::check_profile;
use crate::nn::network::Network;
use crate::nn::network_set::NetworkSet;
use crate::nn::output::NetOutput;
use crate::nn::settings::NetParams;
use crate::params::{ParamEntry, Parameters};
use crate::search::evaluator::Evaluator;

/// Networks, how they are used, and what they have answered. Clones share the networks and the answers, but
/// each has parameters of its own.
#[derive(Clone)]
pub struct Networks {
    networks: Arc<NetworkSet>,
    params: NetParams,
    cache: Arc<EvalStore>,
    rollout_seed: u64,
    learned: Option<Arc<Tables>>,
}

impl Networks {
    /// Remembers the evaluations that fit in `cache_bytes`.
    pub fn new(networks: Arc<NetworkSet>, params: NetParams, cache_bytes: usize) -> Networks {
        Networks {
            networks,
            params,
            cache: Arc::new(EvalStore::new(cache_bytes)),
            rollout_seed: params.symmetry_seed,
            learned: None,
        }
    }

    /// The same with this learned policy of rollouts, for those mixed into values, or that of the program.
    #[must_use]
    pub fn with_learned(self, learned: Option<Arc<Tables>>) -> Networks {
        Networks { learned, ..self }
    }

    /// The same networks with an empty store of evaluations of its own, of this size.
    #[must_use]
    pub fn with_own_store(self, cache_bytes: usize) -> Networks {
        let cache = Arc::new(EvalStore::new(cache_bytes));
        Networks { cache, ..self }
    }

    /// Rollouts to be mixed into values.
    fn rollouts(&self, params: &NetParams) -> RolloutEvaluator {
        let params = RolloutParams {
            policy: params.rollout_mix_policy,
            ..RolloutParams::default()
        };
        RolloutEvaluator::with_params(params, self.rollout_seed).with_learned(self.learned.clone())
    }

    /// The device and number format that compute the network for a board.
    pub fn computing(&self, size: BoardSize) -> Result<String> {
        let evaluator = evaluator(&self.networks, size, &self.params, Color::Black)?;
        Ok(evaluator.computing().to_owned())
    }

    fn view_with(&self, params: &NetParams, mover: Color, size: BoardSize) -> Result<View> {
        let network = evaluator(&self.networks, size, params, mover)?;
        let raw = network.clone();
        let cached = Arc::new(EvalCache::with_store(network, Arc::clone(&self.cache)));
        let evaluator: Arc<dyn Evaluator<Position>> = match params.rollout_mix {
            0.0 => cached,
            share => Arc::new(RolloutMix::new(cached, share, self.rollouts(params))),
        };
        let view = View::new(evaluator).with_multiply_adds(self.networks.multiply_adds(size));
        Ok(match self.networks.network(size) {
            Network::KataGo(_) => {
                view.with_raw_outputs(Arc::new(move |position: &Position, symmetry, optimism| {
                    raw_outputs(&raw, position, symmetry, optimism)
                }))
            }
            // These estimate no ownership.
            Network::LeelaZero(_) => view.with_ownership(ownership_by_rollouts()),
        })
    }
}

impl Evaluators for Networks {
    fn view(&self, mover: Color, size: BoardSize) -> Result<View> {
        self.view_with(&self.params, mover, size)
    }

    fn neutral_view(&self, mover: Color, size: BoardSize) -> Result<View> {
        let params = NetParams {
            playout_doubling_advantage: 0.0,
            symmetry_seed: 0,
            ..self.params
        };
        self.view_with(&params, mover, size)
    }

    fn has_advantage(&self) -> bool {
        self.params.playout_doubling_advantage != 0.0
    }

    fn set_advantage(&mut self, side: Color, doublings: f64) -> Result<()> {
        self.params.playout_doubling_advantage_side = Some(side);
        self.params.playout_doubling_advantage = doublings as f32;
        Ok(())
    }

    fn can_play_on(&self, size: BoardSize) -> bool {
        can_play_on(self.networks.network(size), size)
    }

    fn known_rules(&self, rules: &Rules, size: BoardSize) -> Rules {
        match self.networks.network(size) {
            Network::KataGo(net) => known_rules(input_version_of(net.version), rules),
            Network::LeelaZero(_) => *rules,
        }
    }

    fn clear_cache(&mut self) {
        self.cache.clear();
    }

    fn models(&self) -> Vec<ModelInfo> {
        let size = BoardSize::square(19);
        let evaluator = evaluator(&self.networks, size, &self.params, Color::Black);
        let is_f16 = evaluator.is_ok_and(|it| it.precision() == Precision::F16);
        let described = |network: &Network| ModelInfo {
            name: network.name(),
            internal_name: network.name(),
            max_batch_size: self.networks.batch(),
            uses_human_sl_profile: network.takes_profile(),
            version: network.version(),
            using_fp16: is_f16.to_string(),
        };
        self.networks.all().map(described).collect()
    }

    fn load_model(&mut self, file: &Path, size: BoardSize) -> Result<String> {
        let network = Network::read_file(file)?;
        ensure!(
            can_play_on(&network, size),
            "this network cannot play on boards of {}x{}",
            size.width(),
            size.height()
        );
        let networks = self.networks.replaced_by(network);
        evaluator(&networks, size, &self.params, Color::Black)?;
        self.networks = Arc::new(networks);
        Ok(self.networks.names())
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        self.params.list()
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let mut params = self.params;
        params.set(name, text)?;
        let takes_profile = self.networks.default_network().takes_profile();
        check_profile(
            takes_profile,
            params.human_profile.filter(|_| takes_profile),
        )?;
        self.params = params;
        Ok(())
    }
}

fn can_play_on(network: &Network, size: BoardSize) -> bool {
    network.only_size().is_none_or(|only| only == size)
}

/// The network for a board with these parameters, for a search at whose root `mover` is to move.
fn evaluator(
    networks: &NetworkSet,
    size: BoardSize,
    params: &NetParams,
    mover: Color,
) -> Result<NetEvaluator> {
    let takes_profile = networks.network(size).takes_profile();
    networks.evaluator(size, params.settings(mover, takes_profile))
}

/// A network's outputs as KataGo gives them for `kata-raw-nn`: of the settings only the advantage, the
/// value of a draw and, where no other is given, the optimism of the root's policy count.
fn raw_outputs(
    network: &NetEvaluator,
    position: &Position,
    symmetry: Symmetry,
    optimism: Option<f32>,
) -> Result<NetOutput> {
    let mut request = NetRequest::raw(symmetry);
    let settings = network.settings();
    request.policy.optimism = optimism.unwrap_or(settings.root_policy.optimism);
    let features = settings.features;
    request.features.playout_doubling_advantage = features.playout_doubling_advantage;
    request.features.draw_value = features.draw_value;
    Ok(network
        .output_for(position, &request)?
        .seen_by(Color::White))
}
