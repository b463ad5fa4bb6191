//! What a run is: `run.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::data::boards::Sides;
use crate::train::engine::Site;
use crate::train::losses::{Head, LossWeights};
use crate::train::optimizer::{Method, OptimizerSettings};
use crate::train::schedule::Schedule;
use crate::train::trainer::TrainerSettings;

/// Of the way runs are made.
const FORMAT: u32 = 1;

/// The contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCard {
    /// What never changes.
    pub settings: Settings,
    /// What may be changed when a run goes on.
    pub plan: Plan,
}

/// What never changes in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Of the way runs are made.
    pub format: u32,
    /// Version of the program that began the run.
    pub program: String,
    /// Name of the architecture.
    pub arch: String,
    /// Where the first parameters came from, as it was said.
    pub origin: String,
    /// What was found there.
    pub origin_details: String,
    /// Of everything random.
    pub seed: u64,
    /// Samples of a step.
    pub batch: usize,
    /// Samples of one board size that come together.
    pub micro_batch: usize,
    /// `adamw` or `muon`.
    pub optimizer: String,
    /// The constant learning rate.
    pub rate: f64,
    /// Samples until it is reached.
    pub warmup: u64,
    /// See [`OptimizerSettings::weight_decay`].
    pub weight_decay: f64,
    /// See [`TrainerSettings::average_half_life`].
    pub average_half_life: u64,
    /// See [`TrainerSettings::average_share`].
    pub average_share: f64,
    /// How much each head's loss counts, by name.
    pub losses: BTreeMap<String, f64>,
    /// See [`TrainerSettings::symmetric`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symmetric: bool,
    /// The boards that it learns from, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
}

/// What may be changed when a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Folders of labels.
    pub data: Vec<PathBuf>,
    /// Samples after which the run ends.
    pub samples: Option<u64>,
    /// From when to when the rate falls to 0.
    pub decay: Option<(u64, u64)>,
    /// Folders of labels held out.
    pub validate: Vec<PathBuf>,
    /// Samples from one look at them to the next.
    pub validate_every: u64,
}

impl Settings {
    /// Those usual for an architecture with so many channels.
    pub fn new(arch: &str, channels: usize) -> Settings {
        let weights = Head::ALL.map(|head| head.name().to_owned());
        let weights = weights.into_iter().zip(LossWeights::default().0);
        Settings {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            arch: arch.to_owned(),
            origin: "random".to_owned(),
            origin_details: String::new(),
            seed: 0,
            batch: 128,
            micro_batch: 16,
            optimizer: "adamw".to_owned(),
            rate: if channels <= 64 { 1.5e-3 } else { 1e-3 },
            warmup: 100_000,
            weight_decay: OptimizerSettings::default().weight_decay,
            average_half_life: 50_000,
            average_share: 0.02,
            losses: weights.collect(),
            symmetric: false,
            sides: None,
        }
    }

    /// Refuses what cannot be used.
    pub fn check(&self) -> Result<()> {
        let Settings {
            format,
            batch,
            micro_batch,
            rate,
            weight_decay,
            ..
        } = self;
        ensure!(
            *format == FORMAT,
            "the run's format is {format}; only {FORMAT} is known"
        );
        ensure!(
            *micro_batch > 0 && *batch > 0 && batch % micro_batch == 0,
            "steps of {batch} samples cannot be made of {micro_batch} each"
        );
        let is_sound = |number: f64| number.is_finite() && number >= 0.0;
        ensure!(
            is_sound(*rate) && is_sound(*weight_decay) && is_sound(self.average_share),
            "rates must not be negative"
        );
        self.method()?;
        self.loss_weights()?;
        Ok(())
    }

    /// For the trainer; after each halving the rate is half as high.
    pub fn trainer(&self, plan: &Plan, site: &Site, backoffs: u32) -> Result<TrainerSettings> {
        Ok(TrainerSettings {
            optimizer: OptimizerSettings {
                method: self.method()?,
                weight_decay: self.weight_decay,
                ..OptimizerSettings::default()
            },
            schedule: Schedule {
                peak: self.rate * 0.5f64.powi(backoffs.min(1000) as i32),
                warmup: self.warmup,
                decay: plan.decay,
            },
            losses: self.loss_weights()?,
            average_half_life: self.average_half_life,
            average_share: self.average_share,
            symmetric: self.symmetric,
            site: site.clone(),
        })
    }

    fn method(&self) -> Result<Method> {
        match &self.optimizer[..] {
            "adamw" => Ok(Method::AdamW),
            "muon" => Ok(Method::Muon),
            other => bail!("no optimizer is called {other:?}; there are adamw and muon"),
        }
    }

    fn loss_weights(&self) -> Result<LossWeights> {
        let mut weights = LossWeights([0.0; Head::ALL.len()]);
        for (name, weight) in &self.losses {
            let head = Head::ALL.iter().find(|head| head.name() == name);
            let names = Head::ALL.map(Head::name).join(", ");
            let head = head.with_context(|| format!("no loss is called {name:?}, but {names}"))?;
            ensure!(
                weight.is_finite() && *weight >= 0.0,
                "the loss {name} cannot count {weight}"
            );
            weights.0[*head as usize] = *weight;
        }
        Ok(weights)
    }
}
