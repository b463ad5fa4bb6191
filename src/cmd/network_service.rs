//! The network behind a player: one model, shared by the evaluations of the search, by what is
//! judged and by the raw outputs, and exchanged for all of them at once.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::games::rollout_evaluator::RolloutEvaluator;
use crate::games::rollout_mix::RolloutMix;
use crate::go::{BoardSize, Color, Position, Symmetry};
use crate::nn::batcher::Batcher;
use crate::nn::cache::EvalCache;
use crate::nn::evaluator::{NetEvaluator, Question};
use crate::nn::network::Network;
use crate::nn::network_set::NetworkSet;
use crate::nn::settings::NetParams;
use crate::nn::shared::SharedNet;
use crate::params::{ParamEntry, Parameters};
use crate::player::judge::Judge;
use crate::player::service::EvaluationService;
use crate::player::thinker::{Network as RawOutputs, RawNetwork};
use crate::search::evaluator::Evaluator;

/// Remembers what the network has answered.
type Cache = EvalCache<Arc<dyn Evaluator<Position>>>;

/// How a network is asked, besides its parameters.
pub(super) struct Provision {
    /// Positions it is given together.
    pub batch: usize,
    /// Memory for its answers.
    pub cache_bytes: usize,
    /// Tells ownership where the network does not.
    pub ownership: Arc<RolloutEvaluator>,
}

/// The network in use, and how it is asked.
pub(super) struct NetworkService {
    networks: NetworkSet,
    net: Arc<SharedNet>,
    cache: Arc<Cache>,
    mix: Arc<RolloutMix>,
    judge: Judge,
    params: NetParams,
    /// Who is to move at the root, and on what board.
    mover: Color,
    size: BoardSize,
    ownership: Arc<RolloutEvaluator>,
}

impl NetworkService {
    /// Makes the default network ready.
    pub(super) fn new(
        networks: NetworkSet,
        params: NetParams,
        provision: Provision,
    ) -> Result<NetworkService> {
        let (mover, size) = (Color::Black, BoardSize::square(19));
        let first = evaluator(&networks, size, &params, mover)?;
        let net = Arc::new(SharedNet::new(first));
        let asked: Arc<dyn Evaluator<Position>> = match provision.batch {
            0 | 1 => net.clone(),
            batch => Arc::new(Batcher::new(net.clone(), batch)),
        };
        let cache = Arc::new(EvalCache::new(asked, provision.cache_bytes));
        let seed = params.symmetry_seed;
        Ok(NetworkService {
            judge: judge(
                networks.default_network(),
                &net,
                &cache,
                &provision.ownership,
            ),
            networks,
            net,
            mix: Arc::new(RolloutMix::new(cache.clone(), params.rollout_mix, seed)),
            cache,
            params,
            mover,
            size,
            ownership: provision.ownership,
        })
    }

    /// For people: what computes the network in use.
    pub(super) fn computing(&self) -> String {
        self.net.current().computing().to_owned()
    }

    /// Evaluates by the network in use, or from memory, and by random games if these are mixed in.
    pub(super) fn evaluator(&self) -> Arc<dyn Evaluator<Position>> {
        self.mix.clone()
    }

    /// Asks the network in use by these parameters from now on.
    fn ask_by(&mut self, params: NetParams, mover: Color, size: BoardSize) -> Result<()> {
        self.ask_once_by(&params, mover, size)?;
        self.mix.set_share(params.rollout_mix);
        (self.params, self.mover, self.size) = (params, mover, size);
        Ok(())
    }

    /// Asks the one that is for this board so until the next beginning.
    fn ask_once_by(&mut self, params: &NetParams, mover: Color, size: BoardSize) -> Result<()> {
        self.net
            .exchange(evaluator(&self.networks, size, params, mover)?);
        Ok(())
    }
}

impl EvaluationService for NetworkService {
    fn judge(&self) -> &Judge {
        &self.judge
    }

