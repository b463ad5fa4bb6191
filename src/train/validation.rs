//! Evaluation of nets on held-out labels, by board size.
//!
//! Nets in training run through their layers, with all heads; other nets through their evaluator,
//! as in play.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use serde_json::{Map, Value};

use crate::go::{BoardSize, Symmetry};
use crate::nn::cpu::simd::{Isa, Kernels};
use crate::nn::desc::InputVersion;
use crate::nn::evaluator::{NetEvaluator, NetRequest};
use crate::nn::features::FeatureSettings;
use crate::nn::output::{NetOutput, PolicySettings};

use super::cells::{Grid, Workspace};
use super::graph::Graph;
use super::heads::{EXTRA_POLICIES, LEAD, Prediction, SHORTTERM_VALUE};
use super::layers::Layer;
use super::model::Model;
use super::real::{Compute, Precision};
use super::stem::Inputs;
use super::terms::{shortterm_error, softmax};
use crate::data::batch::Batch;
use crate::data::boards::Boards;
use crate::data::check::position_of;
use crate::data::label::{Label, sibling_groups};
use crate::data::shard::Shard;
use crate::data::stream::batch_of;

mod chains;
mod diagnosis;
mod errors;
mod fraction;
mod human_games;
mod metrics;
mod siblings;
mod stages;
mod sums;
mod winners;

pub use chains::{CLASSES, ChainCounts};
pub use diagnosis::{Diagnosis, Mistakes, ValueErrors};
pub use fraction::Fraction;
pub use human_games::{HumanMoves, of_games};
pub use metrics::{Answer, Metrics};
pub use winners::{WinnerPrediction, Winners, of_positions};

/// Chooses the network for a board. Called often: load models once.
pub type Networks<'a> = dyn Fn(BoardSize) -> Result<NetEvaluator> + Sync + 'a;

/// Board sizes of the default network.
const DEFAULT_SIDE: usize = 19;
/// About this many cells per batch.
const PASS_CELLS: usize = 400;

/// Metrics by board size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// By area and text of the size.
    sizes: BTreeMap<(usize, String), Metrics>,
    /// Boards evaluated.
    boards: Boards,
    /// Labels, or games, of other boards.
    left_out: usize,
}

impl Report {
    fn of(boards: Boards) -> Report {
        Report {
            boards,
            ..Report::default()
        }
    }

    /// A message about what was left out, if anything.
    pub fn remark(&self) -> Option<String> {
        self.boards.remark(self.left_out)
    }

    /// All sizes together.
    pub fn all(&self) -> Metrics {
        let mut all = Metrics::default();
        self.sizes.values().for_each(|metrics| all += *metrics);
        all
    }

