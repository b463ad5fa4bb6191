//! Storage of games: `games/gen-0007/` in a run, a folder for each player.
//!
//! | name | contents |
//! |---|---|
//! | `selfplay.json` | the manifest: player and settings, which are the same for all workers |
//! | `w0-000012.part/` | finished games of worker `w0`, one file each |
//! | `w0-000012.glb` | the labels of some games on boards of one size: a shard |
//! | `w0-000012.sgf.gz` | the records of these games, concatenated |
//!
//! A game is written when it is finished. After enough games, or some time, they are joined into a
//! part, which never changes. Files left behind by a killed worker are joined by the next one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::data::generations::{MANIFEST, generations};
use crate::data::plan::SizeMix;
use crate::data::shard::{self, LabelledLine, Shard};
use crate::files;
use crate::files::difference::stored_difference;
use crate::files::lock::FileLock;
use crate::formats::sgf;
use crate::go::{BoardSize, Color};
use crate::params::{ParamEntry, Parameters};

use super::game::Played;
use super::nets::PlayerIdentity;
use super::params::{LATER, SelfplayParams};
use super::targets;

/// Version of the method of playing and labelling.
const VERSION: u32 = 1;

/// Time in which games left by a worker are joined, even on slow disks.
const JOINED_WITHIN: Duration = Duration::from_secs(5);

/// The manifest of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the method.
    pub version: u32,
    /// The player.
    pub player: PlayerIdentity,
    /// Board sizes with their fractions.
    pub sizes: Vec<String>,
    /// All [`SelfplayParams`] as text; of [`LATER`] ones those that are not at their defaults.
    pub params: BTreeMap<String, String>,
    /// Random seed.
    pub seed: u64,
}

impl Manifest {
    /// With the current version.
    pub fn new(
        player: &PlayerIdentity,
        sizes: &SizeMix,
        params: &SelfplayParams,
        seed: u64,
    ) -> Manifest {
        let defaults = SelfplayParams::default().list();
        let is_told = |(entry, default): &(ParamEntry, ParamEntry)| {
            !LATER.contains(&entry.name) || entry.value != default.value
        };
        let params = params.list().into_iter().zip(defaults).filter(is_told);
        Manifest {
            version: VERSION,
            player: player.clone(),
            sizes: sizes.texts(),
            params: params
                .map(|(entry, _)| (entry.name.to_owned(), entry.value))
                .collect(),
            seed,
        }
    }

    fn digest(&self) -> Result<[u8; 8]> {
        let text = files::json_text(self)?;
        Ok(files::sha256_prefix(&[text.as_bytes()]))
    }
}

/// When games are joined into a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartLimits {
    /// From this many labels on.
    pub labels: usize,
    /// After this time.
    pub age: Duration,
}

/// Writer of a worker's games.
pub struct Parts {
    run: PathBuf,
    worker: String,
    limits: PartLimits,
    folders: Vec<Folder>,
    file_lock: FileLock,
}

/// A generation's folder, as used by this worker.
struct Folder {
    manifest: Manifest,
    path: PathBuf,
    /// Number of this process's first part.
    session: u32,
    /// Number of the next part.
    next: u32,
    open: Vec<OpenPart>,
}

/// Games not yet joined.
struct OpenPart {
    size: BoardSize,
    number: u32,
    games: usize,
    labels: usize,
    begun: Instant,
}

