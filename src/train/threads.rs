//! Training with own kernels on several CPU threads.
//!
//! A step's samples are cut into slices of a few boards, small enough for a core's cache. Each
//! thread computes its own slices and sums their gradients; the threads' sums are added in a fixed
//! order. So the result depends on the number of threads in its last digits, but is otherwise
//! reproducible.

use std::ops::Range;

use anyhow::Result;

use crate::nn::cpu::simd::{Isa, Kernels};
use crate::threads::for_each;

use super::cells::Workspace;
use super::engine::{Engine, slices};
use super::graph::Graph;
use super::layers::{Layer, add};
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::real::{Compute, Precision};
use super::stem::Inputs;
use crate::data::batch::Batch;

/// About this many points per slice: one 19x19 board.
const SLICE_POINTS: usize = 19 * 19;

/// The layers, and the threads that use them.
#[derive(Debug)]
pub struct Threads {
    compute: Compute,
    graph: Graph<f32>,
    workers: Vec<Worker>,
}

/// Workspaces that a thread keeps from step to step: mixtures of board sizes need many, each as large as what is known
/// of a slice at all layers.
const KEPT_WORKSPACES: usize = 8;

/// A thread's gradient and workspaces.
#[derive(Debug, Default)]
struct Worker {
    gradient: Vec<f32>,
    /// For slices of different boards, the latest used first.
    workspaces: Vec<Workspace<f32>>,
}

/// Samples of one of the batches of a step.
type Slice = (usize, Range<usize>);

impl Threads {
    /// At least one thread. It is an error if `KEIMA_ISA` names instructions that this machine
    /// lacks.
    pub fn new(model: &Model, threads: usize, precision: Precision) -> Result<Threads> {
        let compute = Compute {
            kernels: Kernels::new(Isa::chosen()?),
            precision,
        };
        let graph = model.graph::<f32>();
        Ok(Threads {
            compute,
            graph,
            workers: (0..threads.max(1)).map(|_| Worker::default()).collect(),
        })
    }
}

impl Engine for Threads {
    fn load(&mut self, parameters: &[f32]) -> Result<()> {
        self.graph.load(self.compute, parameters);
        Ok(())
    }

    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses> {
        let samples: usize = batches.iter().map(Batch::len).sum();
        let (graph, compute, learns) = (&self.graph, self.compute, gradient.is_some());
        let scale = 1.0 / samples as f64;
        let shares = shares(batches, self.workers.len());
        let work = |(worker, share): (&mut Worker, Vec<Slice>)| {
            worker.gradient.clear();
            if learns {
                worker.gradient.resize(graph.parameter_count(), 0.0);
            }
            let mut losses = Losses::default();
            for (batch, samples) in share {
                let slice = (&batches[batch], samples);
                losses += worker.run((graph, compute), objective, slice, scale, learns);
            }
            losses
        };
        let pairs = self.workers.iter_mut().zip(shares).collect();
        let results = for_each(pairs, "training", work);
        if let Some(gradient) = gradient {
            let workers = self.workers.iter();
            workers.for_each(|worker| add(gradient, &worker.gradient));
        }
        let mut losses = Losses::default();
        results.into_iter().for_each(|result| losses += result);
        Ok(losses)
    }
}

/// Slices for each thread, with about equal numbers of points.
fn shares(batches: &[Batch], threads: usize) -> Vec<Vec<Slice>> {
    let mut slices_with_work: Vec<(Slice, usize)> = Vec::new();
    for (index, batch) in batches.iter().enumerate() {
        for samples in slices(batch, SLICE_POINTS) {
            let points = samples.len() * batch.size.area();
            slices_with_work.push(((index, samples), points));
        }
    }
    let all: usize = slices_with_work.iter().map(|(_, work)| work).sum();
    let mut shares = vec![Vec::new(); threads];
    let mut done = 0;
    for (slice, work) in slices_with_work {
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
        let grid = graph.grid(batch.size, samples.len());
        let known = self.workspaces.iter().position(|own| own.grid == grid);
        let known = known.map(|known| self.workspaces.remove(known));
        let mut workspace = known.unwrap_or_else(|| Workspace::new(compute, grid));
        let (planes, globals) = batch.version.channels();
        let planes = batch.size.area() * planes;
        let inputs = Inputs {
            spatial: &batch.inputs.spatial[samples.start * planes..samples.end * planes],
            global: &batch.inputs.global[samples.start * globals..samples.end * globals],
        };
        let (mut predictions, trace) = graph.forward(inputs, &mut workspace);
        let losses = objective.differentiate(&mut predictions, &batch.targets, samples, scale);
        if learns {
            let trace = (trace, inputs);
            graph.backward(trace, &predictions, &mut self.gradient, &mut workspace);
        } else {
            trace.give_back(&mut workspace);
        }
        self.workspaces.truncate(KEPT_WORKSPACES - 1);
        self.workspaces.insert(0, workspace);
        losses
    }
}