    /// Metrics by size, with `all` first.
    pub fn values(&self) -> Vec<(String, Vec<(&'static str, f64)>)> {
        let sizes = self.sizes.iter();
        let sizes = sizes.map(|((_, size), metrics)| (size.clone(), metrics.values()));
        let all = [("all".to_owned(), self.all().values())];
        all.into_iter().chain(sizes).collect()
    }

    /// As a JSON object of objects, each with the diagnosis if there is one.
    pub fn to_json(&self) -> Value {
        let object = |metrics: &Metrics| -> Value {
            let pairs = metrics.values().into_iter();
            let pairs = pairs.map(|(name, value)| (name.to_owned(), Value::from(value)));
            let diagnosis = metrics.diagnosis().map(|it| it.to_json());
            let diagnosis = diagnosis.map(|it| ("diagnosis".to_owned(), it));
            pairs.chain(diagnosis).collect::<Map<_, _>>().into()
        };
        let sizes = self.sizes.iter();
        let sizes = sizes.map(|((_, size), metrics)| (size.clone(), object(metrics)));
        let all = [("all".to_owned(), object(&self.all()))];
        all.into_iter().chain(sizes).collect::<Map<_, _>>().into()
    }

    fn add(&mut self, result: ShardResult) {
        match result {
            ShardResult::Evaluated(size, metrics) => {
                *self.sizes.entry(size).or_default() += *metrics
            }
            ShardResult::LeftOut(labels) => self.left_out += labels,
        }
    }
}

/// Result for a shard, or a game.
enum ShardResult {
    /// Area and text of the size, and the metrics.
    Evaluated((usize, String), Box<Metrics>),
    /// Left out: so many labels, or games.
    LeftOut(usize),
}

/// Evaluates a model, with any parameter values, on all labels of some shards on these boards.
pub fn of_model(
    model: &Model,
    values: &[f32],
    files: &[PathBuf],
    boards: Boards,
    threads: usize,
) -> Result<Report> {
    let compute = Compute {
        kernels: Kernels::new(Isa::chosen()?),
        precision: Precision::F32,
    };
    let mut graph = model.graph::<f32>();
    graph.load(compute, values);
    let evaluate = |shard: &Shard| evaluate_model(model, &graph, compute, shard);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build()?
        .install(|| of_files(files, boards, &evaluate, &|_| ()))
}

/// Evaluates networks on all labels of some shards, each on its boards, averaging over this many
/// symmetries (1 to 8). `progress` is called with the labels done.
pub fn of_networks(
    networks: &Networks,
    symmetries: usize,
    files: &[PathBuf],
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Report> {
    let evaluate = |shard: &Shard| evaluate_networks(networks, symmetries, shard);
    of_files(files, boards_of(networks)?, &evaluate, progress)
}

/// The network for all boards without one of their own.
pub fn default_network(networks: &Networks) -> Result<NetEvaluator> {
    networks(BoardSize::square(DEFAULT_SIDE))
}

/// Boards of the default network.
fn boards_of(networks: &Networks) -> Result<Boards> {
    Ok(Boards {
        only_size: default_network(networks)?.only_size(),
        sides: None,
    })
}

fn of_files(
    files: &[PathBuf],
    boards: Boards,
    evaluate: &(dyn Fn(&Shard) -> Result<Metrics> + Sync),
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Report> {
    ensure!(!files.is_empty(), "there are no labels");
    let evaluate_file = |path: &PathBuf| -> Result<ShardResult> {
        let shard = Shard::read(path)?;
        if !boards.contain(shard.size) {
            return Ok(ShardResult::LeftOut(shard.labels()));
        }
        let metrics = evaluate(&shard).with_context(|| path.display().to_string())?;
        progress(shard.labels());
        let size = (shard.size.area(), shard.size.to_string());
        Ok(ShardResult::Evaluated(size, Box::new(metrics)))
    };
    let results = files.par_iter().map(evaluate_file);
    // In a fixed order, so that sums do not depend on scheduling.
    let mut report = Report::of(boards);
    let results: Vec<_> = results.collect::<Result<_>>()?;
    results.into_iter().for_each(|result| report.add(result));
    ensure!(!report.sizes.is_empty(), "there are no labels of {boards}");
    Ok(report)
}

/// Line and label indices of all labels.
fn places(shard: &Shard) -> Vec<(usize, usize)> {
    let lines = shard.lines.iter().enumerate();
    let places = lines.flat_map(|(line, it)| (0..it.labels.len()).map(move |label| (line, label)));
    places.collect()
}

/// Adds the values of a shard's labels, the net's and the target's, by sibling group.
fn add_siblings(metrics: &mut Metrics, shard: &Shard, values: &[[f64; 2]]) {
    let lines = shard.lines.iter().enumerate();
    let labels = lines.flat_map(|(line, it)| it.labels.iter().map(move |label| (line, label)));
    let sibling_group = sibling_groups(labels);
    let mut left = values;
    for siblings in sibling_group.chunk_by(|one, other| one == other) {
        let (group, others) = left.split_at(siblings.len());
        metrics.siblings.add(group);
        left = others;
    }
}

fn evaluate_model(
    model: &Model,
    graph: &Graph<f32>,
    compute: Compute,
    shard: &Shard,
) -> Result<Metrics> {
    let one = graph.grid(shard.size, 1);
    let mut workspace = Workspace::new(compute, one);
    let (mut metrics, mut values) = (Metrics::default(), Vec::new());
    for places in places(shard).chunks((PASS_CELLS / one.cells()).max(1)) {
        let batch = batch_of(shard, places, model.batch_version())?;
        if workspace.grid.boards != places.len() {
            let boards = places.len();
            workspace = Workspace::new(compute, Grid { boards, ..one });
        }
        let inputs = Inputs {
            spatial: &batch.inputs.spatial,
            global: &batch.inputs.global,
        };
        let (predictions, trace) = graph.forward(inputs, &mut workspace);
        trace.give_back(&mut workspace);
        for (sample, prediction) in predictions.iter().enumerate() {
            let answer = answer_of(model, prediction, legal_of(&batch, sample));
            values.push(metrics.add(&answer, &batch, sample));
        }
    }
    add_siblings(&mut metrics, shard, &values);
    Ok(metrics)
}

fn legal_of(batch: &Batch, sample: usize) -> &[bool] {
    let moves = batch.size.area() + 1;
    &batch.targets.legal[sample * moves..][..moves]
}

/// Interpretation of raw outputs.
fn answer_of(model: &Model, prediction: &Prediction, legal: &[bool]) -> Answer {
    let human = &prediction.policy[prediction.policy.len() - EXTRA_POLICIES + 2];
    let outcome = softmax(&prediction.value, |_| true);
    let is_complete = model.has_all_outputs();
    let multipliers = model.multipliers();
    let factor = multipliers.shortterm_value_error.into();
    let raw = prediction.score[SHORTTERM_VALUE];
    let (value_error, _) = shortterm_error(model.version(), raw, factor);
    Answer {
        policy: softmax(&prediction.policy[0], |mv| legal[mv]),
        human: is_complete.then(|| softmax(human, |mv| legal[mv])),
        outcome: [outcome[0], outcome[1], outcome[2]],
        lead: is_complete.then(|| prediction.score[LEAD] * f64::from(multipliers.lead)),
        value_error: is_complete.then_some(value_error),
        ownership: match is_complete {
            true => prediction.ownership.iter().map(|raw| raw.tanh()).collect(),
            false => Vec::new(),
        },
    }
}

/// Evaluation settings of a label: as much history as its teacher saw.
pub fn request_of(label: &Label) -> NetRequest {
    request(label.history.into())
}

/// The lead in an answer to [`request_of`] a label, in points; none of a network that knows win and loss only, which
/// gives no ownership either.
pub fn lead_of(output: &NetOutput) -> Option<f32> {
    (!output.ownership.is_empty()).then_some(output.lead)
}

/// Evaluation settings with at most this many previous moves.
fn request(max_history: usize) -> NetRequest {
    NetRequest {
        features: FeatureSettings {
            max_history,
            ..FeatureSettings::default()
        },
        policy: PolicySettings::default(),
        symmetry: Symmetry::IDENTITY,
        wants_ownership: true,
    }
}

fn evaluate_networks(networks: &Networks, symmetries: usize, shard: &Shard) -> Result<Metrics> {
    let (mut metrics, mut values) = (Metrics::default(), Vec::new());
    let network = networks(shard.size)?;
    for place in places(shard) {
        let line = &shard.lines[place.0];
        let label = &line.labels[place.1];
        let position = position_of(line, label)?;
        let request = request_of(label);
        let output = network.average_output(&position, &request, symmetries)?;
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        let answer = Answer {
            policy: wide(&output.policy),
            human: None,
            outcome: [output.win, output.loss, output.no_result].map(f64::from),
            lead: lead_of(&output).map(f64::from),
            value_error: Some(output.shortterm_win_loss_error)
                .filter(|error| *error >= 0.0)
                .map(f64::from),
            ownership: wide(&output.ownership),
        };
        let batch = batch_of(shard, &[place], InputVersion::V7)?;
        values.push(metrics.add(&answer, &batch, 0));
        metrics.diagnose(&position, &answer, &batch, 0);
    }
    add_siblings(&mut metrics, shard, &values);
    Ok(metrics)
}
