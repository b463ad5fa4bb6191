//! A folder of shards that several processes may fill together.
//!
//! `settings.json` holds the settings of the labels; every process must have the same.
//! `shard-000123.glb` is written atomically. Its maker holds the operating system's lock on
//! `shard-000123.lock`, which is released when the process ends in any way; so nothing needs
//! cleaning up, and missing shards are made when the command runs again. `metrics.jsonl` gets a
//! line for each shard.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::files::difference::stored_difference;
use crate::files::lock::FileLock;
use crate::threads::{locked, together, unlocked};

use super::plan::SizeMix;
use super::sampler::Sampler;
use super::shard::{self, Shard};

mod settings;

pub use settings::{GamesIdentity, LabelSettings, NetIdentity};

/// A line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShardMetrics {
    /// Time of completion, in seconds since 1970.
    pub time: f64,
    /// Process id of the maker.
    pub process: u32,
    /// The shard's number.
    pub shard: u32,
    /// Its board size, as `19x19`.
    pub size: String,
    /// How many labels it has.
    pub labels: usize,
    /// Evaluations by the teacher.
    pub evaluations: usize,
    /// Time of one thread.
    pub seconds: f64,
    /// File size in bytes.
    pub bytes: usize,
}

/// What a process has done in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Shards made by this process.
    pub made: u32,
    /// Labels made by this process.
    pub labels: usize,
    /// Shards that existed already.
    pub present: u32,
    /// Shards that other processes are making.
    pub busy: u32,
}

/// A folder of shards.
#[derive(Clone, Debug)]
pub struct LabelFolder {
    path: PathBuf,
    settings: LabelSettings,
}

impl LabelFolder {
    /// Opens or creates a folder. It is an error if its settings differ.
    pub fn create(path: &Path, settings: &LabelSettings) -> Result<LabelFolder> {
        files::make_folder(path)?;
        files::remove_abandoned(path);
        let file = path.join("settings.json");
        ensure!(
            files::exists(&file) || shard::in_folder(path)?.is_empty(),
            "{} holds labels, but their settings.json is missing: choose another folder",
            path.display()
        );
        if let Some(difference) = stored_difference(&file, settings)? {
            bail!(
                "{} holds labels of another kind: {difference}",
                path.display()
            );
        }
        LabelFolder::open(path)
    }

    /// Opens an existing folder.
    pub fn open(path: &Path) -> Result<LabelFolder> {
        let file = path.join("settings.json");
        let folder = path.display();
        ensure!(
            path.is_dir(),
            "there is no folder {folder} with labels: `keima label` and `keima selfplay` make such folders; \
             game records are files (.sgf, .tsv) or folders of them"
        );
        ensure!(
            files::exists(&file),
            "{folder} holds no labels (it has no settings.json): name a folder that `keima label` or \
             `keima selfplay` has made"
        );
        Ok(LabelFolder {
            path: path.to_owned(),
            settings: files::read_json(&file)?,
        })
    }

    /// Settings of its labels.
    pub fn settings(&self) -> &LabelSettings {
        &self.settings
    }

    /// The file of a shard.
    pub fn shard_file(&self, number: u32) -> PathBuf {
        self.path.join(format!("shard-{number:06}.glb"))
    }

    /// The files of all existing shards, by number.
    pub fn shard_files(&self) -> Result<Vec<PathBuf>> {
        shard::in_folder(&self.path)
    }

    /// How many of the first shards there are.
    pub fn present(&self, shards: u32) -> Result<u32> {
        let files = self.shard_files()?;
        let numbers = files.iter().filter_map(|file| number_of(file));
        Ok(numbers.filter(|&number| number < shards).count() as u32)
    }

    /// Makes the missing ones of the first shards that no other process is making. `progress` is
    /// called with the number of new labels.
    pub fn fill(
        &self,
        sampler: &Sampler,
        shards: u32,
        threads: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Outcome> {
        let next = AtomicU32::new(0);
        let outcome = Mutex::new(Outcome::default());
        let work = || -> Result<()> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= shards {
                    return Ok(());
                }
                let done = self.make(number, sampler, progress);
                // Stops the other threads.
                let done = done.inspect_err(|_| next.store(shards, Ordering::Relaxed))?;
                locked(&outcome).add(done);
            }
        };
        let worked = together(threads, "labelling", work);
        worked.into_iter().collect::<Result<()>>()?;
        Ok(unlocked(outcome))
    }

    fn make(
        &self,
        number: u32,
        sampler: &Sampler,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Done> {
        let file = self.shard_file(number);
        if files::exists(&file) {
            return Ok(Done::Present);
        }
        let Some(file_lock) = FileLock::take(&file)? else {
            return Ok(Done::Busy);
        };
        // Another process may have made it before the lock was taken.
        let done = if files::exists(&file) {
            Done::Present
        } else {
            Done::Made(self.make_claimed(number, sampler, progress)?)
        };
        file_lock.release()?;
        Ok(done)
    }

    fn make_claimed(
        &self,
        number: u32,
        sampler: &Sampler,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<usize> {
        let begin = Instant::now();
        let size = SizeMix::parse(&self.settings.sizes)?.size_of(number, self.settings.seed);
        let made = sampler.shard(number, size, &|labels| progress(labels))?;
        let shard = Shard {
            size,
            has_ownership: self.settings.ownership,
            number,
            seed: self.settings.seed,
            teacher: self.settings.teacher_digest()?,
            settings: self.settings.digest()?,
            sources: sampler.sources(),
            lines: made.lines,
        };
        let bytes = shard.to_bytes()?;
        files::write_whole(&self.shard_file(number), &bytes, true)?;
        let metrics = ShardMetrics {
            time: files::since_1970().as_secs_f64(),
            process: std::process::id(),
            shard: number,
            size: size.to_string(),
            labels: shard.labels(),
            evaluations: made.evaluations,
            seconds: begin.elapsed().as_secs_f64(),
            bytes: bytes.len(),
        };
        files::append_json(&self.path.join("metrics.jsonl"), &metrics)?;
        Ok(shard.labels())
    }
}

/// The number of a shard by its file's name, which a damaged one has, too.
pub(super) fn number_of(path: &Path) -> Option<u32> {
    let name = path.file_stem()?.to_str()?;
    name.strip_prefix("shard-")?.parse().ok()
}

enum Done {
    Made(usize),
    Present,
    Busy,
}

impl Outcome {
    fn add(&mut self, done: Done) {
        match done {
            Done::Made(labels) => {
                self.made += 1;
                self.labels += labels;
            }
            Done::Present => self.present += 1,
            Done::Busy => self.busy += 1,
        }
    }
}
