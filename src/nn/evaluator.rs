//! A network as a search's evaluator: features, forward pass, reading of the outputs.

mod request;

pub(super) use request::ROOT_OPTIMISM;
pub use request::{NetRequest, NetSettings};

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use rayon::prelude::*;

use crate::go::{BoardSize, Position, Symmetry};
use crate::search::evaluator::{Attendance, Evaluation, Evaluator, Request};

use super::backend::{Backend, Precision};
use super::batch_queue::{BatchQueue, Expectation, Registration};
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::{self, FeatureSettings, InputBatch, hu, leela};
use super::metadata::{HumanProfile, check_profile};
use super::output::{NetOutput, RawOutput};
use super::runner::Runner;
use super::symmetrized::PointMap;
use super::symmetry_choice::SymmetryChoice;

/// A position, and how it is evaluated.
type PositionRequest<'a> = (&'a Position, NetRequest);

/// Where inputs of many threads are united into forward passes.
type InputQueue = BatchQueue<InputBatch, RawOutput>;

/// Threads that are enough to compute a GPU's inputs; more would only wait for each other.
const CALLERS: u32 = 16;

/// Positions from which on a caller's inputs are computed on several threads, unless callers share a queue.
const MANY: usize = 8;

/// Evaluates positions. KataGo's nets answer on boards of any size, though they have never seen
/// any above 19x19; others see [`NetEvaluator::only_size`]. Clones share the model, and the queue for batches.
#[derive(Clone)]
pub struct NetEvaluator {
    runner: Arc<Runner>,
    /// Unites positions of several threads, if that is wanted.
    queue: Option<Arc<InputQueue>>,
    /// The net's, see [`Net::identity`].
    identity: u64,
    pass_alive_under_suicide: bool,
    takes_profile: bool,
    settings: NetSettings,
    /// Of net and settings, for inner positions and for roots.
    fingerprints: [u64; 2],
}

impl NetEvaluator {
    /// Makes the network ready. A profile is needed if and only if the network was trained on human games; the
    /// optimistic policy of such a network is never used.
    pub fn new(net: &Net, backend: &Backend, settings: NetSettings) -> Result<NetEvaluator> {
        if let Some(inputs) = &net.game_inputs {
            bail!(
                "{} is a network for another game, with the inputs {}: it knows no Go",
                net.name,
                inputs.name
            );
        }
        check_profile(net.wants_metadata(), settings.profile)?;
        let evaluator = NetEvaluator {
            runner: Arc::new(Runner::new(net, backend)?),
            queue: None,
            identity: net.identity(),
            pass_alive_under_suicide: net.pass_alive_under_suicide,
            takes_profile: net.wants_metadata(),
            settings,
            fingerprints: [0; 2],
        };
        evaluator.with_settings(settings)
    }

    /// Makes a Leela Zero net ready, which answers on boards of 19x19 only and knows neither score
    /// nor ownership. Of the settings only those of policy and symmetry matter.
    pub fn of_leela(
        net: &LeelaNet,
        backend: &Backend,
        settings: NetSettings,
    ) -> Result<NetEvaluator> {
        check_profile(false, settings.profile)?;
        let evaluator = NetEvaluator {
            runner: Arc::new(Runner::of_leela(net, backend)?),
            queue: None,
            identity: net.identity(),
            pass_alive_under_suicide: false,
            takes_profile: false,
            settings,
            fingerprints: [0; 2],
        };
        evaluator.with_settings(settings)
    }

    /// The same model with other settings. Profiles are checked as for a new one.
    pub fn with_settings(&self, settings: NetSettings) -> Result<NetEvaluator> {
        check_profile(self.takes_profile, settings.profile)?;
        let mut evaluator = self.clone();
        evaluator.settings = settings;
        evaluator.fingerprints =
            [false, true].map(|is_root| evaluator.computed_fingerprint(is_root));
        Ok(evaluator)
    }

    /// The same model, with a new queue in which the positions of all threads are united into batches of at most
    /// `most`, whatever the settings; each thread computes inputs and reads outputs itself. Without a queue if
    /// `most` is less than 2.
    #[must_use]
    pub fn in_batches(self, most: usize) -> NetEvaluator {
        let queue =
            (most > 1).then(|| Arc::new(BatchQueue::new(most).for_devices(self.runner.devices())));
        NetEvaluator { queue, ..self }
    }

    /// The number format that large layers are computed in, see [`Runner::precision`].
    pub fn precision(&self) -> Precision {
        self.runner.precision()
    }

    /// For display: what computes it.
    pub fn computing(&self) -> &str {
        self.runner.computing()
    }

    /// How it evaluates.
    pub fn settings(&self) -> &NetSettings {
        &self.settings
    }

