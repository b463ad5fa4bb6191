//! A net as a search's evaluator: features, forward pass, figures.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::go::{BoardSize, Position, Symmetry};
use crate::search::evaluator::{Evaluation, Evaluator, Request};

use super::backend::{Backend, Precision};
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::{FeatureSettings, InputBatch};
use super::metadata::{HumanProfile, check_profile};
use super::output::{NetOutput, PolicySettings, RawOutput};
use super::runner::Runner;
use super::symmetrized::PointMap;
use super::symmetry_choice::SymmetryChoice;

/// Share of the optimistic policy at the root, and in `kata-raw-nn`; in the tree it is 1. (KataGo's
/// choices.)
pub(super) const ROOT_OPTIMISM: f32 = 0.2;

/// One way of asking a net about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// What the net is told.
    pub features: FeatureSettings,
    /// How the policy is read.
    pub policy: PolicySettings,
    /// How the board is turned.
    pub symmetry: Symmetry,
}

impl Question {
    /// KataGo's for `kata-raw-nn`.
    pub fn raw(symmetry: Symmetry) -> Question {
        Question {
            features: FeatureSettings::default(),
            policy: PolicySettings {
                optimism: ROOT_OPTIMISM,
                ..PolicySettings::default()
            },
            symmetry,
        }
    }

    /// The same with so many symmetries, 1 to 8, its own first.
    fn turned(self, ways: usize) -> impl Iterator<Item = Question> {
        let others = Symmetry::all().take(ways);
        others.map(move |other| Question {
            symmetry: Symmetry::new(self.symmetry.number() ^ other.number()).expect("three bits"),
            ..self
        })
    }
}

/// How a search asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetSettings {
    /// What the net is told. `conservative_pass` is meant for the root and ignored elsewhere.
    pub features: FeatureSettings,
    /// How the policy is read at the root.
    pub root_policy: PolicySettings,
    /// How the policy is read elsewhere.
    pub policy: PolicySettings,
    /// The symmetries that are evaluated.
    pub symmetry: SymmetryChoice,
    /// Makes runs with random symmetries differ.
    pub symmetry_seed: u64,
    /// Number of random symmetries, 1 to 8, averaged at the root.
    pub root_symmetries: usize,
    /// Whom to play like; for the nets that want to know, and only those.
    pub profile: Option<HumanProfile>,
}

/// A position, and how the net is asked about it.
type Asked<'a> = (&'a Position, Question);

/// Evaluates positions. KataGo's nets answer on boards of any size, though they have never seen
/// any above 19x19; others see [`NetEvaluator::only_size`]. Clones share the model.
#[derive(Clone)]
pub struct NetEvaluator {
    runner: Arc<Runner>,
    /// The net's, see [`Net::identity`].
    identity: u64,
    pass_alive_under_suicide: bool,
    takes_profile: bool,
    settings: NetSettings,
    /// Of net and settings, for inner positions and for roots.
    fingerprints: [u64; 2],
}

impl NetEvaluator {
    /// Makes the net ready. A profile is needed if and only if the net imitates people; the
    /// optimistic policy of such a net is never used.
    pub fn new(net: &Net, backend: &Backend, settings: NetSettings) -> Result<NetEvaluator> {
        check_profile(net.wants_metadata(), settings.profile)?;
        let evaluator = NetEvaluator {
            runner: Arc::new(Runner::new(net, backend)?),
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
            identity: net.identity(),
            pass_alive_under_suicide: false,
            takes_profile: false,
            settings,
            fingerprints: [0; 2],
        };
        evaluator.with_settings(settings)
    }

    /// The same model asked otherwise. Profiles are checked as for a new one.
    pub fn with_settings(&self, settings: NetSettings) -> Result<NetEvaluator> {
        check_profile(self.takes_profile, settings.profile)?;
        let mut evaluator = self.clone();
        evaluator.settings = settings;
        evaluator.fingerprints =
            [false, true].map(|is_root| evaluator.computed_fingerprint(is_root));
        Ok(evaluator)
    }

