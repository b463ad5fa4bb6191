//! Training steps: gradients from an engine, parameter updates by the optimizer.

use std::fmt;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;

use crate::nn::cpu::simd::{Isa, Kernels};

use super::engine::{Engine, Site, StepSettings, Stepped};
use super::losses::{LossWeights, Losses};
use super::model::Model;
use super::objective::Objective;
use super::optimizer::{Optimizer, OptimizerSettings, PART};
use super::schedule::Schedule;
use super::weight_sharing::WeightSharing;
use crate::data::batch::Batch;

/// Losses or gradients are not finite.
#[derive(Clone, Copy, Debug)]
pub struct NotNumbers {
    gradient_norm: f64,
    total: f64,
}

impl fmt::Display for NotNumbers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let NotNumbers {
            gradient_norm,
            total,
        } = self;
        write!(
            f,
            "the loss is {total}, the gradient's length {gradient_norm}"
        )
    }
}

impl std::error::Error for NotNumbers {}

/// Largest half-life of the moving average, as a share of all samples so far.
const MOST_AVERAGED: f64 = 0.1;

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct TrainerSettings {
    pub optimizer: OptimizerSettings,
    /// The learning-rate schedule.
    pub schedule: Schedule,
    /// Weights of the losses.
    pub losses: LossWeights,
    /// Half-life of the parameters' moving average, in samples ...
    pub average_half_life: u64,
    /// ... or this share of all samples so far, if that is more; but a tenth of them at most, so that the average
    /// of a short run does not remember its beginning.
    pub average_share: f64,
    /// Whether the net is and stays equivariant under the board's symmetries.
    pub symmetric: bool,
    /// Device and number format.
    pub site: Site,
}

/// Training state.
///
/// Where an engine makes steps itself ([`super::engine::Holder`]), the parameters, their averages and the optimizer's moments here are
/// those of the last [`Trainer::fetch`].
#[derive(Debug)]
pub struct Trainer {
    pub model: Model,
    /// Moving averages of the parameters.
    pub average: Vec<f32>,
    /// Optimizer state.
    pub optimizer: Optimizer,
    /// Samples seen.
    pub samples: u64,
    settings: TrainerSettings,
    kernels: Kernels,
    engine: Box<dyn Engine>,
    /// Whether the engine holds newer parameters.
    is_held: bool,
    gradient: Vec<f32>,
    weight_sharing: Option<WeightSharing>,
}

/// Results of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Losses before the update.
    pub losses: Losses,
    /// Gradient norm before clipping.
    pub gradient_norm: f64,
    pub rate: f64,
}

impl Trainer {
    /// It is an error if `KEIMA_ISA` names instructions that this machine lacks, or if the model is
    /// not equivariant and `symmetric` is set.
    pub fn new(model: Model, settings: TrainerSettings) -> Result<Trainer> {
        let engine = settings.site.engine(&model)?;
        Trainer::with_engine(model, settings, engine)
    }

    /// The same with an engine for this model, whatever the settings' site.
    pub fn with_engine(
        model: Model,
        settings: TrainerSettings,
        mut engine: Box<dyn Engine>,
    ) -> Result<Trainer> {
        let weight_sharing = match settings.symmetric {
            true => Some(model.weight_sharing_held(&model.values)?),
            false => None,
        };
        engine.load(&model.values)?;
        let len = model.values.len();
        Ok(Trainer {
            average: model.values.clone(),
            optimizer: Optimizer::new(settings.optimizer, len),
            samples: 0,
            kernels: Kernels::new(Isa::chosen()?),
            engine,
            is_held: false,
            gradient: vec![0.0; len],
            weight_sharing,
            settings,
            model,
        })
    }

    pub fn settings(&self) -> &TrainerSettings {
        &self.settings
    }

    /// Makes one step with all batches; each sample counts the same whatever its board size. It is
    /// an error if a batch is not valid, or if losses or gradients are not finite, which leaves the
    /// parameters unchanged.
    pub fn step(&mut self, batches: &[Batch]) -> Result<StepReport> {
        let rate = self.settings.schedule.rate(self.samples);
        let stepped = match self.engine.holder() {
            Some(_) => self.step_at_engine(batches, rate)?,
            None => self.step_here(batches, rate)?,
        };
        let Stepped {
            losses,
            gradient_norm,
            is_sound,
        } = stepped;
        let total = losses.total(&self.settings.losses);
        ensure!(
            is_sound,
            NotNumbers {
                gradient_norm,
                total
            }
        );
        self.samples += losses.samples as u64;
        Ok(StepReport {
            losses,
            gradient_norm,
            rate,
        })
    }