    /// The only boards that the net is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        self.runner.only_size()
    }

    /// Whether it needs a profile.
    pub fn takes_profile(&self) -> bool {
        self.takes_profile
    }

    /// Made of the net and of those settings that can change its answers.
    fn computed_fingerprint(&self, is_root: bool) -> u64 {
        let mut request = self.request(is_root, Symmetry::IDENTITY);
        // 0 and -0 are written differently.
        request.features.playout_doubling_advantage += 0.0;
        if self.takes_profile {
            request.policy.optimism = 0.0;
        }
        if matches!(
            self.runner.input_version(),
            InputVersion::LeelaZero | InputVersion::Hu
        ) {
            request.features = FeatureSettings::default();
            request.policy.optimism = 0.0;
        }
        let NetSettings {
            symmetry, profile, ..
        } = self.settings;
        let seed = match symmetry {
            SymmetryChoice::Random => self.settings.symmetry_seed,
            SymmetryChoice::Average | SymmetryChoice::Fixed(_) => 0,
        };
        let count = self.symmetry_count(is_root);
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.identity);
        hasher.write(format!("{request:?} {symmetry:?} {seed} {count} {profile:?}").as_bytes());
        hasher.finish()
    }

    /// The output that a search gets, seen by the player to move.
    pub fn output(&self, position: &Position, is_root: bool) -> Result<NetOutput> {
        let requests = self.requests(position, is_root, true);
        Ok(mean_of(self.outputs_one_by_one(&requests)?))
    }

    /// The output for a request, seen by the player to move. The network, not the request, decides about
    /// pass-alive areas.
    pub fn output_for(&self, position: &Position, request: &NetRequest) -> Result<NetOutput> {
        self.average_output(position, request, 1)
    }

    /// As [`NetEvaluator::output_for`], but the mean for a number of symmetries, 1 to 8, the
    /// request's first.
    pub fn average_output(
        &self,
        position: &Position,
        request: &NetRequest,
        symmetries: usize,
    ) -> Result<NetOutput> {
        let requests: Vec<PositionRequest> = request
            .with_symmetries(symmetries)
            .map(|request| (position, request))
            .collect();
        Ok(mean_of(self.outputs_one_by_one(&requests)?))
    }

    /// What a search needs of a position: one request, or one for each of several symmetries.
    fn requests<'a>(
        &self,
        position: &'a Position,
        is_root: bool,
        wants_ownership: bool,
    ) -> Vec<PositionRequest<'a>> {
        let first = match self.settings.symmetry {
            SymmetryChoice::Fixed(symmetry) => symmetry,
            SymmetryChoice::Random => symmetry_of(position, self.settings.symmetry_seed),
            SymmetryChoice::Average => Symmetry::IDENTITY,
        };
        let first = NetRequest {
            wants_ownership,
            ..self.request(is_root, first)
        };
        let requests = first.with_symmetries(self.symmetry_count(is_root));
        requests.map(|request| (position, request)).collect()
    }

    /// Number of symmetries evaluated for a position.
    fn symmetry_count(&self, is_root: bool) -> usize {
        match self.settings.symmetry {
            SymmetryChoice::Average => 8,
            _ if is_root => self.settings.root_symmetries,
            _ => 1,
        }
    }

    fn request(&self, is_root: bool, symmetry: Symmetry) -> NetRequest {
        let NetSettings {
            mut features,
            root_policy,
            policy,
            ..
        } = self.settings;
        features.conservative_pass &= is_root;
        NetRequest {
            features,
            policy: if is_root { root_policy } else { policy },
            symmetry,
            wants_ownership: true,
        }
    }

    /// The outputs in the order of the requests, each by a forward pass of its own.
    fn outputs_one_by_one(&self, requests: &[PositionRequest]) -> Result<Vec<NetOutput>> {
        let answer = |request: &PositionRequest| {
            let raw = self.runner.forward(&self.inputs(request))?.pop();
            self.read(raw.expect("one output per position"), request)
        };
        requests.iter().map(answer).collect()
    }

    /// As [`NetEvaluator::output_for`], with all boards of one size in one forward pass, as GPUs want it, and those of
    /// other threads if there is a queue. The outputs are in the order of the requests.
    pub fn outputs_together(&self, requests: &[(&Position, NetRequest)]) -> Result<Vec<NetOutput>> {
        let inputs = |request| self.inputs(request);
        let in_parallel = self.queue.is_none() && requests.len() >= MANY;
        let inputs: Vec<InputBatch> = match in_parallel {
            true => requests.par_iter().map(inputs).collect(),
            false => requests.iter().map(inputs).collect(),
        };
        let raw = match &self.queue {
            Some(queue) => queue.submit(inputs, &|inputs| self.runner.forward_each(inputs))?,
            None => self.runner.forward_each(&inputs)?,
        };
        let read = |(raw, request)| self.read(raw, request);
        match in_parallel {
            true => raw.into_par_iter().zip(requests).map(read).collect(),
            false => raw.into_iter().zip(requests).map(read).collect(),
        }
    }

    fn read(&self, mut raw: RawOutput, (position, request): &PositionRequest) -> Result<NetOutput> {
        ensure!(
            raw.is_finite(),
            "the network's answer is not a number: its weights are damaged or too large, or training diverged"
        );
        if !request.wants_ownership {
            raw.ownership.clear();
        }
        PointMap::new(request.symmetry, position.size()).restore(&mut raw);
        let mut policy = request.policy;
        if self.settings.profile.is_some() {
            policy.optimism = 0.0;
        }
        Ok(self.runner.read(&raw, position, policy))
    }

    fn metadata(&self, position: &Position) -> Vec<f32> {
        let values = |profile: HumanProfile| profile.values(position.size(), position.to_move());
        self.settings.profile.map(values).unwrap_or_default()
    }

    fn inputs(&self, (position, request): &PositionRequest) -> InputBatch {
        let map = PointMap::new(request.symmetry, position.size());
        let mut settings = request.features;
        settings.pass_alive_under_suicide = self.pass_alive_under_suicide;
        let version = self.runner.input_version();
        let (planes, values) = version.channels();
        let mut global = vec![0.0; values];
        let spatial = UNTURNED.with_borrow_mut(|unturned| {
            unturned.resize(position.size().area() * planes, 0.0);
            features::write(version, position, &settings, unturned, &mut global);
            map.turn(unturned, planes)
        });
        InputBatch {
            size: map.size(),
            spatial,
            global,
            metadata: self.metadata(position),
        }
    }
}