impl Parts {
    /// Starts writing as a worker of a run; names are unique at any time. Joins what dead workers
    /// have left.
    pub fn open(run: &Path, worker: &str, limits: PartLimits) -> Result<Parts> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        ensure!(
            !worker.is_empty() && worker.len() <= 64 && worker.chars().all(is_plain),
            "{worker:?} is no name for a worker: letters, digits and _ only"
        );
        for folder in ["games", "workers", "metrics"] {
            let path = run.join(folder);
            files::make_folder(&path)?;
        }
        let file_lock = own_lock(run, worker)?;
        let parts = Parts {
            run: run.to_owned(),
            worker: worker.to_owned(),
            limits,
            folders: Vec::new(),
            file_lock,
        };
        parts.join_left_behind()?;
        Ok(parts)
    }

    /// A number that differs between processes that write games of this manifest, if games are
    /// stored.
    pub fn session(&mut self, manifest: &Manifest) -> Result<u32> {
        let folder = self.folder(manifest)?;
        Ok(self.folders[folder].session)
    }

    /// Stores a game with its labels.
    pub fn add(&mut self, manifest: &Manifest, played: &Played, line: LabelledLine) -> Result<()> {
        let index = self.folder(manifest)?;
        let folder = &mut self.folders[index];
        let labels = line.labels.len();
        let place = folder.open_part(played.line.size);
        let part = &mut folder.open[place];
        let name = part_name(&self.worker, part.number);
        let path = folder.path.join(format!("{name}.part"));
        files::make_folder(&path)?;
        let shard = Shard {
            size: part.size,
            has_ownership: true,
            number: part.number,
            seed: manifest.seed,
            teacher: manifest.player.digest(),
            settings: manifest.digest()?,
            sources: vec![manifest.player.name.chars().take(60).collect()],
            lines: vec![line],
        };
        let record = sgf::write(&targets::record(played, &manifest.player.name));
        let file = path.join(format!("{:06}", part.games));
        files::write_whole(&file.with_extension("sgf"), record.as_bytes(), true)?;
        files::write_whole(&file.with_extension("glb"), &shard.to_bytes()?, true)?;
        part.games += 1;
        part.labels += labels;
        self.join_due()
    }

    /// Joins groups of games that are large or old enough.
    fn join_due(&mut self) -> Result<()> {
        let PartLimits { labels, age } = self.limits;
        let is_due = |part: &mut OpenPart| part.labels >= labels || part.begun.elapsed() >= age;
        for folder in &mut self.folders {
            let due: Vec<OpenPart> = folder.open.extract_if(.., is_due).collect();
            for part in due {
                folder.join(&self.run, &self.worker, &part)?;
            }
        }
        Ok(())
    }

    /// Joins all remaining games.
    pub fn finish(mut self) -> Result<()> {
        for mut folder in std::mem::take(&mut self.folders) {
            for part in std::mem::take(&mut folder.open) {
                folder.join(&self.run, &self.worker, &part)?;
            }
        }
        self.file_lock.release()
    }

    fn folder(&mut self, manifest: &Manifest) -> Result<usize> {
        let known = self
            .folders
            .iter()
            .position(|folder| folder.manifest == *manifest);
        if let Some(known) = known {
            return Ok(known);
        }
        let path = self.run.join("games").join(&manifest.player.folder);
        begin(&path, manifest)?;
        let next = next_number(&path, &self.worker)?;
        self.folders.push(Folder {
            manifest: manifest.clone(),
            path,
            session: next,
            next,
            open: Vec::new(),
        });
        Ok(self.folders.len() - 1)
    }

    fn join_left_behind(&self) -> Result<()> {
        for folder in generations(&self.run.join("games"))? {
            for path in files::entries(&folder)? {
                let Some(worker) = worker_of(&path) else {
                    continue;
                };
                if worker == self.worker {
                    join(&self.run, &path)?;
                } else if let Some(file_lock) = file_lock(&self.run, &worker)? {
                    join(&self.run, &path)?;
                    file_lock.release()?;
                }
            }
        }
        Ok(())
    }
}

impl Folder {
    /// Index of the part for a board size.
    fn open_part(&mut self, size: BoardSize) -> usize {
        let known = self.open.iter().position(|part| part.size == size);
        known.unwrap_or_else(|| {
            self.open.push(OpenPart {
                size,
                number: self.next,
                games: 0,
                labels: 0,
                begun: Instant::now(),
            });
            self.next += 1;
            self.open.len() - 1
        })
    }

    /// Joins a group of games. Where file locks hold on one machine only, a worker on another one may have joined this
    /// group already; then the games since make a part of their own.
    fn join(&mut self, run: &Path, worker: &str, part: &OpenPart) -> Result<()> {
        let path = |number| {
            let name = part_name(worker, number);
            self.path.join(format!("{name}.part"))
        };
        let games = path(part.number);
        if !files::exists(&games.with_extension("glb")) {
            return join(run, &games);
        }
        if !files::exists(&games) {
            return Ok(());
        }
        let free = path(self.next);
        self.next += 1;
        let renamed = fs::rename(&games, &free);
        renamed.with_context(|| format!("cannot rename {}", games.display()))?;
        join(run, &free)
    }
}

/// The lock of this process. Another one may have it for a moment, to join what this worker left when it ended before.
fn own_lock(run: &Path, worker: &str) -> Result<FileLock> {
    let begin = Instant::now();
    loop {
        if let Some(lock) = file_lock(run, worker)? {
            return Ok(lock);
        }
        ensure!(
            begin.elapsed() < JOINED_WITHIN,
            "another process is worker {worker} of this run: see --worker-id"
        );
        thread::sleep(Duration::from_millis(100));
    }
}

fn file_lock(run: &Path, worker: &str) -> Result<Option<FileLock>> {
    FileLock::take(&run.join("workers").join(worker))
}

fn part_name(worker: &str, number: u32) -> String {
    format!("{worker}-{number:06}")
}

/// The worker whose games are in a folder, if they are not yet joined.
fn worker_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".part")?;
    Some(name.rsplit_once('-')?.0.to_owned())
}

/// Creates a generation's folder, or checks the manifest of an existing one.
fn begin(path: &Path, manifest: &Manifest) -> Result<()> {
    files::make_folder(path)?;
    if let Some(difference) = stored_difference(&path.join(MANIFEST), manifest)? {
        bail!(
            "{} holds games of another kind: {difference}",
            path.display()
        );
    }
    Ok(())
}

