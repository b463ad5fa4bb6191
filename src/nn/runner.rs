//! A net ready to compute: its model on some backend, and what goes in and comes out.

use anyhow::Result;

use crate::go::Position;

use super::backend::Backend;
use super::candle::{LeelaModel, Model};
use super::desc::leela::LeelaNet;
use super::desc::{InputVersion, Net};
use super::features::InputBatch;
use super::output::{NetOutput, OutputFormat, PolicySettings, RawOutput, read_leela};

/// A model and the meaning of its inputs and outputs.
pub struct Runner {
    model: AnyModel,
    input_version: InputVersion,
    likes_batches: bool,
}

enum AnyModel {
    KataGo(Box<Model>, OutputFormat),
    /// With whether its value is Black's.
    LeelaZero(Box<LeelaModel>, bool),
}

impl Runner {
    /// Makes a net ready.
    pub fn new(net: &Net, backend: &Backend) -> Result<Runner> {
        let Backend::Candle(place) = backend;
        let model = Model::new(net, place)?;
        Ok(Runner {
            model: AnyModel::KataGo(model.into(), OutputFormat::of(net)),
            input_version: net.input_version(),
            likes_batches: backend.likes_batches(),
        })
    }

    /// Makes a Leela Zero net ready.
    pub fn of_leela(net: &LeelaNet, backend: &Backend) -> Result<Runner> {
        let Backend::Candle(place) = backend;
        let model = LeelaModel::new(net, place)?;
        Ok(Runner {
            model: AnyModel::LeelaZero(model.into(), net.value_is_black),
            input_version: InputVersion::LeelaZero,
            likes_batches: backend.likes_batches(),
        })
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
            AnyModel::KataGo(model, _) => model.forward(inputs),
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
            AnyModel::KataGo(_, format) => format.read(raw, position, settings),
            AnyModel::LeelaZero(_, is_black) => read_leela(raw, position, settings, *is_black),
        }
    }
}