    fn step_here(&mut self, batches: &[Batch], rate: f64) -> Result<Stepped> {
        let losses = self.compute_gradient(batches)?;
        if let Some(weight_sharing) = &self.weight_sharing {
            weight_sharing.average(&mut self.gradient);
        }
        let gradient_norm = self.optimizer.clip(&mut self.gradient);
        let is_sound = gradient_norm.is_finite() && losses.total(&self.settings.losses).is_finite();
        if is_sound {
            let parameters = self.model.parameters().to_vec();
            let values = &mut self.model.values;
            self.optimizer
                .step(&parameters, values, &self.gradient, rate, self.kernels);
            if let Some(weight_sharing) = &self.weight_sharing {
                // Muon's rounding can break exact equality.
                weight_sharing.average(values);
            }
            self.engine.load(&self.model.values)?;
            self.update_average(self.kept(losses.samples));
        }
        Ok(Stepped {
            losses,
            gradient_norm,
            is_sound,
        })
    }

    fn step_at_engine(&mut self, batches: &[Batch], rate: f64) -> Result<Stepped> {
        self.check(batches)?;
        let objective = self.objective();
        let samples: usize = batches.iter().map(Batch::len).sum();
        let settings = StepSettings {
            rate,
            step: self.optimizer.steps + 1,
            kept: self.kept(samples as f64),
        };
        let holder = self.engine.holder().context("the engine makes no steps")?;
        if !self.is_held {
            let held = [
                &self.model.values[..],
                &self.average,
                &self.optimizer.first,
                &self.optimizer.second,
            ];
            let sharing = self.weight_sharing.as_ref();
            holder.put(&held, self.optimizer.settings, sharing)?;
            self.is_held = true;
        }
        let stepped = holder.step(batches, &objective, &settings)?;
        self.optimizer.steps += u64::from(stepped.is_sound);
        Ok(stepped)
    }

    /// Brings parameters, averages and the optimizer's moments here from where steps are made. They may be changed
    /// until the next step.
    pub fn fetch(&mut self) -> Result<()> {
        if !self.is_held {
            return Ok(());
        }
        let holder = self.engine.holder().context("the engine makes no steps")?;
        holder.get([
            &mut self.model.values,
            &mut self.average,
            &mut self.optimizer.first,
            &mut self.optimizer.second,
        ])?;
        self.is_held = false;
        Ok(())
    }

    /// The losses of some batches, without training.
    pub fn evaluate(&mut self, batches: &[Batch]) -> Result<Losses> {
        self.run(batches, None)
    }

    /// Losses and gradient of some batches, without a step, for tests and experiments. The gradient
    /// is that of the mean weighted loss.
    pub fn losses_and_gradient(&mut self, batches: &[Batch]) -> Result<(Losses, Vec<f32>)> {
        let losses = self.compute_gradient(batches)?;
        Ok((losses, self.gradient.clone()))
    }

    /// Share of the average that a step with so many samples keeps.
    fn kept(&self, samples: f64) -> f32 {
        let half_life = self.settings.average_half_life as f64;
        let all = self.samples as f64 + samples;
        let half_life = half_life.max(self.settings.average_share * all);
        let half_life = half_life.min(MOST_AVERAGED * all);
        0.5f64.powf(samples / half_life.max(1.0)) as f32
    }

    fn update_average(&mut self, kept: f32) {
        let values = self.model.values.par_chunks(PART);
        let parts = self.average.par_chunks_mut(PART).zip(values);
        parts.for_each(|(average, values)| {
            for (average, value) in average.iter_mut().zip(values) {
                *average += (*value - *average) * (1.0 - kept);
            }
        });
    }

    /// Computes the gradient into its field.
    fn compute_gradient(&mut self, batches: &[Batch]) -> Result<Losses> {
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.fill(0.0);
        let losses = self.run(batches, Some(&mut gradient));
        self.gradient = gradient;
        losses
    }

    fn run(&mut self, batches: &[Batch], gradient: Option<&mut [f32]>) -> Result<Losses> {
        self.check(batches)?;
        let objective = self.objective();
        self.engine.run(batches, &objective, gradient)
    }

    fn objective(&self) -> Objective {
        Objective {
            weights: self.settings.losses,
            multipliers: self.model.multipliers(),
            version: self.model.version(),
        }
    }

    fn check(&self, batches: &[Batch]) -> Result<()> {
        batches.iter().try_for_each(Batch::check)?;
        ensure!(batches.iter().any(|batch| !batch.is_empty()), "no samples");
        if let Some(size) = self.model.only_size() {
            ensure!(
                batches.iter().all(|batch| batch.size == size),
                "this network learns from {size} boards only"
            );
        }
        let version = self.model.batch_version();
        ensure!(
            batches.iter().all(|batch| batch.version == version),
            "inputs of another network"
        );
        Ok(())
    }
}
