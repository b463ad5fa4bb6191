//! Training on batches that the caller makes with the net of each step, as policy gradients need.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use crate::data::batch::Batch;
use crate::nn::desc::Net;
use crate::train::engine::Site;
use crate::train::trainer::{StepReport, Trainer};

use super::Run;
use super::checkpoint::Counters;
use super::metrics::{Metrics, Sums, Values};
use super::session::{state_of, trainer};

/// A run whose batches come from outside.
pub struct Stepwise<'a> {
    run: &'a Run,
    trainer: Trainer,
    metrics: Metrics,
    /// Of the steps since they were last logged.
    sums: Sums,
    /// Time of earlier processes, and the start of this one.
    earlier: f64,
    begin: Instant,
}

impl<'a> Stepwise<'a> {
    /// Goes on from the newest checkpoint, or begins; `warn` gets remarks on damaged files.
    pub fn open(run: &'a Run, site: &Site, warn: &mut dyn FnMut(String)) -> Result<Stepwise<'a>> {
        let (model, state) = run.load(warn)?;
        let counters = state.as_ref().map(|state| state.counters);
        let trainer = trainer(run, site, model, state)?;
        let mut metrics = Metrics::open(run.path(), trainer.samples)?;
        let details = json!({
            "program": env!("CARGO_PKG_VERSION"), "site": site.to_string(),
            "parameters": trainer.model.values.len(), "settings": run.settings(),
        });
        metrics.note(trainer.samples, "begin", details)?;
        let mut stepwise = Stepwise {
            run,
            trainer,
            metrics,
            sums: Sums::default(),
            earlier: counters.unwrap_or_default().seconds,
            begin: Instant::now(),
        };
        if counters.is_none() {
            stepwise.save()?;
        }
        Ok(stepwise)
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.trainer.optimizer.steps
    }

    /// Samples so far.
    pub fn samples(&self) -> u64 {
        self.trainer.samples
    }

    /// The net with the current parameters, not their averages.
    pub fn net(&mut self) -> Result<Net> {
        self.trainer.fetch()?;
        let model = &self.trainer.model;
        Ok(self.run.net(model, &model.values, self.samples()))
    }

    /// The net with the averages of the parameters.
    pub fn averaged_net(&mut self) -> Result<Net> {
        self.trainer.fetch()?;
        let (model, average) = (&self.trainer.model, &self.trainer.average);
        Ok(self.run.net(model, average, self.samples()))
    }

    /// Makes one step with all batches.
    pub fn step(&mut self, batches: &[Batch]) -> Result<StepReport> {
        let begin = Instant::now();
        let report = self.trainer.step(batches)?;
        let limit = self.trainer.settings().optimizer.clip_norm;
        self.sums.add(&report, limit, begin.elapsed().as_secs_f64());
        Ok(report)
    }

    /// The means of losses and the like over the steps since this was last asked for.
    pub fn means(&mut self) -> Values {
        let sums = std::mem::take(&mut self.sums);
        match sums.is_empty() {
            true => Values::new(),
            false => sums.values(&self.trainer),
        }
    }

    /// Logs values, and the time so far.
    pub fn log(&mut self, values: &Values) -> Result<()> {
        let mut values = values.clone();
        values.push(("seconds".to_owned(), self.seconds()));
        self.metrics.add(self.trainer.samples, &values)
    }

    /// Of all processes.
    fn seconds(&self) -> f64 {
        self.earlier + self.begin.elapsed().as_secs_f64()
    }

    /// Writes a checkpoint and its nets.
    pub fn save(&mut self) -> Result<()> {
        self.trainer.fetch()?;
        let counters = Counters {
            seconds: self.seconds(),
            ..Counters::default()
        };
        let state = state_of(&self.trainer, counters);
        self.run.save(&state, &self.trainer.model)
    }
}
