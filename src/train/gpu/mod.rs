//! Training on GPUs by own kernels (`training.cuh`): parameters, activations and gradients of values stay on the
//! device. Losses are computed on the CPU for all engines ([`super::objective`]).
//!
//! A network becomes a [`tape`] of operations. [`layout`] places their values and gradients in memory,
//! [`launches`] lists the kernels of both passes, and a [`worker`] runs them for one batch after another; several
//! take turns, so that the CPU computes losses of one batch while the device computes another.

mod arguments;
mod host;
mod launches;
mod layout;
mod tape;
mod worker;

use std::fmt;

use anyhow::{Result, ensure};

use super::engine::{Engine, in_turns};
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::register::{Parameter, add_gradients, times_factors};
use crate::data::batch::Batch;
use crate::nn::desc::InputVersion;
use crate::nn::gpu::{Device, Format};
use tape::Tape;
use worker::Worker;

/// A network on a GPU.
pub struct Gpu<D: Device> {
    tape: Tape,
    parameters: Vec<Parameter>,
    /// Parameters times their factors.
    values: Vec<f32>,
    workers: Vec<Worker<D>>,
}

impl<D: Device> Gpu<D> {
    /// With a worker for each device, which may be streams of one GPU; parameters are loaded later. It is an error if
    /// the network has layers without kernels.
    pub fn new(model: &Model, devices: Vec<D>, format: Format) -> Result<Gpu<D>> {
        let tape = tape_of(model)?;
        let (parameters, len) = (model.parameters().to_vec(), model.values.len());
        let workers = devices.into_iter();
        let workers = workers.map(|device| Worker::new(device, &tape, format, len));
        Ok(Gpu {
            workers: workers.collect::<Result<_>>()?,
            tape,
            parameters,
            values: Vec::new(),
        })
    }
}

/// Streams of a GPU that take turns.
#[cfg(feature = "cuda")]
const STREAMS: usize = 4;

/// On GPUs that candle has opened, in f32 or f16.
#[cfg(feature = "cuda")]
pub fn open(
    model: &Model,
    places: &[crate::nn::candle::Place],
) -> Result<Gpu<crate::nn::gpu::cuda::CudaGpu>> {
    use crate::nn::gpu::cuda::CudaGpu;
    let format = match places[0].dtype {
        candle_core::DType::F32 => Format::F32,
        _ => Format::F16,
    };
    // So that few batches are spread over all GPUs.
    let streams = (0..STREAMS).flat_map(|_| places).map(CudaGpu::new);
    Gpu::new(model, streams.collect::<Result<_>>()?, format)
}

/// Refuses networks with layers that there are no kernels for.
pub fn check(model: &Model) -> Result<()> {
    tape_of(model).map(|_| ())
}

fn tape_of(model: &Model) -> Result<Tape> {
    let net = model.net();
    ensure!(net.input_version() == InputVersion::V7, "other inputs");
    Tape::new(&net, model.parameters())
}

impl<D: Device> Engine for Gpu<D> {
    fn load(&mut self, parameters: &[f32]) -> Result<()> {
        self.values = parameters.to_vec();
        times_factors(&self.parameters, &mut self.values);
        self.workers.iter_mut().for_each(Worker::forget_parameters);
        Ok(())
    }

    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses> {
        let samples: usize = batches.iter().map(Batch::len).sum();
        let learns = gradient.is_some();
        ensure!(!self.values.is_empty(), "no parameters are loaded");
        let network = (&self.tape, &self.values[..]);
        let workers = self.workers.iter_mut().collect();
        let (losses, gradients) = in_turns(workers, batches, |worker, own| {
            worker.run(network, own, objective, (samples, learns))
        })?;
        if let Some(gradient) = gradient {
            let scale = worker::unscaled(samples);
            add_gradients(&self.parameters, gradient, &gradients, scale);
        }
        Ok(losses)
    }
}

impl<D: Device> fmt::Debug for Gpu<D> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Gpu")
            .field("workers", &self.workers.len())
            .finish_non_exhaustive()
    }
}