    /// The number format that large layers are computed in, see [`Runner::precision`].
    pub fn precision(&self) -> Precision {
        self.runner.precision()
    }

    /// For people: what computes it.
    pub fn computing(&self) -> &str {
        self.runner.computing()
    }

    /// How it is asked.
    pub fn settings(&self) -> &NetSettings {
        &self.settings
    }

    /// The only boards that the net is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        self.runner.only_size()
    }

    /// Whether it needs to be told whom to play like.
    pub fn takes_profile(&self) -> bool {
        self.takes_profile
    }

    /// Made of the net and of those settings that can change its answers.
    fn computed_fingerprint(&self, is_root: bool) -> u64 {
        let mut question = self.question(is_root, Symmetry::IDENTITY);
        // 0 and -0 are written differently.
        question.features.playout_doubling_advantage += 0.0;
        if self.takes_profile {
            question.policy.optimism = 0.0;
        }
        if self.runner.input_version() == InputVersion::LeelaZero {
            question.features = FeatureSettings::default();
            question.policy.optimism = 0.0;
        }
        let NetSettings {
            symmetry, profile, ..
        } = self.settings;
        let seed = match symmetry {
            SymmetryChoice::Random => self.settings.symmetry_seed,
            SymmetryChoice::Average | SymmetryChoice::Fixed(_) => 0,
        };
        let ways = self.ways(is_root);
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.identity);
        hasher.write(format!("{question:?} {symmetry:?} {seed} {ways} {profile:?}").as_bytes());
        hasher.finish()
    }

    /// What a search would be told, seen by the player to move.
    pub fn output(&self, position: &Position, is_root: bool) -> Result<NetOutput> {
        Ok(joined(self.ask_each(&self.questions(position, is_root))?))
    }

    /// What the net says when asked in a certain way, seen by the player to move. The question
    /// does not decide about pass-alive areas; the net does.
    pub fn ask(&self, position: &Position, question: &Question) -> Result<NetOutput> {
        self.ask_turned(position, question, 1)
    }

    /// As [`NetEvaluator::ask`], but the mean of the answers for so many symmetries, 1 to 8, the
    /// question's first.
    pub fn ask_turned(
        &self,
        position: &Position,
        question: &Question,
        ways: usize,
    ) -> Result<NetOutput> {
        let asked: Vec<Asked> = question.turned(ways).map(|q| (position, q)).collect();
        Ok(joined(self.ask_each(&asked)?))
    }

    /// What a search asks about a position: one question, or one for each of several symmetries.
    fn questions<'a>(&self, position: &'a Position, is_root: bool) -> Vec<Asked<'a>> {
        let first = match self.settings.symmetry {
            SymmetryChoice::Fixed(symmetry) => symmetry,
            SymmetryChoice::Random => symmetry_of(position, self.settings.symmetry_seed),
            SymmetryChoice::Average => Symmetry::IDENTITY,
        };
        let questions = self.question(is_root, first).turned(self.ways(is_root));
        questions.map(|question| (position, question)).collect()
    }

    /// In how many ways the board is turned for one position.
    fn ways(&self, is_root: bool) -> usize {
        match self.settings.symmetry {
            SymmetryChoice::Random if is_root => self.settings.root_symmetries,
            SymmetryChoice::Fixed(_) | SymmetryChoice::Random => 1,
            SymmetryChoice::Average => 8,
        }
    }

    fn question(&self, is_root: bool, symmetry: Symmetry) -> Question {
        let NetSettings {
            mut features,
            root_policy,
            policy,
            ..
        } = self.settings;
        features.conservative_pass &= is_root;
        Question {
            features,
            policy: if is_root { root_policy } else { policy },
            symmetry,
        }
    }

    /// The answers in the order of the questions; each question by itself.
    fn ask_each(&self, asked: &[Asked]) -> Result<Vec<NetOutput>> {
        let answer = |asked: &Asked| {
            let raw = self.runner.forward(&self.inputs(asked))?.pop();
            self.read(raw.expect("one answer per position"), asked)
        };
        asked.iter().map(answer).collect()
    }

    /// As [`NetEvaluator::ask`], all questions about boards of one size in one forward pass, as GPUs
    /// want it. The answers are in the order of the questions.
    pub fn ask_together(&self, asked: &[(&Position, Question)]) -> Result<Vec<NetOutput>> {
        let inputs: Vec<InputBatch> = asked.par_iter().map(|asked| self.inputs(asked)).collect();
        let mut raw: Vec<Option<RawOutput>> = vec![None; asked.len()];
        for indices in by_size(&inputs) {
            let batch = InputBatch::joined(indices.iter().map(|&index| &inputs[index]));
            for (index, answer) in indices.into_iter().zip(self.runner.forward(&batch)?) {
                raw[index] = Some(answer);
            }
        }
        let read = |(raw, asked): (Option<RawOutput>, _)| {
            self.read(raw.expect("one answer per position"), asked)
        };
        raw.into_par_iter().zip(asked).map(read).collect()
    }

    fn read(&self, mut raw: RawOutput, (position, question): &Asked) -> Result<NetOutput> {
        ensure!(
            raw.is_finite(),
            "the network's answer is not a number: its weights are damaged or too large, or training diverged"
        );
        PointMap::new(question.symmetry, position.size()).restore(&mut raw);
        let mut policy = question.policy;
        if self.settings.profile.is_some() {
            policy.optimism = 0.0;
        }
        Ok(self.runner.read(&raw, position, policy))
    }

    fn metadata(&self, position: &Position) -> Vec<f32> {
        let values = |profile: HumanProfile| profile.values(position.size());
        self.settings.profile.map(values).unwrap_or_default()
    }

    fn inputs(&self, (position, question): &Asked) -> InputBatch {
        let map = PointMap::new(question.symmetry, position.size());
        let mut settings = question.features;
        settings.pass_alive_under_suicide = self.pass_alive_under_suicide;
        let version = self.runner.input_version();
        let inputs = InputBatch::of(version, position, &settings);
        InputBatch {
            size: map.size(),
            spatial: map.turn(&inputs.spatial, version.channels().0),
            global: inputs.global,
            metadata: self.metadata(position),
        }
    }
}

