//! Settings of a run: `run.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::data::boards::{Boards, Sides};
use crate::data::records::RecordSettings;
use crate::files;
use crate::go::BoardSize;
use crate::nn::checkpoint;
use crate::nn::desc::Net;
use crate::train::engine::Site;
use crate::train::losses::{Head, LossWeights};
use crate::train::optimizer::{Method, OptimizerSettings};
use crate::train::schedule::Schedule;
use crate::train::trainer::TrainerSettings;

/// Format version.
const FORMAT: u32 = 1;

/// The contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunManifest {
    /// Fixed settings.
    pub settings: Settings,
    /// Settings that may change when a run resumes.
    pub plan: Plan,
}

/// Fixed settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Format version.
    pub format: u32,
    /// Version of the program that created the run.
    pub program: String,
    /// Name of the architecture.
    pub arch: String,
    /// Source of the initial parameters, as given by the user.
    pub origin: String,
    /// Checksum of that source.
    pub origin_details: String,
    /// Random seed.
    pub seed: u64,
    /// Samples per step.
    pub batch: usize,
    /// Samples of one board size per batch.
    pub micro_batch: usize,
    /// `adamw` or `muon`.
    pub optimizer: String,
    /// The constant learning rate.
    pub rate: f64,
    /// Samples of learning-rate warm-up.
    pub warmup: u64,
    /// See [`OptimizerSettings::weight_decay`].
    pub weight_decay: f64,
    /// See [`TrainerSettings::average_half_life`].
    pub average_half_life: u64,
    /// See [`TrainerSettings::average_share`].
    pub average_share: f64,
    /// Loss weights by head.
    pub losses: BTreeMap<String, f64>,
    /// See [`TrainerSettings::symmetric`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symmetric: bool,
    /// See [`StreamSettings::komi_shifts`](crate::data::stream::StreamSettings::komi_shifts).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub komi_shifts: f64,
    /// Board sizes to train on, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
}

/// Settings that may change when a run resumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Folders with training labels, made from recorded games where such are given.
    pub data: Vec<PathBuf>,
    /// Total samples.
    pub samples: Option<u64>,
    /// Samples between which the rate falls to 0.
    pub decay: Option<(u64, u64)>,
    /// Folders with validation labels.
    pub validate: Vec<PathBuf>,
    /// Samples between validations.
    pub validate_every: u64,
    /// How positions of recorded games are chosen, if not by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub records: RecordSettings,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn is_default(records: &RecordSettings) -> bool {
    *records == RecordSettings::default()
}

/// Between the architecture and the number of samples in the name of a network of a run.
const SAMPLES: &str = "-s";

/// The name of a network of a run that has learned this many samples.
pub(super) fn net_name(arch: &str, samples: u64) -> String {
    format!("{arch}{SAMPLES}{samples}")
}

/// The architecture in the name of a network.
fn arch_of(name: &str) -> &str {
    name.split(SAMPLES).next().unwrap_or_default()
}

/// Where a run's parameters come from: `net FILE` or `run FOLDER`.
pub fn origin(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

impl Settings {
    /// Default settings for an architecture with this many channels.
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
            komi_shifts: 0.0,
            sides: None,
        }
    }

    /// Default settings for a run that begins with the parameters of a network, read from this file.
    pub fn of_net(net: &Net, path: &Path) -> Result<Settings> {
        let digest = files::sha256(&checkpoint::write_bytes(net)?);
        Ok(Settings {
            origin: origin("net", path),
            origin_details: format!("{}, SHA-256 {digest}", net.name),
            ..Settings::new(arch_of(&net.name), net.trunk.initial_conv.outputs)
        })
    }

    /// Turns off the losses of outputs that a net lacks: one with fully connected heads has only a
    /// policy and a value.
    pub fn fit(&mut self, net: &Net) {
        let lacking = Head::ALL.iter().filter(|head| !head.is_of_flat_heads());
        if net.heads.are_flat() {
            for head in lacking {
                self.losses.insert(head.name().to_owned(), 0.0);
            }
        }
    }

    /// Validates the settings.
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
        ensure!(
            (0.0..=1.0).contains(&self.komi_shifts),
            "the share of samples with another komi must be 0 to 1"
        );
        self.method()?;
        self.loss_weights()?;
        Ok(())
    }

    /// The boards that a run learns from, of a network that may play on one size only.
    pub fn boards(&self, only_size: Option<BoardSize>) -> Boards {
        Boards {
            only_size,
            sides: self.sides,
        }
    }

    /// The learning rate after this many backoffs, each of which halves it.
    pub fn rate_after(&self, backoffs: u32) -> f64 {
        self.rate * 0.5f64.powi(backoffs.min(1000) as i32)
    }

    /// Settings for the trainer.
    pub fn trainer(&self, plan: &Plan, site: &Site, backoffs: u32) -> Result<TrainerSettings> {
        Ok(TrainerSettings {
            optimizer: OptimizerSettings {
                method: self.method()?,
                weight_decay: self.weight_decay,
                ..OptimizerSettings::default()
            },
            schedule: Schedule {
                peak: self.rate_after(backoffs),
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