/// One more than the highest part number of a worker.
fn next_number(folder: &Path, worker: &str) -> Result<u32> {
    let number = |path: PathBuf| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        let (name, _) = name.split_once('.')?;
        let (owner, number) = name.rsplit_once('-')?;
        (owner == worker).then(|| number.parse().ok())?
    };
    let numbers = files::entries(folder)?.into_iter().filter_map(number);
    Ok(numbers.max().map_or(0, |last| last + 1))
}

/// A finished game and its labels, of which a power failure may have left less than all.
fn read_game(labels: &Path) -> Result<(String, Shard)> {
    let record = files::read_text(&labels.with_extension("sgf"))?;
    let bytes = files::read_regular(labels, files::TRAINING_LIMIT)?;
    Ok((record, Shard::from_bytes(&bytes)?))
}

/// Whether the contents of a file are wrong or missing; what else keeps a file from being read may pass.
fn is_damage(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    let io = causes.find_map(|cause| cause.downcast_ref::<io::Error>());
    let kinds = [
        io::ErrorKind::NotFound,
        io::ErrorKind::UnexpectedEof,
        io::ErrorKind::InvalidData,
    ];
    io.is_none_or(|error| kinds.contains(&error.kind()))
}

/// Joins the games of a folder to a part, unless that was done, and removes the folder. Labels that cannot be read are
/// kept beside it as `.damaged`.
fn join(run: &Path, folder: &Path) -> Result<()> {
    let part = folder.with_extension("glb");
    if !files::exists(&part) {
        let mut records = GzEncoder::new(Vec::new(), Compression::default());
        let mut joined: Option<Shard> = None;
        for game in shard::in_folder(folder)? {
            let (record, mut shard) = match read_game(&game) {
                Ok(read) => read,
                Err(error) if is_damage(&error) => {
                    let number = game.file_stem().unwrap_or_default().to_string_lossy();
                    let place = folder.with_extension(format!("{number}.damaged"));
                    let renamed = fs::rename(&game, &place);
                    renamed.with_context(|| format!("cannot rename {}", game.display()))?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            records.write_all(record.as_bytes())?;
            match &mut joined {
                Some(joined) => joined.lines.append(&mut shard.lines),
                None => joined = Some(shard),
            }
        }
        if let Some(shard) = joined {
            let file = folder.with_extension("sgf.gz");
            files::write_whole(&file, &records.finish()?, true)?;
            files::write_whole(&part, &shard.to_bytes()?, true)?;
            note(run, folder, &shard)?;
        }
    }
    let removed = fs::remove_dir_all(folder);
    removed.with_context(|| format!("cannot remove {}", folder.display()))
}

/// Logs the contents of a part in `metrics`.
fn note(run: &Path, folder: &Path, shard: &Shard) -> Result<()> {
    let worker = worker_of(folder).unwrap_or_default();
    let games = shard.lines.len();
    let won = |color| {
        let won = shard.lines.iter().filter(|line| line.winner == Some(color));
        won.count()
    };
    let decided = shard.lines.iter().filter(|line| line.decided_for.is_some());
    let overturned = decided
        .clone()
        .filter(|line| line.winner != line.decided_for);
    let moves: usize = shard.lines.iter().map(|it| it.line.moves.len()).sum();
    let part = folder.with_extension("glb");
    let name = |path: Option<&Path>| -> Option<String> {
        Some(path?.file_name()?.to_string_lossy().into_owned())
    };
    let line = json!({
        "time": files::since_1970().as_secs_f64(),
        "generation": name(folder.parent()), "part": name(Some(&part)),
        "size": shard.size.to_string(), "games": games, "labels": shard.labels(),
        "moves": moves, "black_wins": won(Color::Black), "white_wins": won(Color::White),
        "decided": decided.count(), "overturned": overturned.count(),
    });
    let file = run.join("metrics").join(format!("selfplay-{worker}.jsonl"));
    files::append_json(&file, &line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_parameters_leave_manifests_of_before_as_they_were() {
        let player = PlayerIdentity {
            folder: "000-first".to_owned(),
            name: "first".to_owned(),
            sha256: String::new(),
        };
        let manifest =
            |params: &SelfplayParams| Manifest::new(&player, &SizeMix::default(), params, 1);
        let first = manifest(&SelfplayParams::default());
        assert!(LATER.iter().all(|name| !first.params.contains_key(*name)));
        assert_eq!(first.params["visits"], "64");
        let changed = manifest(&SelfplayParams {
            temperature: 1.0,
            ..SelfplayParams::default()
        });
        assert_eq!(changed.params["temperature"], "1");
        assert_eq!(changed.params.len(), first.params.len() + 1);
        // A name that is no parameter would never be left out.
        let names = SelfplayParams::default().list();
        let is_there = |name: &&str| names.iter().any(|entry| entry.name == *name);
        assert!(LATER.iter().all(is_there));
    }
}
