//! Checkpoints: `checkpoints/0000012800.safetensors`, named by the number of training samples.
//!
//! The tensors are the parameters, their averages and the optimizer's two moments, each as one
//! list. The metadata of the header holds a manifest: the rest of the state as JSON, with the run's
//! settings, and the SHA-256 of the tensors.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files;

use super::settings::Settings;

/// Version of the manifest.
const FORMAT: u32 = 1;
/// Key of the manifest in the metadata.
const MANIFEST_KEY: &str = "keima.training";
/// The tensors, in the order of the digest.
const TENSORS: [&str; 4] = ["values", "average", "first", "second"];
/// Number of unmarked checkpoints to keep.
const KEPT: usize = 4;
/// Extensions.
const END: &str = "safetensors";
const MARK: &str = "keep";
const DAMAGED: &str = "damaged";

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub counters: Counters,
    pub values: Vec<f32>,
    /// Averages of the parameters.
    pub average: Vec<f32>,
    /// First moments of the optimizer.
    pub first: Vec<f32>,
    /// Second moments.
    pub second: Vec<f32>,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Training samples so far.
    pub samples: u64,
    /// Optimizer steps.
    pub steps: u64,
    /// The epoch of the data.
    pub epoch: u64,
    /// Batches of one board size given in this epoch.
    pub given: u64,
    /// Number of learning-rate backoffs after divergence.
    #[serde(rename = "halvings")]
    pub backoffs: u32,
    /// Training time.
    pub seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    counters: Counters,
    settings: Settings,
    sha256: String,
}

/// What every format has.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// A checkpoint of another program, which is not damaged.
#[derive(Debug)]
struct UnknownFormat(u32);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownFormat(format) = self;
        write!(
            f,
            "the checkpoint's format is {format}; only {FORMAT} is known: go on with the program that wrote it"
        )
    }
}

impl Error for UnknownFormat {}

/// The contents of a file.
pub fn to_bytes(state: &State, settings: &Settings) -> Result<Vec<u8>> {
    let lists = [&state.values, &state.average, &state.first, &state.second];
    let lists = lists.map(|list| {
        list.iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<u8>>()
    });
    let manifest = Manifest {
        format: FORMAT,
        counters: state.counters,
        settings: settings.clone(),
        sha256: digest(lists.iter().map(|list| &list[..])),
    };
    let metadata = HashMap::from([(MANIFEST_KEY.to_owned(), serde_json::to_string(&manifest)?)]);
    let mut views = Vec::new();
    for (name, list) in TENSORS.iter().zip(&lists) {
        let shape = vec![list.len() / size_of::<f32>()];
        views.push((*name, TensorView::new(Dtype::F32, shape, list)?));
    }
    Ok(safetensors::serialize(views, Some(metadata))?)
}

/// Reads the contents of a file without validating the state.
pub fn from_bytes(bytes: &[u8]) -> Result<(State, Settings)> {
    let stored = SafeTensors::deserialize(bytes).context("damaged checkpoint")?;
    let (_, header) = SafeTensors::read_metadata(bytes).context("damaged checkpoint")?;
    let metadata = header.metadata().as_ref();
    let manifest = metadata.and_then(|metadata| metadata.get(MANIFEST_KEY));
    let manifest = manifest.context("no checkpoint of a training run")?;
    let Version { format } = serde_json::from_str(manifest).context("damaged manifest")?;
    if format != FORMAT {
        return Err(UnknownFormat(format).into());
    }
    let manifest: Manifest = serde_json::from_str(manifest).context("damaged manifest")?;
    let mut views = Vec::new();
    for name in TENSORS {
        let view = stored.tensor(name)?;
        ensure!(view.dtype() == Dtype::F32, "{name} are no singles");
        views.push(view);
    }
    ensure!(
        digest(views.iter().map(|view| view.data())) == manifest.sha256,
        "the checksum is wrong: the checkpoint is damaged"
    );
    let list = |index: usize| {
        let (bytes, _) = views[index].data().as_chunks();
        bytes.iter().map(|&b| f32::from_le_bytes(b)).collect()
    };
    let state = State {
        counters: manifest.counters,
        values: list(0),
        average: list(1),
        first: list(2),
        second: list(3),
    };
    Ok((state, manifest.settings))
}

/// Reads and validates a file.
pub fn read(path: &Path) -> Result<(State, Settings)> {
    let bytes = files::read_regular(path, files::TRAINING_LIMIT);
    let read = bytes.and_then(|bytes| from_bytes(&bytes));
    read.with_context(|| path.display().to_string())
}

fn digest<'a>(lists: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    lists.for_each(|list| hasher.update(list));
    files::hexadecimal(&hasher.finalize())
}

/// The checkpoints of a run.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    /// In the folder of a run.
    pub fn of(run: &Path) -> Checkpoints {
        Checkpoints {
            folder: run.join("checkpoints"),
        }
    }

    /// Their files, the oldest first.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        if !files::exists(&self.folder) {
            return Ok(Vec::new());
        }
        let is_numbered = |path: &PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_digit())
        };
        let mut found = files::entries_with(&self.folder, END)?;
        found.retain(is_numbered);
        // By number, as names of more than ten digits are not in the order of letters.
        found.sort_by_cached_key(|path| {
            let digits = path.file_stem().unwrap_or_default().len();
            (digits, path.clone())
        });
        Ok(found)
    }

    /// Writes a checkpoint, and removes old unmarked ones.
    pub fn save(&self, state: &State, settings: &Settings) -> Result<()> {
        files::make_folder(&self.folder)?;
        let name = format!("{:010}.{END}", state.counters.samples);
        let bytes = to_bytes(state, settings)?;
        files::write_whole(&self.folder.join(name), &bytes, true)?;
        let mut old = self.files()?;
        old.retain(|path| !files::exists(&path.with_extension(MARK)));
        old.truncate(old.len().saturating_sub(KEPT));
        for path in old {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }

    /// The newest readable checkpoint, and its file; none if there is no checkpoint. Damaged ones are reported. An error
    /// if all are damaged, or one has an unknown format.
    pub fn newest(&self, warn: &mut dyn FnMut(String)) -> Result<Option<(State, PathBuf)>> {
        let mut left = self.files()?;
        while let Some(path) = left.pop() {
            match read(&path) {
                Ok((state, _)) => return Ok(Some((state, path))),
                Err(error) if left.is_empty() || error.is::<UnknownFormat>() => return Err(error),
                Err(error) => warn(format!("{error:#}; the one before is used")),
            }
        }
        Ok(None)
    }

    /// Renames the checkpoints newer than this file, or all, so that they are not used.
    pub fn set_aside_after(&self, file: Option<&Path>) -> Result<()> {
        for path in self.files()?.iter().rev() {
            if Some(path.as_path()) == file {
                break;
            }
            let renamed = fs::rename(path, path.with_extension(DAMAGED));
            renamed.with_context(|| format!("cannot rename {}", path.display()))?;
        }
        Ok(())
    }
}

/// Marks a checkpoint as permanent.
pub fn mark(file: &Path) -> Result<()> {
    files::write_whole(&file.with_extension(MARK), b"", true)
}
