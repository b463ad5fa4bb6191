//! A training run: a folder with one writing process and any number of readers.
//!
//! | name | contents |
//! |---|---|
//! | `run.json` | [`settings`]: fixed settings and the plan |
//! | `initial.safetensors` | the initial net |
//! | `checkpoints/` | [`checkpoint`]: states to resume from; the last few, and marked ones |
//! | `shards.jsonl` | the shards of each epoch, see [`data_loader`] |
//! | `metrics.jsonl`, `tensorboard/` | logs of [`session`] |
//! | `net.safetensors` | the net of the averaged parameters at the last checkpoint |
//! | `net-last.safetensors` | the net of the current parameters |
//! | `nets/`, `gates/` | [`super::nets`] that passed a gate, and the gates' results |
//! | `trainer.lock` | locked by the training process while it runs |
//!
//! Files are written atomically, except for files of lines, whose unusable last lines are removed
//! by the next process; so a run can resume after its process was killed at any moment.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::files;
use crate::files::difference::difference;
use crate::nn::checkpoint as net_file;
use crate::nn::desc::Net;
use crate::nn::katago::inflate;

use super::model::Model;
use crate::files::lock::FileLock;

pub mod checkpoint;
pub mod data_loader;
#[cfg(test)]
mod fault_tests;
pub mod metrics;
pub mod prefetcher;
pub mod session;
pub mod settings;
pub mod stepwise;
pub mod tensorboard;
mod watchdog;

use checkpoint::{Checkpoints, State};
use settings::{Plan, RunManifest, Settings};

const MANIFEST: &str = "run.json";
const INITIAL: &str = "initial.safetensors";
const AVERAGED: &str = "net.safetensors";
const LAST: &str = "net-last.safetensors";

/// A run that this process may write to.
pub struct Run {
    path: PathBuf,
    manifest: RunManifest,
    _file_lock: FileLock,
}

/// Initial state of a run.
#[derive(Clone, Debug)]
pub struct InitialState {
    /// The net to train.
    pub net: Net,
    /// The training state; none to start from the net alone.
    pub state: Option<State>,
}

/// Settings, plan and state of another run.
#[derive(Clone, Debug)]
pub struct Origin {
    pub manifest: RunManifest,
    /// Its initial net and state.
    pub initial: InitialState,
    /// File of the state.
    pub file: PathBuf,
}

pub fn exists(path: &Path) -> bool {
    files::exists(&path.join(MANIFEST))
}

/// The settings and the plan of a run.
pub fn read_manifest(path: &Path) -> Result<RunManifest> {
    ensure!(
        exists(path),
        "{} is no training run: it has no {MANIFEST}",
        path.display()
    );
    let file = path.join(MANIFEST);
    let manifest: RunManifest = files::read_json(&file)?;
    let checked = manifest.settings.check();
    checked.with_context(|| format!("cannot use {}", file.display()))?;
    Ok(manifest)
}

/// Reads a run, or one of its checkpoints, to initialise another.
pub fn read_origin(path: &Path, warn: &mut dyn FnMut(String)) -> Result<Origin> {
    let folder = match path.is_file() {
        true => path.parent().and_then(Path::parent).unwrap_or(path),
        false => path,
    };
    let manifest = read_manifest(folder)?;
    let (state, file) = match path.is_file() {
        true => (checkpoint::read(path)?.0, path.to_owned()),
        false => Checkpoints::of(folder)
            .newest(warn)?
            .with_context(|| format!("{} has no usable checkpoint", folder.display()))?,
    };
    Ok(Origin {
        manifest,
        initial: InitialState {
            net: read_initial(folder, true, warn)?,
            state: Some(state),
        },
        file,
    })
}

