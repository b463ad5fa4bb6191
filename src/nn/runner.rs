//! A net ready to compute: its model on some backend, and what goes in and comes out.

use anyhow::{Result, ensure};

use crate::go::Position;

use super::backend::{Backend, Precision};
use super::candle::{LeelaModel, Model, Place};
use super::cpu::Plan;
use super::cpu::simd::Isa;
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::InputBatch;
use super::output::{NetOutput, OutputFormat, PolicySettings, RawOutput, read_leela};
use super::trial;

/// A model and the meaning of its inputs and outputs.
pub struct Runner {
    model: AnyModel,
    input_version: InputVersion,
    likes_batches: bool,
    computing: String,
}

enum AnyModel {
    Candle(Box<Model>, OutputFormat),
    Kernels(Box<Plan>, OutputFormat),
    /// With whether its value is Black's.
    LeelaZero(Box<LeelaModel>, bool),
}

impl Runner {
    /// Makes a net ready.
    pub fn new(net: &Net, backend: &Backend) -> Result<Runner> {
        let format = OutputFormat::of(net);
        let (model, computing) = match backend {
            Backend::Candle(place) => {
                let model = Model::new(net, place)?;
                (AnyModel::Candle(model.into(), format), place.to_string())
            }
            &Backend::Cpu { isa, precision } => {
                let (plan, number) = plan(net, isa, precision)?;
                let computing = format!("CPU ({number}, {isa})");
                (AnyModel::Kernels(plan.into(), format), computing)
            }
        };
        Ok(Runner {
            model,
            input_version: net.input_version(),
            likes_batches: backend.likes_batches(),
            computing,
        })
    }

    /// Makes a Leela Zero net ready. On a CPU candle computes it, in f32.
    pub fn of_leela(net: &LeelaNet, backend: &Backend) -> Result<Runner> {
        let on_cpu = Place::cpu();
        let place = match backend {
            Backend::Candle(place) => place,
            Backend::Cpu { precision, .. } => {
                ensure!(
                    *precision != Precision::Int16,
                    "networks of Leela Zero are computed in f32 on a CPU"
                );
                &on_cpu
            }
        };
        let model = LeelaModel::new(net, place)?;
        Ok(Runner {
            model: AnyModel::LeelaZero(model.into(), net.value_is_black),
            input_version: InputVersion::LeelaZero,
            likes_batches: backend.likes_batches(),
            computing: place.to_string(),
        })
    }

    /// For people: the device, the number format and the like.
    pub fn computing(&self) -> &str {
        &self.computing
    }

    /// The net on our own kernels, if that is what computes it.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.model {
            AnyModel::Kernels(plan, _) => Some(plan),
            _ => None,
        }
    }

    /// What it wants to be told.
    pub fn input_version(&self) -> InputVersion {
        self.input_version
    }

    /// See [`Backend::likes_batches`].
    pub fn likes_batches(&self) -> bool {
        self.likes_batches
    }

    /// One answer per position of the batch.
    pub fn forward(&self, inputs: &InputBatch) -> Result<Vec<RawOutput>> {
        match &self.model {
            AnyModel::Candle(model, _) => model.forward(inputs),
            AnyModel::Kernels(plan, _) => plan.forward(inputs),
            AnyModel::LeelaZero(model, _) => model.forward(inputs),
        }
    }

    /// What an answer says about its position.
    pub fn read(
        &self,
        raw: &RawOutput,
        position: &Position,
        settings: PolicySettings,
    ) -> NetOutput {
        match &self.model {
            AnyModel::Candle(_, format) | AnyModel::Kernels(_, format) => {
                format.read(raw, position, settings)
            }
            AnyModel::LeelaZero(_, is_black) => read_leela(raw, position, settings, *is_black),
        }
    }
}

/// A net on our own kernels, and the number format of its large layers: integers if asked for, or
/// if nothing was asked for and they do.
fn plan(net: &Net, isa: Isa, precision: Precision) -> Result<(Plan, &'static str)> {
    let floats = || Ok((Plan::new(net, isa, false)?, "f32"));
    match precision {
        Precision::Int16 => Ok((Plan::new(net, isa, true)?, "int16")),
        Precision::Auto => {
            let (exact, rounded) = (Plan::new(net, isa, false)?, Plan::new(net, isa, true)?);
            if trial::passes(net, &exact, &rounded)? {
                Ok((rounded, "int16"))
            } else {
                Ok((exact, "f32, as int16 is too inexact for this network"))
            }
        }
        _ => floats(),
    }
}
