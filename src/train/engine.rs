//! Backends that compute losses and gradients: own kernels on the CPU ([`super::threads`]) and on GPUs
//! ([`super::gpu`]), or candle on GPUs ([`super::tensors`]).

use std::fmt;
use std::ops::Range;

use anyhow::{Result, bail};
use candle_core::DType;

use crate::nn::backend::{self, Backend, DeviceChoice};
use crate::nn::candle::{Convolution, Place};
use crate::nn::cpu::simd::{Isa, Kernels};

use super::gpu;
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::optimizer::OptimizerSettings;
use super::real::Precision;
use super::tensors::Tensors;
use super::threads::Threads;
use super::weight_sharing::WeightSharing;
use crate::data::batch::Batch;
use crate::threads::for_each;

/// Runs the forward and backward pass of a model.
pub trait Engine: fmt::Debug + Send {
    /// Loads all parameters, see [`super::register::Parameter::place`].
    fn load(&mut self, parameters: &[f32]) -> Result<()>;

    /// The summed losses of valid batches, which have at least one sample. If `gradient` is given,
    /// the gradient of the mean weighted loss is added to it.
    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses>;

    /// What makes steps in its place, if there is such a thing.
    fn holder(&mut self) -> Option<&mut dyn Holder> {
        None
    }
}

/// Parameters and the optimizer's state: values, their averages, and first and second moments.
pub type Held<T> = [T; 4];

/// What changes from step to step.
#[derive(Clone, Copy, Debug)]
pub struct StepSettings {
    /// Learning rate.
    pub rate: f64,
    /// Number of this step, the first being 1.
    pub step: u64,
    /// Share of the average that is kept.
    pub kept: f32,
}

/// The result of a step that is made where gradients are computed.
#[derive(Clone, Copy, Debug)]
pub struct Stepped {
    /// Losses before the update.
    pub losses: Losses,
    /// Gradient norm before clipping.
    pub gradient_norm: f64,
    /// Whether losses and gradient are finite; otherwise nothing has changed.
    pub is_sound: bool,
}

/// Keeps parameters and the optimizer's state where gradients are computed, so that they need not be moved.
pub trait Holder {
    /// Takes them over, before the first step and whenever they have been changed elsewhere.
    fn put(
        &mut self,
        held: &Held<&[f32]>,
        optimizer: OptimizerSettings,
        sharing: Option<&WeightSharing>,
    ) -> Result<()>;

    /// Makes a step with all batches, as [`Engine::run`] takes them.
    fn step(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        settings: &StepSettings,
    ) -> Result<Stepped>;

    /// Copies them back.
    fn get(&mut self, held: Held<&mut Vec<f32>>) -> Result<()>;
}

/// Deals a step's batches out among workers, which compute them at the same time. Returns the sum of their losses,
/// and their gradients.
pub(super) fn in_turns<W: Send>(
    workers: Vec<W>,
    batches: &[Batch],
    work: impl Fn(W, &[&Batch]) -> Result<(Losses, Option<Vec<f32>>)> + Sync,
) -> Result<(Losses, Vec<Vec<f32>>)> {
    let batches: Vec<&Batch> = batches.iter().filter(|batch| !batch.is_empty()).collect();
    let count = workers.len().min(batches.len());
    let dealt = |number: usize| {
        let own = batches.iter().skip(number).step_by(count);
        own.copied().collect::<Vec<_>>()
    };
    let pairs = workers.into_iter().zip((0..count).map(dealt)).collect();
    let (mut losses, mut gradients) = (Losses::default(), Vec::new());
    for result in for_each(pairs, "training", |(worker, own)| work(worker, &own)) {
        let (own, gradient) = result?;
        losses += own;
        gradients.extend(gradient);
    }
    Ok((losses, gradients))
}

/// Device and number format of training.
#[derive(Clone, Debug)]
pub enum Site {
    /// On the CPU, by our own kernels.
    Cpu {
        /// At least 1.
        threads: usize,
        /// Format of the operands.
        precision: Precision,
    },
    /// With candle: on a GPU, or on the CPU for comparison.
    Candle(Place),
    /// On one or more GPUs, by own kernels for the networks that they know, else by candle on the first.
    Gpu(Vec<Place>),
}

