//! The log of a training run.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::train::run::settings::RunManifest;
use crate::train::run::{self};

/// Values by number of samples.
pub type Points = Vec<(f64, f64)>;

/// A training run.
#[derive(Clone, Debug)]
pub struct Log {
    /// Its folder.
    pub path: PathBuf,
    /// The folder's name.
    pub name: String,
    /// Settings and plan.
    pub manifest: RunManifest,
    /// Entries written when a process last started.
    pub begin: Value,
    /// Events, each with the number of samples.
    pub events: Vec<(f64, String)>,
    series: BTreeMap<String, Points>,
}

impl Log {
    /// From a folder, or its subfolder `train`; none if there is no run.
    pub fn read(folder: &Path) -> Result<Option<Log>> {
        let below = folder.join("train");
        let found = [folder, &below].into_iter().find(|path| run::exists(path));
        let Some(path) = found else {
            return Ok(None);
        };
        let file = path.join("metrics.jsonl");
        let bytes = match fs::read(&file) {
            // Nothing has been learned yet.
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            bytes => bytes.with_context(|| format!("cannot read {}", file.display()))?,
        };
        let name = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let mut log = Log {
            path: path.to_owned(),
            name: name.into_owned(),
            manifest: run::read_manifest(path)?,
            begin: Value::Null,
            events: Vec::new(),
            series: BTreeMap::new(),
        };
        // An incomplete last line is still being written; others may be damaged.
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter_map(|it| serde_json::from_str(it).ok());
        lines.for_each(|line| log.add(line));
        Ok(Some(log))
    }

    fn add(&mut self, line: Value) {
        let Some(samples) = line["samples"].as_f64() else {
            return;
        };
        match line["event"].as_str() {
            Some("begin") => self.begin = line["details"].clone(),
            Some(event) => {
                let text = match line["details"].as_str() {
                    Some(details) => details.to_owned(),
                    None => event.to_owned(),
                };
                self.events.push((samples, text));
            }
            None => {
                for (name, value) in line.as_object().into_iter().flatten() {
                    if let Some(value) = value.as_f64() {
                        let points = self.series.entry(name.clone()).or_default();
                        points.push((samples, value));
                    }
                }
            }
        }
    }

    /// The course of a value; empty if it was never logged.
    pub fn points(&self, name: &str) -> &[(f64, f64)] {
        self.series.get(name).map_or(&[], Vec::as_slice)
    }

    /// The last logged value.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.points(name).last().map(|point| point.1)
    }

    /// Samples so far.
    pub fn samples(&self) -> f64 {
        self.points("samples").last().map_or(0.0, |point| point.1)
    }

    /// Board sizes of the validation labels, the largest first.
    pub fn sizes(&self) -> Vec<String> {
        let size = |name: &String| {
            let (size, metric) = name.strip_prefix("val/")?.split_once('/')?;
            (metric == "labels" && size != "all").then(|| size.to_owned())
        };
        let mut sizes: Vec<String> = self.series.keys().filter_map(size).collect();
        let area = |size: &String| {
            let sides = size
                .split('x')
                .filter_map(|side| side.parse::<usize>().ok());
            sides.product::<usize>()
        };
        sizes.sort_by_key(|size| std::cmp::Reverse(area(size)));
        sizes
    }
}
