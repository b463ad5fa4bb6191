//! One process's work on a run: training steps, with checkpoints, validation and metrics in
//! between.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::data::stream::files_of;
use crate::train::engine::Site;
use crate::train::model::Model;
use crate::train::trainer::{NotNumbers, Trainer};
use crate::train::validation;

use super::Run;
use super::checkpoint::{Counters, State};
use super::data_loader::{DataLoader, Place};
use super::metrics::{Metrics, Sums, Values};
use super::prefetcher::Prefetcher;
use super::watchdog::{BAD_LENGTH, Watchdog};

/// A run ends after this many learning-rate backoffs.
const MOST_BACKOFFS: u32 = 12;

/// Settings of a session.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Device and number format.
    pub site: &'a Site,
    /// Threads for validation, at least 1.
    pub threads: usize,
    /// When to end.
    pub until: Option<Instant>,
    /// Time between checkpoints.
    pub checkpoint_every: Duration,
    /// Samples between metrics.
    pub log_every: u64,
    /// Set from outside to end the session.
    pub stop: &'a AtomicBool,
}

/// Progress events.
#[derive(Debug)]
pub enum Event<'a> {
    /// A message to display.
    Remark(String),
    /// After a step: samples so far.
    Step(u64),
    /// Metrics were logged.
    Metrics(u64, &'a Values),
}

/// Receives events.
pub type EventSink<'a> = dyn FnMut(Event) + 'a;

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All planned samples have been used.
    Done,
    /// It was stopped from outside.
    Stopped,
    /// Its time limit was reached.
    TimeUp,
}

impl Ending {
    /// Why a run ends that has seen this many of the planned samples, and is stopped from outside or at a time;
    /// none if it goes on.
    pub fn now(
        samples: u64,
        planned: Option<u64>,
        stop: &AtomicBool,
        until: Option<Instant>,
    ) -> Option<Ending> {
        match () {
            _ if planned.is_some_and(|planned| samples >= planned) => Some(Ending::Done),
            _ if stop.load(Ordering::Relaxed) => Some(Ending::Stopped),
            _ if until.is_some_and(|until| Instant::now() >= until) => Some(Ending::TimeUp),
            _ => None,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Done => "as planned",
            Ending::Stopped => "stopped",
            Ending::TimeUp => "time is up",
        })
    }
}

/// Trains until a limit is reached or it is stopped, then writes a checkpoint. Returns the samples
/// so far.
pub fn train(run: &Run, limits: Limits, on_event: &mut EventSink) -> Result<(u64, Ending)> {
    let mut session = Session::begin(run, limits, on_event)?;
    let ending = loop {
        if let Some(ending) = session.ending() {
            break ending;
        }
        session.step(on_event)?;
    };
    session.end(on_event)?;
    Ok((session.trainer.samples, ending))
}

struct Session<'a> {
    run: &'a Run,
    limits: Limits<'a>,
    trainer: Trainer,
    prefetcher: Prefetcher,
    metrics: Metrics,
    watchdog: Watchdog,
    /// The last bad gradient.
    trouble: String,
    sums: Sums,
    backoffs: u32,
    /// Time of earlier sessions, and the start of this one.
    earlier: f64,
    begin: Instant,
    saved: Instant,
    saved_samples: u64,
    validated_samples: u64,
}

