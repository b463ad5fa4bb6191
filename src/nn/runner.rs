//! A net ready to compute: its model on some backend, and what goes in and comes out.

use anyhow::{Result, bail};
#[cfg(feature = "cuda")]
use candle_core::DType;

use crate::go::{BoardSize, Position};

use super::backend::{Backend, Precision};
use super::candle::{LeelaModel, Model, Place};
use super::cpu::Plan;
use super::cpu::simd::Isa;
use super::desc::leela::{LeelaNet, SIDE};
use super::desc::{InputVersion, Net};
use super::features::InputBatch;
use super::gpu::fake::FakeGpu;
use super::gpu::fallback::{WithFallback, to_stderr};
use super::gpu::{self, Device};
use super::output::{NetOutput, OutputFormat, PolicySettings, RawOutput, read_leela};
use super::quantization_check;

/// A model and the meaning of its inputs and outputs.
pub struct Runner {
    model: AnyModel,
    reading: Reading,
    input_version: InputVersion,
    only_size: Option<BoardSize>,
    prefers_batches: bool,
    precision: Precision,
    computing: String,
}

enum AnyModel {
    Candle(Box<Model>),
    CandleLeela(Box<LeelaModel>),
    Kernels(Box<Plan>),
    #[cfg(feature = "cuda")]
    Gpu(Box<WithFallback<gpu::cuda::CudaGpu>>),
    Fake(Box<WithFallback<FakeGpu>>),
}

/// How answers are read.
enum Reading {
    KataGo(OutputFormat),
    /// With whether the net's value is Black's.
    LeelaZero(bool),
}

impl Runner {
    /// Makes a net ready.
    pub fn new(net: &Net, backend: &Backend) -> Result<Runner> {
        let (model, precision, computing) = match backend {
            Backend::Candle(place) => on_candle(net, place)?,
            Backend::Gpu(place) => match on_gpu(net, place)? {
                Some(found) => found,
                None => on_candle(net, place)?,
            },
            Backend::Fake(device) => on_fake(net, device)?,
            &Backend::Cpu { isa, precision } => {
                let plan = |is_integer| Plan::new(net, isa, is_integer);
                let passes =
                    |exact: &Plan, rounded: &Plan| quantization_check::passes(net, exact, rounded);
                on_kernels(isa, precision, plan, passes)?
            }
        };
        Ok(Runner {
            model,
            reading: Reading::KataGo(OutputFormat::of(net)),
            input_version: net.input_version(),
            only_size: net.only_size(),
            prefers_batches: backend.prefers_batches(),
            precision,
            computing,
        })
    }

    /// Makes a Leela Zero net ready.
    pub fn of_leela(net: &LeelaNet, backend: &Backend) -> Result<Runner> {
        let (model, precision, computing) = match backend {
            Backend::Candle(place) | Backend::Gpu(place) => {
                let model = AnyModel::CandleLeela(LeelaModel::new(net, place)?.into());
                (model, place.dtype.into(), place.to_string())
            }
            Backend::Fake(_) => bail!("Leela Zero's networks are not computed by own kernels"),
            &Backend::Cpu { isa, precision } => {
                let plan = |is_integer| Plan::of_leela(net, isa, is_integer);
                let passes = |exact: &Plan, rounded: &Plan| {
                    quantization_check::passes_of_leela(net, exact, rounded)
                };
                on_kernels(isa, precision, plan, passes)?
            }
        };
        Ok(Runner {
            model,
            reading: Reading::LeelaZero(net.value_is_black),
            input_version: InputVersion::LeelaZero,
            only_size: Some(BoardSize::square(SIDE)),
            prefers_batches: backend.prefers_batches(),
            precision,
            computing,
        })
    }

    /// The number format that large layers are computed in; never [`Precision::Auto`].
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// For display: the device, the number format and the like.
    pub fn computing(&self) -> &str {
        &self.computing
    }