/// The initial net of a run. If its file is lost and there is a checkpoint, the averaged net, which
/// has the same layers.
fn read_initial(folder: &Path, has_state: bool, warn: &mut dyn FnMut(String)) -> Result<Net> {
    let (initial, last) = (folder.join(INITIAL), folder.join(LAST));
    if has_state && !files::exists(&initial) && files::exists(&last) {
        let (initial, last) = (initial.display(), last.display());
        warn(format!(
            "{initial} is missing: its layers are taken from {last}, its parameters from the checkpoint"
        ));
        return read_net(&folder.join(LAST));
    }
    read_net(&initial)
}

/// Reads a net in the project's own format, which may be compressed.
pub fn read_net(path: &Path) -> Result<Net> {
    let unusable = || format!("{} is no net to begin with", path.display());
    let stored = files::read_regular(path, files::NETWORK_LIMIT).with_context(unusable)?;
    // Before a look at compression: any two bytes may begin a checkpoint.
    let bytes = match net_file::is_checkpoint(&stored) {
        true => Cow::Borrowed(&stored[..]),
        false => inflate(&stored).with_context(unusable)?,
    };
    ensure!(
        net_file::is_checkpoint(&bytes),
        "{}: it is no checkpoint",
        unusable()
    );
    net_file::read_bytes(&bytes).with_context(unusable)
}

impl Run {
    /// Creates a run. The manifest is written last, so a run that exists is complete.
    pub fn create(path: &Path, manifest: &RunManifest, initial: &InitialState) -> Result<Run> {
        manifest.settings.check()?;
        files::make_folder(path)?;
        let file_lock = file_lock(path)?;
        ensure!(!exists(path), "{} holds a run already", path.display());
        ensure!(
            Checkpoints::of(path).files()?.is_empty(),
            "{} holds checkpoints of another run: name another folder",
            path.display()
        );
        let model = Model::of(initial.net.clone())?;
        if manifest.settings.symmetric {
            let state = initial.state.as_ref();
            model.weight_sharing_held(state.map_or(&model.values, |state| &state.values))?;
        }
        let net = net_file::write_bytes(&model.net())?;
        files::write_whole(&path.join(INITIAL), &net, true)?;
        if let Some(state) = &initial.state {
            check_len(&model, state)?;
            Checkpoints::of(path).save(state, &manifest.settings)?;
        }
        write_manifest(path, manifest)?;
        Run::with_lock(path, file_lock)
    }

    /// Opens a run to resume it.
    pub fn open(path: &Path) -> Result<Run> {
        let file_lock = file_lock(path)?;
        Run::with_lock(path, file_lock)
    }