/// The mean of the answers about one position.
fn joined(mut answers: Vec<NetOutput>) -> NetOutput {
    match answers.len() {
        1 => answers.swap_remove(0),
        _ => NetOutput::average(&answers).expect("there is an answer"),
    }
}

/// Indices of inputs on boards of the same size, in order.
fn by_size(inputs: &[InputBatch]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(BoardSize, Vec<usize>)> = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        match groups.iter_mut().find(|(size, _)| *size == input.size) {
            Some((_, group)) => group.push(index),
            None => groups.push((input.size, vec![index])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
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
        let asked: Vec<Vec<Asked>> = requests
            .iter()
            .map(|request| self.questions(&request.position, request.is_root))
            .collect();
        let mut answers = self.ask_together(&asked.concat())?.into_iter();
        let evaluation = |(request, asked): (&Request<Position>, Vec<Asked>)| {
            let output = joined(answers.by_ref().take(asked.len()).collect());
            output.into_evaluation(request.wants_ownership)
        };
        Ok(requests.iter().zip(asked).map(evaluation).collect())
    }

    fn evaluation(&self, request: &Request<Position>) -> Result<Evaluation> {
        let output = self.output(&request.position, request.is_root)?;
        Ok(output.into_evaluation(request.wants_ownership))
    }
}

impl Evaluator<Position> for NetEvaluator {
    /// On a CPU, where larger batches are no faster, one position at a time on each core.
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        match requests {
            _ if self.runner.likes_batches() => self.evaluate_together(requests),
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
}
