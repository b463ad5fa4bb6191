//! A net ready to compute: its model on some backend, and what goes in and comes out.

use anyhow::Result;
#[cfg(feature = "cuda")]
use candle_core::DType;
use rayon::prelude::*;

use crate::go::{BoardSize, Position};

use super::backend::{Backend, Precision};
use super::candle::{LeelaModel, Model, Place};
use super::cpu::Executor;
use super::cpu::simd::Isa;
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::{FeatureSettings, InputBatch, PLANES};
use super::gpu::fake::FakeGpu;
use super::gpu::fallback::{WithFallback, to_stderr};
use super::gpu::{self, Device};
use super::input_shape::InputShape;
use super::output::{NetOutput, OutputFormat, PolicySettings, RawOutput, read_leela};
use super::plan::Plan;
use super::quantization_check;

/// A model and the meaning of its inputs and outputs.
pub struct Runner {
    model: AnyModel,
    reading: Reading,
    input_version: InputVersion,
    only_size: Option<BoardSize>,
    prefers_batches: bool,
    devices: usize,
    precision: Precision,
    computing: String,
}

enum AnyModel {
    Candle(Box<Model>),
    CandleLeela(Box<LeelaModel>),
    Kernels(Box<Executor>),
    #[cfg(feature = "cuda")]
    Gpu(Box<WithFallback<gpu::cuda::CudaGpu>>),
    Fake(Box<WithFallback<FakeGpu>>),
}

/// How answers are read.
enum Reading {
    KataGo(OutputFormat),
    /// One value and no score, with whether the value is Black's.
    LeelaZero(bool),
}

/// What computing a network needs to know of it.
struct Parts<'a> {
    reading: Reading,
    input_version: InputVersion,
    pass_alive_under_suicide: bool,
    plan: &'a dyn Fn() -> Plan,
    candle: &'a dyn Fn(&Place) -> Result<AnyModel>,
}

/// A model, its number format, and for display how it is computed.
type Made = (AnyModel, Precision, String);

impl Runner {
    /// Makes a net ready.
    pub fn new(net: &Net, backend: &Backend) -> Result<Runner> {
        let parts = Parts {
            reading: match net.heads.are_flat() {
                true => Reading::LeelaZero(false),
                false => Reading::KataGo(OutputFormat::of(net)),
            },
            input_version: net.input_version(),
            pass_alive_under_suicide: net.pass_alive_under_suicide,
            plan: &|| Plan::new(net),
            candle: &|place| Ok(AnyModel::Candle(Model::new(net, place)?.into())),
        };
        parts.runner(net.only_size(), backend)
    }

