//! Training steps: batches to gradients on several threads, gradients to parameters.
//!
//! A step's samples are cut into slices of a few boards, small enough for a core's cache, but never
//! between siblings. Each thread computes its own run of slices and sums their gradients; the sums of
//! the threads are added in their order. So the result depends on the number of threads in its last
//! digits, but on nothing else.

use std::ops::Range;
use std::thread;

use anyhow::{Result, ensure};

use crate::nn::cpu::simd::{Isa, Kernels};
use crate::nn::features::{GLOBALS, PLANES};

use super::batch::Batch;
use super::cells::{Grid, Workspace};
use super::graph::Graph;
use super::layers::Layer;
use super::losses::{LossWeights, Losses};
use super::model::Model;
use super::objective::Objective;
use super::optimizer::{Optimizer, OptimizerSettings};
use super::real::{Compute, Precision};
use super::schedule::Schedule;
use super::stem::Inputs;

/// Cells of the boards of a slice, about: those of one 19x19 board.
const SLICE_CELLS: usize = 400;

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainerSettings {
    /// How parameters follow gradients.
    pub optimizer: OptimizerSettings,
    /// How fast.
    pub schedule: Schedule,
    /// How much each head's loss counts.
    pub losses: LossWeights,
    /// After so many samples, the average of the parameters has forgotten half of what it was ...
    pub average_half_life: u64,
    /// ... or after this share of all samples so far, if that is more.
    pub average_share: f64,
    /// How many threads compute; at least 1.
    pub threads: usize,
    /// How precisely.
    pub precision: Precision,
}

/// A run of training.
#[derive(Debug)]
pub struct Trainer {
    /// What is trained.
    pub model: Model,
    /// Averages of its parameters over time.
    pub average: Vec<f32>,
    /// What it remembers of gradients.
    pub optimizer: Optimizer,
    /// Samples seen.
    pub samples: u64,
    settings: TrainerSettings,
    compute: Compute,
    graph: Graph<f32>,
    workers: Vec<Worker>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Before the parameters were changed.
    pub losses: Losses,
    /// Length of the gradient before it was clipped.
    pub gradient_norm: f64,
    /// The learning rate.
    pub rate: f64,
}

/// A thread's memory, kept from step to step.
#[derive(Debug, Default)]
struct Worker {
    gradient: Vec<f32>,
    workspaces: Vec<Workspace<f32>>,
}

/// Some samples of one of the batches of a step.
type Slice = (usize, Range<usize>);

impl Trainer {
    /// Starts a run with a model. It is an error if `KEIMA_ISA` names no instructions of this
    /// machine.
    pub fn new(model: Model, settings: TrainerSettings) -> Result<Trainer> {
        let compute = Compute {
            kernels: Kernels::new(Isa::chosen()?),
            precision: settings.precision,
        };
        let len = model.values.len();
        let mut graph = model.graph::<f32>();
        graph.load(compute, &model.values);
        let worker = || Worker {
            gradient: vec![0.0; len],
            workspaces: Vec::new(),
        };
        Ok(Trainer {
            average: model.values.clone(),
            optimizer: Optimizer::new(settings.optimizer, len),
            samples: 0,
            compute,
            graph,
            workers: (0..settings.threads.max(1)).map(|_| worker()).collect(),
            settings,
            model,
        })
    }

    /// The settings of the run.
    pub fn settings(&self) -> &TrainerSettings {
        &self.settings
    }

    /// Learns from all batches at once; each sample counts the same whatever its board. It is an
    /// error if a batch is not sound, or if losses or gradients are no longer numbers, after which
    /// the parameters are those from before.
    pub fn step(&mut self, batches: &[Batch]) -> Result<StepReport> {
        let losses = self.gradient(batches)?;
        let mut gradient = std::mem::take(&mut self.workers[0].gradient);
        let gradient_norm = self.optimizer.clip(&mut gradient);
        let rate = self.settings.schedule.rate(self.samples);
        let is_sound = gradient_norm.is_finite() && losses.total(&self.settings.losses).is_finite();
        if is_sound {
            let parameters = self.model.parameters().to_vec();
            let values = &mut self.model.values;
            self.optimizer
                .step(&parameters, values, &gradient, rate, self.compute.kernels);
            self.graph.load(self.compute, &self.model.values);
            self.samples += losses.samples as u64;
            self.update_average(losses.samples);
        }
        self.workers[0].gradient = gradient;
        ensure!(is_sound, "the gradient's length is {gradient_norm}");
        Ok(StepReport {
            losses,
            gradient_norm,
            rate,
        })
    }

    /// The losses of some batches; nothing is learned.
    pub fn evaluate(&mut self, batches: &[Batch]) -> Result<Losses> {
        self.run(batches, false)
    }

    /// Losses and gradient of some batches, without a step: for tests and experiments. The
    /// gradient is that of the mean of the weighted losses.
    pub fn losses_and_gradient(&mut self, batches: &[Batch]) -> Result<(Losses, Vec<f32>)> {
        let losses = self.gradient(batches)?;
        Ok((losses, self.workers[0].gradient.clone()))
    }