impl<'a> Session<'a> {
    fn begin(run: &'a Run, limits: Limits<'a>, on_event: &mut EventSink) -> Result<Session<'a>> {
        let (model, state) = run.load(&mut |text| on_event(Event::Remark(text)))?;
        let is_new = state.is_none();
        let counters = state
            .as_ref()
            .map(|state| state.counters)
            .unwrap_or_default();
        if let Some(text) = limits.site.remark(&model) {
            on_event(Event::Remark(text));
        }
        let trainer = trainer(run, limits.site, model, state)?;
        let loader = open_loader(run, &counters, &trainer.model)?;
        loader
            .remarks()
            .for_each(|text| on_event(Event::Remark(text)));
        let samples = trainer.samples;
        let mut metrics = Metrics::open(run.path(), samples)?;
        let details = json!({
            "program": env!("CARGO_PKG_VERSION"), "site": limits.site.to_string(),
            "parameters": trainer.model.values.len(), "labels": loader.place().labels,
            "settings": run.settings(), "plan": run.plan(),
        });
        metrics.note(samples, "begin", details)?;
        let validated_samples = metrics.validated().unwrap_or(0);
        let now = Instant::now();
        let mut session = Session {
            run,
            limits,
            trainer,
            prefetcher: Prefetcher::new(loader, limits.site.is_elsewhere())?,
            metrics,
            watchdog: Watchdog::default(),
            trouble: String::new(),
            sums: Sums::default(),
            backoffs: counters.backoffs,
            earlier: counters.seconds,
            begin: now,
            saved: now,
            saved_samples: samples,
            validated_samples,
        };
        if is_new {
            session.save()?;
        }
        Ok(session)
    }

    fn ending(&self) -> Option<Ending> {
        let planned = self.run.plan().samples;
        let (stop, until) = (self.limits.stop, self.limits.until);
        Ending::now(self.trainer.samples, planned, stop, until)
    }

    fn step(&mut self, on_event: &mut EventSink) -> Result<()> {
        let begin = Instant::now();
        let before = self.trainer.samples;
        let batches = self.prefetcher.next_step()?;
        let limit = self.trainer.settings().optimizer.clip_norm;
        let length = match self.trainer.step(&batches) {
            Ok(report) => {
                let seconds = begin.elapsed().as_secs_f64();
                self.sums.add(&report, limit, seconds);
                Some(report.gradient_norm / limit)
            }
            Err(error) if error.is::<NotNumbers>() => {
                self.trouble = error.to_string();
                None
            }
            Err(error) => return Err(error.context("cannot take a step of training")),
        };
        if let Some(length) = length.filter(|&length| length > BAD_LENGTH) {
            self.trouble =
                format!("the gradient is {length:.0} times as long as its limit, {limit}");
        }
        if self.watchdog.alarm(length) {
            return self.go_back(on_event);
        }
        let samples = self.trainer.samples;
        on_event(Event::Step(samples));
        let passed = |every: u64| before / every.max(1) != samples / every.max(1);
        if passed(self.limits.log_every) {
            self.log(on_event)?;
        }
        if passed(self.run.plan().validate_every) {
            self.validate(on_event)?;
        }
        if self.saved.elapsed() >= self.limits.checkpoint_every {
            self.save()?;
        }
        Ok(())
    }

    fn end(&mut self, on_event: &mut EventSink) -> Result<()> {
        self.log(on_event)?;
        if self.trainer.samples != self.saved_samples {
            self.save()?;
        }
        let is_done = self.ending() == Some(Ending::Done);
        if is_done && self.trainer.samples != self.validated_samples {
            self.validate(on_event)?;
        }
        Ok(())
    }

    fn log(&mut self, on_event: &mut EventSink) -> Result<()> {
        if self.sums.is_empty() {
            return Ok(());
        }
        let mut values = self.sums.values(&self.trainer);
        values.push(("seconds".to_owned(), self.seconds()));
        values.push(("epoch".to_owned(), self.prefetcher.place().epoch as f64));
        values.push(("labels".to_owned(), self.prefetcher.place().labels as f64));
        self.sums = Sums::default();
        self.put(values, on_event)
    }

    fn put(&mut self, values: Values, on_event: &mut EventSink) -> Result<()> {
        let samples = self.trainer.samples;
        self.metrics.add(samples, &values)?;
        on_event(Event::Metrics(samples, &values));
        Ok(())
    }

    /// Validates the averaged parameters.
    fn validate(&mut self, on_event: &mut EventSink) -> Result<()> {
        self.validated_samples = self.trainer.samples;
        let folders = &self.run.plan().validate;
        if folders.is_empty() {
            return Ok(());
        }
        self.trainer.fetch()?;
        let (model, average) = (&self.trainer.model, &self.trainer.average);
        let boards = self.run.settings().boards(model.only_size());
        let validated = files_of(folders).and_then(|files| {
            validation::of_model(model, average, &files, boards, self.limits.threads)
        });
        let report = match validated {
            Ok(report) => report,
            // Training does not need it.
            Err(error) => {
                let text = format!("no validation, see --validate: {error:#}");
                on_event(Event::Remark(text));
                return Ok(());
            }
        };
        if let Some(text) = report.remark() {
            on_event(Event::Remark(text));
        }
        let named = |(size, values): (String, Vec<(&str, f64)>)| {
            let name = move |(name, value)| (format!("val/{size}/{name}"), value);
            values.into_iter().map(name).collect::<Values>()
        };
        let values = report.values().into_iter().flat_map(named);
        self.put(values.collect(), on_event)
    }

    fn seconds(&self) -> f64 {
        self.earlier + self.begin.elapsed().as_secs_f64()
    }

    fn save(&mut self) -> Result<()> {
        self.trainer.fetch()?;
        let trainer = &self.trainer;
        let Place { epoch, given, .. } = self.prefetcher.place();
        let counters = Counters {
            epoch,
            given,
            backoffs: self.backoffs,
            seconds: self.seconds(),
            ..Counters::default()
        };
        let state = state_of(trainer, counters);
        self.run.save(&state, &trainer.model)?;
        self.saved = Instant::now();
        self.saved_samples = trainer.samples;
        Ok(())
    }

    /// Restarts from the last checkpoint with half the learning rate.
    fn go_back(&mut self, on_event: &mut EventSink) -> Result<()> {
        self.backoffs += 1;
        ensure!(
            self.backoffs <= MOST_BACKOFFS,
            "training diverges whatever the learning rate: {}",
            self.trouble
        );
        let diverged_at = self.trainer.samples;
        let (model, state) = self.run.load(&mut |text| on_event(Event::Remark(text)))?;
        let state = state.map(|mut state| {
            state.counters.backoffs = self.backoffs;
            state
        });
        let counters = state
            .as_ref()
            .map(|state| state.counters)
            .unwrap_or_default();
        self.trainer = trainer(self.run, self.limits.site, model, state)?;
        self.prefetcher.stop();
        let loader = open_loader(self.run, &counters, &self.trainer.model)?;
        self.prefetcher = Prefetcher::new(loader, self.limits.site.is_elsewhere())?;
        self.metrics = Metrics::open(self.run.path(), self.trainer.samples)?;
        self.watchdog = Watchdog::default();
        self.sums = Sums::default();
        let rate = self.trainer.settings().schedule.peak;
        let text = format!(
            "too many bad gradients after {diverged_at} samples ({}): back to {} with the rate {rate}",
            self.trouble, self.trainer.samples
        );
        self.metrics
            .note(self.trainer.samples, "diverged", json!(text))?;
        on_event(Event::Remark(text));
        self.save()
    }
}

