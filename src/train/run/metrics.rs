//! The logs of a run: `metrics.jsonl` and TensorBoard events.

use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::files;
use crate::files::lines::JsonLines;
use crate::train::losses::{Head, Losses};
use crate::train::trainer::{StepReport, Trainer};

use super::tensorboard::EventFile;

/// Named values.
pub type Values = Vec<(String, f64)>;

pub struct Metrics {
    lines: JsonLines,
    events: EventFile,
    /// Samples at the last validation when the logs were opened.
    validated: Option<u64>,
}

impl Metrics {
    /// Opens the logs of a run that resumes after this many samples; later entries are removed.
    pub fn open(run: &Path, samples: u64) -> Result<Metrics> {
        let is_before = |line: &Value| line["samples"].as_u64().is_some_and(|at| at <= samples);
        let (lines, known) = JsonLines::open_keeping(&run.join("metrics.jsonl"), is_before)?;
        let mut validations = known
            .iter()
            .filter(|line| line.get("val/all/labels").is_some());
        let validated = validations
            .next_back()
            .and_then(|line| line["samples"].as_u64());
        let events = EventFile::create(
            &run.join("tensorboard"),
            files::since_1970().as_secs_f64(),
            samples,
        )?;
        Ok(Metrics {
            lines,
            events,
            validated,
        })
    }

    /// Samples at the last validation before the logs were opened, if there was one.
    pub fn validated(&self) -> Option<u64> {
        self.validated
    }

    /// Logs values.
    pub fn add(&mut self, samples: u64, values: &Values) -> Result<()> {
        let time = files::since_1970().as_secs_f64();
        let known = values.iter().filter(|(_, value)| value.is_finite());
        let pairs = known.map(|(name, value)| (name.clone(), json!(value)));
        let mut line: Map<String, Value> = pairs.collect();
        line.insert("samples".to_owned(), json!(samples));
        line.insert("time".to_owned(), json!(time));
        self.lines.add(&line)?;
        let values = values.iter().map(|(name, value)| (&name[..], *value));
        self.events.add(time, samples, values)
    }

    /// Logs an event as text.
    pub fn note(&mut self, samples: u64, event: &str, details: Value) -> Result<()> {
        let line = json!({
            "samples": samples, "time": files::since_1970().as_secs_f64(), "event": event, "details": details,
        });
        self.lines.add(&line)
    }
}

/// Means over the steps since the last log entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    losses: Losses,
    steps: f64,
    gradient_norm: f64,
    clipped: f64,
    /// Learning rate of the last step.
    rate: f64,
    /// Time of these steps.
    seconds: f64,
}

impl Sums {
    /// Adds a step. `limit` is the norm to which gradients are clipped.
    pub fn add(&mut self, report: &StepReport, limit: f64, seconds: f64) {
        self.losses += report.losses;
        self.steps += 1.0;
        self.gradient_norm += report.gradient_norm;
        self.clipped += f64::from(report.gradient_norm > limit);
        self.rate = report.rate;
        self.seconds += seconds;
    }

    pub fn is_empty(&self) -> bool {
        self.steps == 0.0
    }

    /// Samples per second.
    pub fn samples_per_second(&self) -> f64 {
        self.losses.samples / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// The means in a trainer's steps. Losses without targets, and of outputs that its net lacks, are left out.
    pub fn values(&self, trainer: &Trainer) -> Values {
        let weights = &trainer.settings().losses;
        let has = |head: Head| trainer.model.has_all_outputs() || head.is_of_flat_heads();
        let mean = |sum: f64| sum / self.steps;
        let mut values = vec![
            ("samples_per_second".to_owned(), self.samples_per_second()),
            ("rate".to_owned(), self.rate),
            ("gradient_norm".to_owned(), mean(self.gradient_norm)),
            ("clipped".to_owned(), mean(self.clipped)),
            ("policy_agreement".to_owned(), self.losses.agreement()),
            ("loss/total".to_owned(), self.losses.total(weights)),
        ];
        for head in Head::ALL {
            if self.losses.weights[head as usize] > 0.0 && has(head) {
                let name = format!("loss/{}", head.name());
                values.push((name, self.losses.of(head)));
            }
        }
        values
    }
}