thread_local! {
    /// Room for planes before the symmetry is applied.
    static UNTURNED: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// The mean of the outputs for one position.
fn mean_of(mut answers: Vec<NetOutput>) -> NetOutput {
    match answers.len() {
        1 => answers.swap_remove(0),
        _ => NetOutput::average(&answers).expect("there is an answer"),
    }
}

/// A symmetry that depends on the position and the seed.
fn symmetry_of(position: &Position, seed: u64) -> Symmetry {
    let key = position.key();
    let mixed = ((key as u64) ^ (key >> 64) as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Symmetry::new((mixed >> 61) as usize).expect("three bits")
}

impl NetEvaluator {
    /// Evaluates all positions in one forward pass for each board size, as GPUs want it.
    pub fn evaluate_together(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        let of_each: Vec<Vec<PositionRequest>> =
            requests.iter().map(|it| self.requests_of(it)).collect();
        let mut outputs = self.outputs_together(&of_each.concat())?.into_iter();
        let evaluation = |own: Vec<PositionRequest>| {
            mean_of(outputs.by_ref().take(own.len()).collect()).into_evaluation()
        };
        Ok(of_each.into_iter().map(evaluation).collect())
    }

    fn evaluation(&self, request: &Request<Position>) -> Result<Evaluation> {
        let outputs = self.outputs_one_by_one(&self.requests_of(request))?;
        Ok(mean_of(outputs).into_evaluation())
    }

    fn requests_of<'a>(&self, request: &'a Request<Position>) -> Vec<PositionRequest<'a>> {
        self.requests(&request.position, request.is_root, request.wants_ownership)
    }
}

impl Evaluator<Position> for NetEvaluator {
    /// On a CPU, where larger batches are no faster, one position at a time on each core.
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        match requests {
            _ if self.queue.is_some() || self.runner.prefers_batches() => {
                self.evaluate_together(requests)
            }
            [request] => Ok(vec![self.evaluation(request)?]),
            _ => requests
                .par_iter()
                .map(|request| self.evaluation(request))
                .collect(),
        }
    }

    fn fingerprint(&self, is_root: bool) -> u64 {
        self.fingerprints[usize::from(is_root)]
    }

    fn position_key(&self, position: &Position) -> u128 {
        match self.runner.input_version() {
            InputVersion::LeelaZero => position.long_key(leela::HISTORY),
            InputVersion::Hu => position.long_key(hu::boards_back(position)),
            _ => position.key(),
        }
    }

    fn attend(&self) -> Box<dyn Attendance + '_> {
        match &self.queue {
            Some(queue) => Box::new(queue.register()),
            None => Box::new(()),
        }
    }

    fn callers(&self) -> Option<u32> {
        let is_shared = self.queue.is_some() && self.runner.prefers_batches();
        is_shared.then_some(CALLERS)
    }

    fn expect(&self) -> Box<dyn Attendance + Send + '_> {
        match &self.queue {
            Some(queue) => Box::new(queue.expect()),
            None => Box::new(()),
        }
    }
}

impl Attendance for Registration<'_, InputBatch, RawOutput> {}

impl Attendance for Expectation<'_, InputBatch, RawOutput> {}
