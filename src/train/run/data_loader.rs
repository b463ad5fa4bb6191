//! Batches for one step after another, and the shards they came from: `shards.jsonl`.
//!
//! Shards may be added to the folders at any time; the loader searches the folders when an epoch
//! begins. Each epoch's list is written before its first batch, so a run that resumes from an
//! earlier checkpoint trains on the same samples again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::data::batch::Batch;
use crate::data::boards::Boards;
use crate::data::stream::{Stream, StreamSettings, files_of, mixed};
use crate::files;
use crate::files::lines::JsonLines;
use crate::nn::desc::InputVersion;

use super::checkpoint::Counters;
use super::settings::Settings;

/// A line of `shards.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct EpochShards {
    epoch: u64,
    /// None if equal to the line before, which is then that of the epoch before.
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<Vec<PathBuf>>,
}

/// The batches of a step.
#[derive(Clone, Debug)]
pub struct StepBatches {
    /// Each of one board size.
    pub batches: Vec<Batch>,
    /// The loader's position after these batches.
    pub place: Place,
}

/// Position of a loader.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The epoch.
    pub epoch: u64,
    /// Batches given in this epoch.
    pub given: u64,
    /// Labels in this epoch.
    pub labels: usize,
}

/// An endless source of batches.
pub struct DataLoader {
    folders: Vec<PathBuf>,
    per_step: usize,
    /// How labels are read, with the run's seed.
    of_run: StreamSettings,
    lines: JsonLines,
    /// Shards of the epochs so far.
    known: BTreeMap<u64, Vec<PathBuf>>,
    epoch: u64,
    given: u64,
    files: Vec<PathBuf>,
    stream: Stream,
    /// Whether shards of the run's epoch are gone.
    has_lost_shards: bool,
}

impl DataLoader {
    /// Resumes at a run's position, with labels of these boards only and inputs of this version. Where shards of that
    /// epoch have been deleted since, the next epoch begins instead, with those that are there.
    pub fn open(
        run: &Path,
        settings: &Settings,
        folders: &[PathBuf],
        counters: &Counters,
        (boards, inputs): (Boards, InputVersion),
    ) -> Result<DataLoader> {
        let (mut lines, mut known) = read(run)?;
        let (mut epoch, mut given) = (counters.epoch, counters.given);
        let is_gone = |files: &Vec<PathBuf>| !files.iter().all(|file| files::exists(file));
        let has_lost_shards = known.get(&epoch).is_some_and(is_gone);
        if has_lost_shards {
            forget(run, epoch)?;
            (lines, known) = read(run)?;
            (epoch, given) = (epoch + 1, 0);
        }
        let files = match known.get(&epoch) {
            Some(files) => files.clone(),
            None => listed(&mut lines, folders, epoch, None)?,
        };
        let of_run = StreamSettings {
            batch: settings.micro_batch,
            seed: settings.seed,
            komi_shifts: settings.komi_shifts,
            boards,
            inputs,
            ..StreamSettings::default()
        };
        let mut stream = Stream::of_files(&files, of_epoch(&of_run, epoch))?;
        stream.skip(given as usize)?;
        Ok(DataLoader {
            folders: folders.to_vec(),
            per_step: settings.batch / settings.micro_batch,
            of_run,
            lines,
            known,
            epoch,
            given,
            files,
            stream,
            has_lost_shards,
        })
    }

    /// What is to be said of the labels, if anything.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let lost = self.has_lost_shards.then(|| {
            let epoch = self.epoch;
            format!("shards of the epoch are gone: epoch {epoch} begins, with those that are there")
        });
        let left_out = self.of_run.boards.remark(self.stream.left_out());
        lost.into_iter().chain(left_out)
    }

    /// The current position.
    pub fn place(&self) -> Place {
        Place {
            epoch: self.epoch,
            given: self.given,
            labels: self.stream.labels(),
        }
    }

    pub fn next_step(&mut self) -> Result<StepBatches> {
        let batches = (0..self.per_step).map(|_| self.next_batch());
        Ok(StepBatches {
            batches: batches.collect::<Result<_>>()?,
            place: self.place(),
        })
    }

    fn next_batch(&mut self) -> Result<Batch> {
        if self.given == self.stream.batches() as u64 {
            self.begin_epoch(self.epoch + 1)?;
        }
        let batch = self.stream.next_batch()?;
        self.given += 1;
        Ok(batch)
    }

    fn begin_epoch(&mut self, epoch: u64) -> Result<()> {
        let known = self.known.get(&epoch);
        let files = match known.filter(|files| files.iter().all(|file| files::exists(file))) {
            Some(files) => files.clone(),
            None => listed(&mut self.lines, &self.folders, epoch, Some(&self.files))?,
        };
        self.stream = Stream::of_files(&files, of_epoch(&self.of_run, epoch))?;
        (self.files, self.epoch, self.given) = (files, epoch, 0);
        Ok(())
    }
}

/// Forgets the shard lists from an epoch on, so that the folders are searched again.
pub fn forget(run: &Path, epoch: u64) -> Result<()> {
    let earlier = |line: &serde_json::Value| line["epoch"].as_u64().is_some_and(|e| e < epoch);
    JsonLines::open_keeping(&file_of(run), earlier)?;
    Ok(())
}

fn file_of(run: &Path) -> PathBuf {
    run.join("shards.jsonl")
}

fn read(run: &Path) -> Result<(JsonLines, BTreeMap<u64, Vec<PathBuf>>)> {
    let (lines, values) = JsonLines::open_keeping(&file_of(run), |_| true)?;
    let mut known: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    let mut last: Option<u64> = None;
    for value in values {
        let line: EpochShards = serde_json::from_value(value).context("damaged shards.jsonl")?;
        let EpochShards { epoch, shards } = line;
        let before = last.filter(|last| last.checked_add(1) == Some(epoch));
        let as_before = || known.get(&before?).cloned();
        match shards.or_else(as_before) {
            Some(shards) => known.insert(epoch, shards),
            // A damaged line is missing: the folders are searched again.
            None => known.remove(&epoch),
        };
        last = Some(epoch);
    }
    Ok((lines, known))
}

/// Searches for shards, and writes their list.
fn listed(
    lines: &mut JsonLines,
    folders: &[PathBuf],
    epoch: u64,
    before: Option<&[PathBuf]>,
) -> Result<Vec<PathBuf>> {
    let files = files_of(folders)?;
    let shards = (before != Some(&files[..])).then(|| files.clone());
    lines.add(&serde_json::to_value(EpochShards { epoch, shards })?)?;
    Ok(files)
}

/// How the labels of an epoch are read, each in another order.
fn of_epoch(of_run: &StreamSettings, epoch: u64) -> StreamSettings {
    StreamSettings {
        seed: mixed(of_run.seed, epoch),
        ..of_run.clone()
    }
}