    /// Makes a Leela Zero net ready.
    pub fn of_leela(net: &LeelaNet, backend: &Backend) -> Result<Runner> {
        let parts = Parts {
            reading: Reading::LeelaZero(net.value_is_black),
            input_version: InputVersion::LeelaZero,
            pass_alive_under_suicide: false,
            plan: &|| Plan::of_leela(net),
            candle: &|place| Ok(AnyModel::CandleLeela(LeelaModel::new(net, place)?.into())),
        };
        parts.runner(InputShape::of_leela().only_size, backend)
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
    pub fn on_cpu(&self) -> Option<&Executor> {
        match &self.model {
            AnyModel::Kernels(executor) => Some(executor),
            _ => None,
        }
    }

    /// The seconds of each kernel of a batch, where own kernels compute the net on a GPU.
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

    /// See [`Backend::devices`].
    pub fn devices(&self) -> usize {
        self.devices
    }

    /// One answer per position of the batch.
    pub fn forward(&self, inputs: &InputBatch) -> Result<Vec<RawOutput>> {
        match &self.model {
            AnyModel::Candle(model) => model.forward(inputs),
            AnyModel::CandleLeela(model) => model.forward(inputs),
            AnyModel::Kernels(executor) => executor.forward(inputs),
            #[cfg(feature = "cuda")]
            AnyModel::Gpu(model) => model.forward(inputs),
            AnyModel::Fake(model) => model.forward(inputs),
        }
    }

    /// The same for a batch in at least one part, all of boards of the same size. GPUs need no copy of it.
    pub fn forward_parts(&self, parts: &[&InputBatch]) -> Result<Vec<RawOutput>> {
        match &self.model {
            #[cfg(feature = "cuda")]
            AnyModel::Gpu(model) => model.forward_parts(parts),
            AnyModel::Fake(model) => model.forward_parts(parts),
            _ => self.forward(&InputBatch::joined(parts)),
        }
    }

    /// One answer for each of some positions, on boards of any sizes: in one forward pass for each size, as GPUs want
    /// it; on a CPU, where larger batches are no faster, one position at a time on each core.
    pub fn forward_each(&self, positions: &[InputBatch]) -> Result<Vec<RawOutput>> {
        if let [position] = positions {
            return self.forward(position);
        }
        if !self.prefers_batches {
            let answers = positions.par_iter().map(|position| self.forward(position));
            let answers: Vec<Vec<RawOutput>> = answers.collect::<Result<_>>()?;
            return Ok(answers.into_iter().flatten().collect());
        }
        let mut answers: Vec<Option<RawOutput>> = vec![None; positions.len()];
        for indices in by_size(positions) {
            let parts: Vec<&InputBatch> = indices.iter().map(|&index| &positions[index]).collect();
            for (index, answer) in indices.into_iter().zip(self.forward_parts(&parts)?) {
                answers[index] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// What an answer says about its position.
    pub fn read(
        &self,
        raw: &RawOutput,
        position: &Position,
        settings: PolicySettings,
    ) -> NetOutput {
        self.reading.read(raw, position, settings)
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

impl Reading {
    fn read(&self, raw: &RawOutput, position: &Position, settings: PolicySettings) -> NetOutput {
        match self {
            Reading::KataGo(format) => format.read(raw, position, settings),
            Reading::LeelaZero(is_black) => read_leela(raw, position, settings, *is_black),
        }
    }
}

impl Parts<'_> {
    fn runner(self, only_size: Option<BoardSize>, backend: &Backend) -> Result<Runner> {
        let (model, precision, computing) = match backend {
            Backend::Candle(place) => self.on_candle(place)?,
            Backend::Gpu(places) => match self.on_gpus(places)? {
                Some(found) => found,
                None => self.on_candle(&places[0])?,
            },
            Backend::Fake(device) => {
                let executor = gpu::Executor::new(device.clone(), (self.plan)(), gpu::Format::F16)?;
                let model = AnyModel::Fake(WithFallback::new(vec![executor], to_stderr).into());
                (model, Precision::F16, device.name())
            }
            &Backend::Cpu { isa, precision } => self.on_cpu(isa, precision)?,
        };
        Ok(Runner {
            reading: self.reading,
            input_version: self.input_version,
            only_size,
            prefers_batches: backend.prefers_batches(),
            // By candle one device computes.
            devices: match &model {
                AnyModel::Candle(_) | AnyModel::CandleLeela(_) => 1,
                _ => backend.devices(),
            },
            precision,
            computing,
            model,
        })
    }

    fn on_candle(&self, place: &Place) -> Result<Made> {
        let model = (self.candle)(place)?;
        Ok((model, place.dtype.into(), place.to_string()))
    }

    /// On GPUs by own kernels, if they know the net and the format.
    #[cfg(feature = "cuda")]
    fn on_gpus(&self, places: &[Place]) -> Result<Option<Made>> {
        let dtype = places[0].dtype;
        let format = match dtype {
            DType::F32 => gpu::Format::F32,
            DType::F16 => gpu::Format::F16,
            _ => return Ok(None),
        };
        let plan = (self.plan)();
        if gpu::check(&plan).is_err() {
            return Ok(None);
        }
        let executor =
            |place| gpu::Executor::new(gpu::cuda::CudaGpu::new(place)?, plan.clone(), format);
        let executors = places.iter().map(executor).collect::<Result<Vec<_>>>()?;
        let computing = match executors.len() {
            1 => format!("CUDA ({})", format.name()),
            count => format!("CUDA on {count} GPUs ({})", format.name()),
        };
        let model = AnyModel::Gpu(WithFallback::new(executors, to_stderr).into());
        Ok(Some((model, dtype.into(), computing)))
    }

    /// There is no GPU without the feature `cuda`.
    #[cfg(not(feature = "cuda"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    fn on_gpus(&self, _: &[Place]) -> Result<Option<Made>> {
        Ok(None)
    }

    /// On our own kernels for CPUs; large layers in integers if asked for, or if nothing was asked for and
    /// they pass a check.
    fn on_cpu(&self, isa: Isa, precision: Precision) -> Result<Made> {
        let make = |is_integer| Executor::new((self.plan)(), isa, is_integer);
        let (executor, found, remark) = match precision {
            Precision::Int16 => (make(true), Precision::Int16, ""),
            Precision::Auto => {
                let (exact, rounded) = (make(false), make(true));
                if self.passes(&exact, &rounded)? {
                    (rounded, Precision::Int16, "")
                } else {
                    let remark = ", as int16 is too inexact for this network";
                    (exact, Precision::F32, remark)
                }
            }
            _ => (make(false), Precision::F32, ""),
        };
        let computing = format!("CPU ({found}{remark}, {isa})");
        Ok((AnyModel::Kernels(executor.into()), found, computing))
    }

    fn passes(&self, exact: &Executor, rounded: &Executor) -> Result<bool> {
        let settings = FeatureSettings {
            pass_alive_under_suicide: self.pass_alive_under_suicide,
            ..FeatureSettings::default()
        };
        let inputs = |position: &_| match self.input_version {
            InputVersion::OfGame { planes, values } => stand_in(position, (planes, values)),
            version => InputBatch::of(version, position, &settings),
        };
        let read =
            |raw: &_, position: &_| self.reading.read(raw, position, PolicySettings::default());
        quantization_check::passes(exact, rounded, inputs, read)
    }
}

/// Inputs of a Go position, cut off or padded to these numbers of planes and values: what another game shows is as sparse.
fn stand_in(position: &Position, (planes, values): (usize, usize)) -> InputBatch {
    let go = InputBatch::of(InputVersion::V7, position, &FeatureSettings::default());
    let fitted = |values: &[f32], len: usize| -> Vec<f32> {
        let padded = values.iter().copied().chain(std::iter::repeat(0.0));
        padded.take(len).collect()
    };
    InputBatch {
        spatial: go
            .spatial
            .chunks_exact(PLANES)
            .flat_map(|point| fitted(point, planes))
            .collect(),
        global: fitted(&go.global, values),
        ..go
    }
}