    /// The net on our own kernels, if that is what computes it.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.model {
            AnyModel::Kernels(plan) => Some(plan),
            _ => None,
        }
    }

    /// The seconds of each operation of a batch, where own kernels compute the net on a GPU.
    #[cfg(feature = "cuda")]
    pub fn gpu_times(
        &self,
        size: BoardSize,
        boards: usize,
    ) -> Result<Option<Vec<gpu::executor::Time>>> {
        match &self.model {
            AnyModel::Gpu(model) => model.executor().times(size, boards).map(Some),
            _ => Ok(None),
        }
    }

    /// What it wants to be told.
    pub fn input_version(&self) -> InputVersion {
        self.input_version
    }

    /// The only boards that the net is for, if it is not for all.
    pub fn only_size(&self) -> Option<BoardSize> {
        self.only_size
    }

    /// See [`Backend::prefers_batches`].
    pub fn prefers_batches(&self) -> bool {
        self.prefers_batches
    }

    /// One answer per position of the batch.
    pub fn forward(&self, inputs: &InputBatch) -> Result<Vec<RawOutput>> {
        match &self.model {
            AnyModel::Candle(model) => model.forward(inputs),
            AnyModel::CandleLeela(model) => model.forward(inputs),
            AnyModel::Kernels(plan) => plan.forward(inputs),
            #[cfg(feature = "cuda")]
            AnyModel::Gpu(model) => model.forward(inputs),
            AnyModel::Fake(model) => model.forward(inputs),
        }
    }

    /// What an answer says about its position.
    pub fn read(
        &self,
        raw: &RawOutput,
        position: &Position,
        settings: PolicySettings,
    ) -> NetOutput {
        match &self.reading {
            Reading::KataGo(format) => format.read(raw, position, settings),
            Reading::LeelaZero(is_black) => read_leela(raw, position, settings, *is_black),
        }
    }
}

/// A net computed by candle, and how it does that.
fn on_candle(net: &Net, place: &Place) -> Result<(AnyModel, Precision, String)> {
    let model = AnyModel::Candle(Model::new(net, place)?.into());
    Ok((model, place.dtype.into(), place.to_string()))
}

/// The same on a GPU by own kernels, if they know the net and the format.
#[cfg(feature = "cuda")]
fn on_gpu(net: &Net, place: &Place) -> Result<Option<(AnyModel, Precision, String)>> {
    let format = match place.dtype {
        DType::F32 => gpu::Format::F32,
        DType::F16 => gpu::Format::F16,
        _ => return Ok(None),
    };
    let plan = super::plan::Plan::new(net);
    if gpu::check(&plan).is_err() {
        return Ok(None);
    }
    let executor = gpu::Executor::new(gpu::cuda::CudaGpu::new(place)?, plan, format)?;
    let computing = format!("CUDA ({})", format.name());
    let model = WithFallback::new(executor, net, to_stderr);
    let model = AnyModel::Gpu(model.into());
    Ok(Some((model, place.dtype.into(), computing)))
}

/// A net on what stands for a GPU.
fn on_fake(net: &Net, device: &FakeGpu) -> Result<(AnyModel, Precision, String)> {
    let plan = super::plan::Plan::new(net);
    let executor = gpu::Executor::new(device.clone(), plan, gpu::Format::F16)?;
    let model = AnyModel::Fake(WithFallback::new(executor, net, to_stderr).into());
    Ok((model, Precision::F16, device.name()))
}

/// There is no GPU without the feature `cuda`.
#[cfg(not(feature = "cuda"))]
fn on_gpu(_: &Net, _: &Place) -> Result<Option<(AnyModel, Precision, String)>> {
    Ok(None)
}

/// A net on our own kernels, and how they compute its large layers, also for display: in integers if
/// asked for, or if nothing was asked for and they pass a check.
fn on_kernels(
    isa: Isa,
    precision: Precision,
    plan: impl Fn(bool) -> Plan,
    passes: impl Fn(&Plan, &Plan) -> Result<bool>,
) -> Result<(AnyModel, Precision, String)> {
    let (plan, found, remark) = match precision {
        Precision::Int16 => (plan(true), Precision::Int16, ""),
        Precision::Auto => {
            let (exact, rounded) = (plan(false), plan(true));
            if passes(&exact, &rounded)? {
                (rounded, Precision::Int16, "")
            } else {
                (
                    exact,
                    Precision::F32,
                    ", as int16 is too inexact for this network",
                )
            }
        }
        _ => (plan(false), Precision::F32, ""),
    };
    let computing = format!("CPU ({found}{remark}, {isa})");
    Ok((AnyModel::Kernels(plan.into()), found, computing))
}