/// The labels that a model learns from, from the run's position on.
fn open_loader(run: &Run, counters: &Counters, model: &Model) -> Result<DataLoader> {
    let (settings, folders) = (run.settings(), &run.plan().data);
    let reads = (settings.boards(model.only_size()), model.batch_version());
    DataLoader::open(run.path(), settings, folders, counters, reads)
}

/// A trainer's state; it knows its own samples and steps.
pub(super) fn state_of(trainer: &Trainer, counters: Counters) -> State {
    State {
        counters: Counters {
            samples: trainer.samples,
            steps: trainer.optimizer.steps,
            ..counters
        },
        values: trainer.model.values.clone(),
        average: trainer.average.clone(),
        first: trainer.optimizer.first.clone(),
        second: trainer.optimizer.second.clone(),
    }
}

/// A trainer with the stored state, or at the start.
pub(super) fn trainer(
    run: &Run,
    site: &Site,
    mut model: Model,
    state: Option<State>,
) -> Result<Trainer> {
    let backoffs = state.as_ref().map_or(0, |state| state.counters.backoffs);
    let settings = run.settings().trainer(run.plan(), site, backoffs)?;
    let Some(state) = state else {
        return Trainer::new(model, settings);
    };
    model.values = state.values;
    let mut trainer = Trainer::new(model, settings)?;
    trainer.average = state.average;
    trainer.optimizer.first = state.first;
    trainer.optimizer.second = state.second;
    trainer.optimizer.steps = state.counters.steps;
    trainer.samples = state.counters.samples;
    Ok(trainer)
}
