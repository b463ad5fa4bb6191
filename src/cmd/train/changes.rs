//! What the options of `keima train` change in the settings and the plan of a run.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::{DecayArguments, OptimizerName, TrainArguments};
use crate::train::run::settings::{Plan, Settings, origin};

/// Default samples between validations.
const VALIDATE_EVERY: u64 = 250_000;

impl TrainArguments {
    /// Changes the given settings.
    pub(super) fn apply(&self, settings: &mut Settings) {
        let learning = &self.learning;
        let set = |field: &mut u64, given: Option<u64>| *field = given.unwrap_or(*field);
        set(&mut settings.seed, learning.seed);
        set(&mut settings.warmup, learning.warmup);
        set(&mut settings.average_half_life, learning.average_half_life);
        let set = |field: &mut f64, given: Option<f64>| *field = given.unwrap_or(*field);
        set(&mut settings.rate, learning.rate);
        set(&mut settings.weight_decay, learning.weight_decay);
        set(&mut settings.komi_shifts, learning.komi_shifts);
        if let Some(batch) = learning.batch.filter(|&it| it as usize != settings.batch) {
            settings.batch = batch as usize;
            let default = Settings::new("", 0).micro_batch;
            settings.micro_batch = common_divisor(settings.batch, default);
        }
        if let Some(micro_batch) = learning.micro_batch {
            settings.micro_batch = micro_batch as usize;
        }
        if let Some(optimizer) = learning.optimizer {
            settings.optimizer = match optimizer {
                OptimizerName::Adamw => "adamw",
                OptimizerName::Muon => "muon",
            }
            .to_owned();
        }
        settings.losses.extend(learning.losses.iter().cloned());
        settings.symmetric |= learning.symmetric;
        settings.sides = learning.sides.or(settings.sides);
        if let Some(arch) = &self.arch {
            settings.arch = arch.clone();
        }
        let origins = [("net", &self.init), ("run", &self.from)];
        for (what, path) in origins {
            if let Some(path) = path {
                settings.origin = origin(what, path);
            }
        }
    }

    /// The plan of a run after this many samples.
    pub(super) fn plan(&self, before: Plan, samples: u64) -> Result<Plan> {
        let DecayArguments {
            decay_from,
            decay_over,
        } = self.decay;
        // Absolute, so that a run can be resumed from any folder.
        let given = |folders: &[PathBuf], before: Vec<PathBuf>| match folders {
            [] => Ok(before),
            given => given.iter().map(std::path::absolute).collect(),
        };
        let mut plan = Plan {
            data: given(&self.data, before.data)?,
            samples: self.samples.or(before.samples),
            decay: before.decay,
            validate: given(&self.validate, before.validate)?,
            validate_every: match (self.validate_every, before.validate_every) {
                (Some(every), _) => every,
                (None, 0) => VALIDATE_EVERY,
                (None, every) => every,
            },
            records: self.records.over(before.records),
        };
        if let Some(over) = decay_over {
            let start = match (decay_from, self.samples, before.decay) {
                (Some(start), _, _) => start,
                (_, Some(all), _) => all.checked_sub(over).context(
                    "the rate cannot take more samples to fall than the run has: see --samples",
                )?,
                (_, _, Some((start, _))) => start,
                _ => samples,
            };
            let end = start
                .checked_add(over)
                .context("--decay-over is too long")?;
            plan.decay = Some((start, end));
            plan.samples = Some(self.samples.unwrap_or(end));
        }
        if let (Some(all), Some((_, end))) = (plan.samples, plan.decay) {
            ensure!(
                all <= end,
                "the learning rate is 0 from {end} samples on, before the end at {all}: let it fall later by --decay-over, or \
                 begin another run with --from"
            );
        }
        Ok(plan)
    }
}

fn common_divisor(one: usize, other: usize) -> usize {
    match other {
        0 => one,
        other => common_divisor(other, one % other),
    }
}