    /// Makes the graph anew after the model's values have been changed from outside.
    pub fn reload(&mut self) {
        self.graph.load(self.compute, &self.model.values);
    }

    fn update_average(&mut self, samples: f64) {
        let half_life = self.settings.average_half_life as f64;
        let half_life = half_life.max(self.settings.average_share * self.samples as f64);
        let kept = 0.5f64.powf(samples / half_life.max(1.0)) as f32;
        for (average, value) in self.average.iter_mut().zip(&self.model.values) {
            *average += (*value - *average) * (1.0 - kept);
        }
    }

    /// Leaves the gradient with the first worker.
    fn gradient(&mut self, batches: &[Batch]) -> Result<Losses> {
        for worker in &mut self.workers {
            worker.gradient.fill(0.0);
        }
        let losses = self.run(batches, true)?;
        let (first, others) = self.workers.split_at_mut(1);
        for other in others {
            for (sum, value) in first[0].gradient.iter_mut().zip(&other.gradient) {
                *sum += *value;
            }
        }
        Ok(losses)
    }

    fn run(&mut self, batches: &[Batch], learns: bool) -> Result<Losses> {
        batches.iter().try_for_each(Batch::check)?;
        let samples: usize = batches.iter().map(Batch::len).sum();
        ensure!(samples > 0, "no samples");
        if let Some(size) = self.model.only_size() {
            ensure!(
                batches.iter().all(|batch| batch.size == size),
                "this network learns from {size} boards only"
            );
        }
        let objective = Objective {
            weights: self.settings.losses,
            multipliers: self.model.multipliers(),
            version: self.model.version(),
        };
        let (graph, compute) = (&self.graph, self.compute);
        let scale = 1.0 / samples as f64;
        let shares = shares(batches, self.workers.len());
        let work = |worker: &mut Worker, share: Vec<Slice>| {
            let mut losses = Losses::default();
            for (batch, samples) in share {
                let slice = (&batches[batch], samples);
                losses += worker.run((graph, compute), &objective, slice, scale, learns);
            }
            losses
        };
        let results: Vec<Losses> = thread::scope(|scope| {
            let pairs = self.workers.iter_mut().zip(shares);
            let work = &work;
            let threads: Vec<_> = pairs
                .map(|(worker, share)| scope.spawn(move || work(worker, share)))
                .collect();
            let join = |thread: thread::ScopedJoinHandle<Losses>| match thread.join() {
                Ok(losses) => losses,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(join).collect()
        });
        let mut losses = Losses::default();
        results.into_iter().for_each(|result| losses += result);
        Ok(losses)
    }
}

/// Slices for each thread, with about as many cells for each.
fn shares(batches: &[Batch], threads: usize) -> Vec<Vec<Slice>> {
    let cells = |batch: &Batch| {
        let size = batch.size;
        Grid { size, boards: 1 }.cells()
    };
    let mut slices: Vec<(Slice, usize)> = Vec::new();
    for (index, batch) in batches.iter().enumerate() {
        let boards = (SLICE_CELLS / cells(batch)).max(1);
        let family = &batch.targets.family;
        let mut first = 0;
        while first < batch.len() {
            let mut end = batch.len().min(first + boards);
            while end < batch.len() && family[end] == family[end - 1] {
                end += 1;
            }
            slices.push(((index, first..end), (end - first) * cells(batch)));
            first = end;
        }
    }
    let all: usize = slices.iter().map(|(_, work)| work).sum();
    let mut shares = vec![Vec::new(); threads];
    let mut done = 0;
    for (slice, work) in slices {
        shares[done * threads / all.max(1)].push(slice);
        done += work;
    }
    shares
}

impl Worker {
    fn run(
        &mut self,
        (graph, compute): (&Graph<f32>, Compute),
        objective: &Objective,
        (batch, samples): (&Batch, Range<usize>),
        scale: f64,
        learns: bool,
    ) -> Losses {
        let grid = Grid {
            size: batch.size,
            boards: samples.len(),
        };
        let known = self.workspaces.iter().position(|own| own.grid == grid);
        let known = known.unwrap_or_else(|| {
            self.workspaces.push(Workspace::new(compute, grid));
            self.workspaces.len() - 1
        });
        let workspace = &mut self.workspaces[known];
        let (planes, globals) = (batch.size.area() * PLANES, GLOBALS);
        let inputs = Inputs {
            spatial: &batch.inputs.spatial[samples.start * planes..samples.end * planes],
            global: &batch.inputs.global[samples.start * globals..samples.end * globals],
        };
        let (mut predictions, trace) = graph.forward(inputs, workspace);
        let losses = objective.differentiate(&mut predictions, &batch.targets, samples, scale);
        if learns {
            let trace = (trace, inputs);
            graph.backward(trace, &predictions, &mut self.gradient, workspace);
        } else {
            trace.give_back(workspace);
        }
        losses
    }
}
