//! Backends that compute losses and gradients: own kernels on the CPU ([`super::threads`]), or
//! candle on GPUs ([`super::tensors`]).

use std::fmt;
use std::ops::Range;

use anyhow::{Result, bail};

use crate::nn::backend::{self, Backend, DeviceChoice};
use crate::nn::candle::{Convolution, Place};
use crate::nn::cpu::simd::{Isa, Kernels};

use super::cells::Grid;
use super::losses::Losses;
use super::model::Model;
use super::objective::Objective;
use super::real::Precision;
use super::tensors::Tensors;
use super::threads::Threads;
use crate::data::batch::Batch;

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
    /// With candle, on a GPU.
    Candle(Place),
}

impl Site {
    /// Resolves the user's choice: `auto` is a usable GPU if there is one, else the CPU; `warn` is
    /// called with the reason if there is no GPU. Without a precision it is the fastest one. GPUs
    /// have no int16.
    pub fn open(
        device: DeviceChoice,
        precision: Option<Precision>,
        threads: usize,
        warn: &mut dyn FnMut(String),
    ) -> Result<Site> {
        let on_gpu = |number| {
            let precision = match precision {
                Some(Precision::F32) => backend::Precision::F32,
                Some(Precision::Bf16) | None => backend::Precision::Bf16,
                Some(Precision::Int16) => bail!("training computes in int16 only on a CPU"),
            };
            backend::open(DeviceChoice::CandleCuda(number), precision)
        };
        let opened = match device {
            DeviceChoice::Cpu => None,
            DeviceChoice::Candle if precision.is_some_and(|chosen| chosen != Precision::F32) => {
                bail!("candle computes in f32 only on a CPU")
            }
            DeviceChoice::Candle => Some(backend::open(device, backend::Precision::F32)?),
            DeviceChoice::Cuda(number) | DeviceChoice::CandleCuda(number) => Some(on_gpu(number)?),
            DeviceChoice::Auto
                if !cfg!(feature = "cuda") || precision == Some(Precision::Int16) =>
            {
                None
            }
            DeviceChoice::Auto => on_gpu(0)
                .inspect_err(|error| warn(format!("there is no usable GPU: {error:#}")))
                .ok(),
        };
        Ok(match opened.map(|opened| opened.backend) {
            Some(Backend::Candle(place) | Backend::Gpu(place)) => Site::Candle(Place {
                // The only format with a fast backward pass.
                convolution: Convolution::Shifted,
                ..place
            }),
            Some(Backend::Cpu { .. } | Backend::Fake(_)) | None => Site::Cpu {
                threads: threads.max(1),
                precision: match precision {
                    Some(precision) => precision,
                    None => Precision::auto(Kernels::new(Isa::chosen()?)),
                },
            },
        })
    }

    /// Whether it leaves CPU cores free for other work.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Site::Candle(_))
    }

    /// An engine for models like this one; parameters are loaded later.
    pub fn engine(&self, model: &Model) -> Result<Box<dyn Engine>> {
        Ok(match self {
            Site::Cpu { threads, precision } => {
                Box::new(Threads::new(model, *threads, *precision)?)
            }
            Site::Candle(place) => Box::new(Tensors::new(model, place)?),
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
        }
    }
}

/// Splits a batch into runs of about this many cells; siblings stay together.
pub(super) fn slices(batch: &Batch, cells: usize) -> Vec<Range<usize>> {
    let board = Grid {
        size: batch.size,
        boards: 1,
    };
    let boards = (cells / board.cells()).max(1);
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
