//! Training on GPUs by own kernels (`training.cuh`): parameters, activations, gradients and losses stay on the device.
//! On a single GPU the optimizer's state does so too, and nothing but losses comes back from a step.
//!
//! A network becomes a [`tape`] of operations. [`layout`] places their values and gradients in memory,
//! [`launches`] lists the kernels of both passes and of the losses between them, a [`worker`] runs them for one batch
//! after another, and an [`update`] changes the parameters. Several workers take turns, so that the CPU prepares
//! inputs of one batch while the device computes another.

mod arguments;
mod host;
mod launches;
mod layout;
mod tape;
mod targets;
mod update;
mod worker;

use std::fmt;

use anyhow::{Context, Result, ensure};

use super::engine::{Engine, Held, Holder, StepSettings, Stepped, in_turns};
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::optimizer::OptimizerSettings;
use super::register::{Parameter, add_gradients, times_factors};
use super::weight_sharing::WeightSharing;
use crate::data::batch::Batch;
use crate::nn::desc::InputVersion;
use crate::nn::gpu::{Device, Format};
use tape::Tape;
use update::Update;
use worker::{Purpose, Source, Worker, unscaled};

/// A network on a GPU.
pub struct Gpu<D: Device> {
    tape: Tape,
    parameters: Vec<Parameter>,
    /// Parameters times their factors, unless they are held on the device.
    values: Vec<f32>,
    workers: Vec<Worker<D>>,
    /// A stream for the update, before that is made.
    stream: Option<D>,
    update: Option<Update<D>>,
    /// Whether the update's parameters are the latest.
    is_held: bool,
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
            stream: None,
            update: None,
            is_held: false,
        })
    }

    /// The same, making steps on a device that reads the memory of all workers' devices: another stream of their GPU.
    #[must_use]
    pub fn holding(self, device: D) -> Gpu<D> {
        Gpu {
            stream: Some(device),
            ..self
        }
    }

    /// The losses of some batches, and gradients of the net's tensors if they are downloaded.
    fn compute(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        purpose: Purpose,
    ) -> Result<(Losses, Vec<Vec<f32>>)> {
        let source = match &self.update {
            Some(update) if self.is_held => Source::Device(update.network()),
            _ => Source::Host(&self.values),
        };
        ensure!(
            self.is_held || !self.values.is_empty(),
            "no parameters are loaded"
        );
        let network = (&self.tape, source);
        let workers = self.workers.iter_mut().collect();
        in_turns(workers, batches, |worker, own| {
            worker.run(network, own, objective, purpose)
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
    let gpu = Gpu::new(model, streams.collect::<Result<_>>()?, format)?;
    Ok(match places {
        [place] => gpu.holding(CudaGpu::new(place)?),
        _ => gpu,
    })
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
        self.is_held = false;
        Ok(())
    }

    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses> {
        let purpose = match gradient {
            Some(_) => Purpose::Download,
            None => Purpose::Losses,
        };
        let (losses, gradients) = self.compute(batches, objective, purpose)?;
        if let Some(gradient) = gradient {
            let scale = unscaled(batches.iter().map(Batch::len).sum());
            add_gradients(&self.parameters, gradient, &gradients, scale);
        }
        Ok(losses)
    }

    fn holder(&mut self) -> Option<&mut dyn Holder> {
        let can_hold = self.stream.is_some() || self.update.is_some();
        can_hold.then_some(self)
    }
}

impl<D: Device> Holder for Gpu<D> {
    fn put(
        &mut self,
        held: &Held<&[f32]>,
        optimizer: OptimizerSettings,
        sharing: Option<&WeightSharing>,
    ) -> Result<()> {
        if let Some(device) = self.stream.take() {
            let workers: Vec<[u64; 2]> = self.workers.iter().map(Worker::results).collect();
            let settings = (optimizer, sharing);
            self.update = Some(Update::new(device, &self.parameters, settings, &workers)?);
        }
        let update = self.update.as_ref().context("no device for steps")?;
        update.put(held, optimizer)?;
        self.load(held[0])
    }

    fn step(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        settings: &StepSettings,
    ) -> Result<Stepped> {
        let (losses, _) = self.compute(batches, objective, Purpose::Gradient)?;
        let samples = batches.iter().map(Batch::len).sum();
        let filled = batches.iter().filter(|batch| !batch.is_empty()).count();
        let workers = self.workers.len().min(filled);
        let update = self.update.as_mut().context("no parameters are held")?;
        let (gradient_norm, is_sound) = update.step(settings, (workers, unscaled(samples)))?;
        self.workers.iter_mut().for_each(Worker::forget_parameters);
        self.is_held = true;
        Ok(Stepped {
            losses,
            gradient_norm,
            is_sound,
        })
    }

    fn get(&mut self, held: Held<&mut Vec<f32>>) -> Result<()> {
        let update = self.update.as_mut().context("no parameters are held")?;
        update.get(held)
    }
}

impl<D: Device> fmt::Debug for Gpu<D> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Gpu")
            .field("workers", &self.workers.len())
            .finish_non_exhaustive()
    }
}
