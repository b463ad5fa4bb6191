//! The report of training runs, made anew when their files have changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;

use crate::cmd::device::DeviceArguments;
use crate::cmd::report;
use crate::threads::locked;

/// A report is at least so old before it is made anew, ...
const LEAST_AGE: Duration = Duration::from_secs(2);
/// ... and so many times as old as it took to make it, so that the run hardly notices.
const RARELY: u32 = 20;
/// Folders of a run are looked into to this depth.
const DEPTH: usize = 2;

/// Reports of training runs.
pub(super) struct RunPage {
    runs: Vec<PathBuf>,
    device: DeviceArguments,
    latest: Mutex<Option<Latest>>,
}

/// The latest report.
struct Latest {
    made: Instant,
    /// How long that took.
    took: Duration,
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
    page: Arc<str>,
}

impl RunPage {
    /// None without runs; an error if they are none.
    pub(super) fn new(runs: &[PathBuf], device: DeviceArguments) -> Result<Option<Arc<RunPage>>> {
        if runs.is_empty() {
            return Ok(None);
        }
        report::check(runs)?;
        Ok(Some(Arc::new(RunPage {
            runs: runs.to_vec(),
            device,
            latest: Mutex::default(),
        })))
    }

    /// The report as the files are now, or were some seconds ago.
    pub(super) fn current(&self) -> Result<Arc<str>> {
        let mut latest = locked(&self.latest);
        let is_young = |known: &&Latest| {
            known.made.elapsed() < LEAST_AGE.max(known.took.saturating_mul(RARELY))
        };
        if let Some(known) = latest.as_ref().filter(is_young) {
            return Ok(Arc::clone(&known.page));
        }
        let mut files = Vec::new();
        for run in &self.runs {
            list(run, DEPTH, &mut files);
        }
        files.sort();
        if let Some(known) = latest.as_mut().filter(|known| known.files == files) {
            known.made = Instant::now();
            return Ok(Arc::clone(&known.page));
        }
        let begun = Instant::now();
        let page: Arc<str> = report::page_of(&self.runs, self.device)?.into();
        *latest = Some(Latest {
            made: Instant::now(),
            took: begun.elapsed(),
            files,
            page: Arc::clone(&page),
        });
        Ok(page)
    }
}

/// The files below a folder with size and time of their last change.
fn list(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, u64, Option<SystemTime>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        match metadata.is_dir() {
            true if depth > 0 => list(&entry.path(), depth - 1, found),
            true => {}
            false => found.push((entry.path(), metadata.len(), metadata.modified().ok())),
        }
    }
}