    fn is_for_ownership(&self) -> bool {
        self.judge.asks_the_player()
    }

    fn multiply_adds(&self, size: BoardSize) -> Option<u64> {
        self.networks.multiply_adds(size)
    }

    fn begin(&mut self, mover: Color, size: BoardSize) -> Result<()> {
        self.ask_by(self.params, mover, size)
    }

    fn begin_without_advantage(&mut self, mover: Color, size: BoardSize) -> Result<bool> {
        let without_advantage = NetParams {
            playout_doubling_advantage: 0.0,
            symmetry_seed: 0,
            ..self.params
        };
        self.begin(mover, size)?;
        self.ask_once_by(&without_advantage, mover, size)?;
        Ok(self.params.playout_doubling_advantage != 0.0)
    }

    fn clear_cache(&mut self) {
        self.cache.clear();
    }

    fn load_model(&mut self, file: &Path, size: BoardSize) -> Result<String> {
        let network = Network::read_file(file)?;
        let judge = judge(&network, &self.net, &self.cache, &self.ownership);
        ensure!(
            judge.can_play_on(size),
            "this network cannot play on boards of {}x{}",
            size.width(),
            size.height()
        );
        let networks = self.networks.replaced_by(network);
        self.net
            .exchange(evaluator(&networks, size, &self.params, self.mover)?);
        (self.networks, self.judge, self.size) = (networks, judge, size);
        Ok(self.networks.names())
    }

    fn parameters(&self) -> Vec<ParamEntry> {
        self.params.list()
    }

    fn set_parameter(&mut self, name: &str, text: &str) -> Result<()> {
        let mut params = self.params;
        params.set(name, text)?;
        self.ask_by(params, self.mover, self.size)
    }
}

/// The network for a board, to be asked by these parameters where this color is to move at the root.
fn evaluator(
    networks: &NetworkSet,
    size: BoardSize,
    params: &NetParams,
    mover: Color,
) -> Result<NetEvaluator> {
    let takes_profile = networks.network(size).takes_profile();
    networks.evaluator(size, params.settings(mover, takes_profile))
}

fn judge(
    network: &Network,
    net: &Arc<SharedNet>,
    cache: &Arc<Cache>,
    ownership: &Arc<RolloutEvaluator>,
) -> Judge {
    let judge = match network {
        Network::KataGo(_) => Judge::new(cache.clone(), Some(Arc::new(Outputs(net.clone())))),
        // These do not know the ownership.
        Network::LeelaZero(_) => Judge::new(cache.clone(), None).with_ownership(ownership.clone()),
    };
    match network.only_size() {
        Some(size) => judge.only_on(size),
        None => judge,
    }
}

/// A network's own outputs for the protocol, asked as KataGo does for `kata-raw-nn`: of the
/// settings only the advantage and the draw count.
struct Outputs(Arc<SharedNet>);

impl RawOutputs for Outputs {
    fn raw(&self, position: &Position, symmetry: Symmetry) -> Result<RawNetwork> {
        let net: Arc<NetEvaluator> = self.0.current();
        let mut question = Question::raw(symmetry);
        let features = net.settings().features;
        question.features.playout_doubling_advantage = features.playout_doubling_advantage;
        question.features.draw_value = features.draw_value;
        let output = net.ask(position, &question)?.seen_by(Color::White);
        let area = position.size().area();
        let shown = |&share: &f32| (share >= 0.0).then_some(share);
        Ok(RawNetwork {
            symmetry,
            white_win: output.win,
            white_loss: output.loss,
            no_result: output.no_result,
            white_lead: output.lead,
            white_score_mean: output.score_mean,
            white_score_mean_square: output.score_mean_square,
            variance_time_left: output.variance_time_left,
            shortterm_win_loss_error: output.shortterm_win_loss_error,
            shortterm_score_error: output.shortterm_score_error,
            policy: output.policy[..area].iter().map(shown).collect(),
            policy_pass: output.policy[area],
            white_ownership: output.ownership,
        })
    }
}