impl Site {
    /// Resolves the user's choice: `auto` is a usable GPU if there is one, else the CPU; `warn` is
    /// called with the reason if there is no GPU. A precision of `auto` is the fastest one. GPUs
    /// have no int16, CPUs no f16.
    pub fn open(
        device: DeviceChoice,
        precision: backend::Precision,
        threads: usize,
        warn: &mut dyn FnMut(String),
    ) -> Result<Site> {
        use backend::Precision as Chosen;
        let by_candle = |place: Place| {
            Site::Candle(Place {
                // The only format with a fast backward pass.
                convolution: Convolution::Shifted,
                ..place
            })
        };
        let on_gpu = |device| match backend::open(device, precision)?.backend {
            Backend::Gpu(places) if places[0].dtype != DType::BF16 => Ok(Site::Gpu(places)),
            Backend::Gpu(mut places) => Ok(by_candle(places.swap_remove(0))),
            Backend::Candle(place) => Ok(by_candle(place)),
            Backend::Cpu { .. } | Backend::Fake(_) => bail!("there is no such GPU"),
        };
        let on_cpu = || {
            Ok(Site::Cpu {
                threads: threads.max(1),
                precision: match precision {
                    Chosen::Auto => Precision::auto(Kernels::new(Isa::chosen()?)),
                    Chosen::F32 => Precision::F32,
                    Chosen::Bf16 => Precision::Bf16,
                    Chosen::Int16 => Precision::Int16,
                    Chosen::F16 => bail!("training computes in f16 only on a GPU"),
                },
            })
        };
        match device {
            DeviceChoice::Cpu => on_cpu(),
            DeviceChoice::Candle if !matches!(precision, Chosen::Auto | Chosen::F32) => {
                bail!("candle computes in f32 only on a CPU")
            }
            DeviceChoice::Candle => Ok(by_candle(Place::cpu())),
            DeviceChoice::Cuda(_) | DeviceChoice::CudaSet(_) | DeviceChoice::CandleCuda(_)
                if precision == Chosen::Int16 =>
            {
                bail!("training computes in int16 only on a CPU")
            }
            // Small gradients would become 0 in f16.
            DeviceChoice::CandleCuda(number) if precision != Chosen::F32 => {
                let opened = backend::open(DeviceChoice::CandleCuda(number), Chosen::Bf16)?;
                match opened.backend {
                    Backend::Candle(place) => Ok(by_candle(place)),
                    _ => bail!("there is no such GPU"),
                }
            }
            DeviceChoice::Cuda(_) | DeviceChoice::CudaSet(_) | DeviceChoice::CandleCuda(_) => {
                on_gpu(device)
            }
            DeviceChoice::Auto if !cfg!(feature = "cuda") || precision == Chosen::Int16 => on_cpu(),
            DeviceChoice::Auto => on_gpu(DeviceChoice::Cuda(0)).or_else(|error| {
                warn(format!("there is no usable GPU: {error:#}"));
                on_cpu()
            }),
        }
    }

    /// Whether it leaves CPU cores free for other work.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Site::Candle(_) | Site::Gpu(_))
    }

    /// Why the GPU's own kernels are not used, if they would be for other models.
    pub fn remark(&self, model: &Model) -> Option<String> {
        match self {
            Site::Gpu(_) => gpu::check(model).err().map(|error| {
                format!("candle computes this network: there are no own kernels for {error:#}")
            }),
            _ => None,
        }
    }

    /// An engine for models like this one; parameters are loaded later.
    pub fn engine(&self, model: &Model) -> Result<Box<dyn Engine>> {
        Ok(match self {
            Site::Cpu { threads, precision } => {
                Box::new(Threads::new(model, *threads, *precision)?)
            }
            Site::Candle(place) => Box::new(Tensors::new(model, place)?),
            #[cfg(feature = "cuda")]
            Site::Gpu(places) if gpu::check(model).is_ok() => Box::new(gpu::open(model, places)?),
            Site::Gpu(places) => {
                let place = &places[0];
                let dtype = match place.dtype {
                    DType::F16 => DType::BF16,
                    other => other,
                };
                let convolution = Convolution::Shifted;
                let place = Place {
                    dtype,
                    convolution,
                    ..place.clone()
                };
                Box::new(Tensors::new(model, &place)?)
            }
        })
    }
}

/// For display, for example `2 threads, bf16`.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Site::Cpu { threads, precision } => {
                let thread = if *threads == 1 { "thread" } else { "threads" };
                write!(f, "{threads} {thread}, {}", precision.name())
            }
            Site::Candle(place) => place.fmt(f),
            Site::Gpu(places) => match places.len() {
                1 => write!(f, "CUDA ({})", places[0].dtype.as_str()),
                count => write!(f, "CUDA on {count} GPUs ({})", places[0].dtype.as_str()),
            },
        }
    }
}

/// Splits a batch into runs of about this many points; siblings stay together.
pub(super) fn slices(batch: &Batch, points: usize) -> Vec<Range<usize>> {
    let boards = (points / batch.size.area()).max(1);
    let sibling_group = &batch.targets.sibling_group;
    let mut slices = Vec::new();
    let mut first = 0;
    while first < batch.len() {
        let mut end = batch.len().min(first + boards);
        while end < batch.len() && sibling_group[end] == sibling_group[end - 1] {
            end += 1;
        }
        slices.push(first..end);
        first = end;
    }
    slices
}
