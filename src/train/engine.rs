//! What computes losses and gradients: our own kernels on the CPU ([`super::threads`]), or candle,
//! which is for GPUs ([`super::tensors`]).

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

/// Goes forward and backward through a model.
pub trait Engine: fmt::Debug + Send {
    /// Takes over all parameters, see [`super::register::Parameter::place`].
    fn load(&mut self, parameters: &[f32]) -> Result<()>;

    /// The losses of some sound batches, which have at least one sample. If there is a gradient,
    /// that of the mean of their weighted losses is added to it.
    fn run(
        &mut self,
        batches: &[Batch],
        objective: &Objective,
        gradient: Option<&mut [f32]>,
    ) -> Result<Losses>;
}

/// Where training computes, and in which format.
#[derive(Clone, Debug)]
pub enum Site {
    /// On the CPU, by our own kernels.
    Cpu {
        /// At least 1.
        threads: usize,
        /// To what operands are rounded.
        precision: Precision,
    },
    /// By candle.
    Candle(Place),
}

impl Site {
    /// What was asked for; `auto` is a GPU if there is one that the program can use, and else the
    /// CPU, and `tell` hears why there is no GPU. Without a precision it is the fastest one. GPUs
    /// have no integers.
    pub fn open(
        device: DeviceChoice,
        precision: Option<Precision>,
        threads: usize,
        tell: &mut dyn FnMut(String),
    ) -> Result<Site> {
        let on_gpu = |number| {
            let precision = match precision {
                Some(Precision::F32) => backend::Precision::F32,
                Some(Precision::Bf16) | None => backend::Precision::Bf16,
                Some(Precision::Int16) => bail!("training computes in int16 only on a CPU"),
            };
            backend::open(DeviceChoice::Cuda(number), precision)
        };
        let opened = match device {
            DeviceChoice::Cpu => None,
            DeviceChoice::Candle if precision.is_some_and(|asked| asked != Precision::F32) => {
                bail!("candle computes in f32 only on a CPU")
            }
            DeviceChoice::Candle => Some(backend::open(device, backend::Precision::F32)?),
            DeviceChoice::Cuda(number) => Some(on_gpu(number)?),
            DeviceChoice::Auto
                if !cfg!(feature = "cuda") || precision == Some(Precision::Int16) =>
            {
                None
            }
            DeviceChoice::Auto => on_gpu(0)
                .inspect_err(|error| tell(format!("there is no usable GPU: {error:#}")))
                .ok(),
        };
        Ok(match opened.map(|opened| opened.backend) {
            Some(Backend::Candle(place)) => Site::Candle(Place {
                // The only kind with a fast way back.
                convolution: Convolution::Shifted,
                ..place
            }),
            Some(Backend::Cpu { .. }) | None => Site::Cpu {
                threads: threads.max(1),
                precision: match precision {
                    Some(precision) => precision,
                    None => Precision::auto(Kernels::new(Isa::chosen()?)),
                },
            },
        })
    }

    /// Whether it may leave the CPU's cores to others.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Site::Candle(_))
    }

    /// An engine for models like this one, without its parameters.
    pub fn engine(&self, model: &Model) -> Result<Box<dyn Engine>> {
        Ok(match self {
            Site::Cpu { threads, precision } => {
                Box::new(Threads::new(model, *threads, *precision)?)
            }
            Site::Candle(place) => Box::new(Tensors::new(model, place)?),
        })
    }
}

/// For people, for example `2 threads, bf16`.
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

/// Samples of a batch, cut into runs of about so many cells, but never between siblings.
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