    fn with_lock(path: &Path, file_lock: FileLock) -> Result<Run> {
        files::remove_abandoned(path);
        files::remove_abandoned(&path.join("checkpoints"));
        Ok(Run {
            path: path.to_owned(),
            manifest: read_manifest(path)?,
            _file_lock: file_lock,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The network it began with.
    pub fn initial(&self) -> Result<Net> {
        read_initial(&self.path, true, &mut |_| ())
    }

    /// The fixed settings.
    pub fn settings(&self) -> &Settings {
        &self.manifest.settings
    }

    /// An error if a run is to go on with other settings.
    pub fn refuse_changes(&self, wanted: &Settings) -> Result<()> {
        if let Some(difference) = difference(self.settings(), wanted)? {
            let run = self.path.display();
            bail!("{run} was begun otherwise, which cannot be changed: {difference}");
        }
        Ok(())
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.manifest.plan
    }

    /// Changes the plan. With new data folders a new epoch begins at once.
    pub fn set_plan(&mut self, plan: Plan) -> Result<()> {
        if plan == self.manifest.plan {
            return Ok(());
        }
        if plan.data != self.manifest.plan.data {
            self.end_epoch()?;
        }
        self.manifest.plan = plan;
        write_manifest(&self.path, &self.manifest)
    }

    fn end_epoch(&self) -> Result<()> {
        let (state, _) = self.newest(&mut |_| ())?;
        let Some(mut state) = state else {
            return data_loader::forget(&self.path, 0);
        };
        state.counters.epoch += 1;
        state.counters.given = 0;
        data_loader::forget(&self.path, state.counters.epoch)?;
        Checkpoints::of(&self.path).save(&state, self.settings())
    }

    /// Samples at the newest readable checkpoint.
    pub fn samples(&self) -> Result<u64> {
        let (state, _) = self.newest(&mut |_| ())?;
        Ok(state.map_or(0, |state| state.counters.samples))
    }

    /// The model, and the newest readable state, if there is one; later checkpoints are renamed. The nets are made those
    /// of this state, as they are not where a process ended between checkpoint and nets, or where the run branches off
    /// another one.
    fn load(&self, warn: &mut dyn FnMut(String)) -> Result<(Model, Option<State>)> {
        let (state, file) = self.newest(warn)?;
        let model = Model::of(read_initial(&self.path, state.is_some(), warn)?)?;
        Checkpoints::of(&self.path).set_aside_after(file.as_deref())?;
        if let Some(state) = &state {
            check_len(&model, state)?;
            if !self.has_nets_of(state) {
                self.write_nets(state, &model)?;
            }
        }
        Ok((model, state))
    }

    /// An error if there are networks of checkpoints that are gone: a run that begins anew would replace them.
    fn newest(&self, warn: &mut dyn FnMut(String)) -> Result<(Option<State>, Option<PathBuf>)> {
        let (run, last) = (self.path.display(), self.path.join(LAST));
        let instead = || format!("begin another run with --init {}", last.display());
        let found = Checkpoints::of(&self.path).newest(warn);
        let found = match files::exists(&last) {
            true => found.with_context(|| format!("{run} cannot go on: {}", instead()))?,
            false => found?,
        };
        ensure!(
            found.is_some() || !files::exists(&last),
            "{run} has been trained, but its checkpoints are gone: {}",
            instead()
        );
        Ok(found.unzip())
    }

    /// The net with these parameters, named after the samples it has learned.
    fn net(&self, model: &Model, values: &[f32], samples: u64) -> Net {
        Net {
            name: self.name_of_net(samples),
            ..model.net_with(values)
        }
    }

    fn name_of_net(&self, samples: u64) -> String {
        settings::net_name(&self.settings().arch, samples)
    }

    /// Writes a checkpoint and its nets.
    fn save(&self, state: &State, model: &Model) -> Result<()> {
        Checkpoints::of(&self.path).save(state, self.settings())?;
        self.write_nets(state, model)
    }

    /// Whether both nets are those of a state, by their names.
    fn has_nets_of(&self, state: &State) -> bool {
        let name = self.name_of_net(state.counters.samples);
        let is_of_state =
            |file: &str| read_net(&self.path.join(file)).is_ok_and(|net| net.name == name);
        [AVERAGED, LAST].into_iter().all(is_of_state)
    }

    fn write_nets(&self, state: &State, model: &Model) -> Result<()> {
        let nets = [(AVERAGED, &state.average), (LAST, &state.values)];
        for (name, values) in nets {
            let net = self.net(model, values, state.counters.samples);
            let bytes = net_file::write_bytes(&net)?;
            files::write_whole(&self.path.join(name), &bytes, true)?;
        }
        Ok(())
    }
}

fn file_lock(path: &Path) -> Result<FileLock> {
    let file_lock = FileLock::take(&path.join("trainer"))?;
    let busy = || format!("another process is training in {}", path.display());
    file_lock.with_context(busy)
}

fn check_len(model: &Model, state: &State) -> Result<()> {
    let len = model.values.len();
    let lists = [&state.values, &state.average, &state.first, &state.second];
    ensure!(
        lists.iter().all(|list| list.len() == len),
        "the checkpoint is not of this architecture"
    );
    Ok(())
}

fn write_manifest(path: &Path, manifest: &RunManifest) -> Result<()> {
    files::write_json(&path.join(MANIFEST), manifest, true)
}
