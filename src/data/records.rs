//! Labels made from recorded games alone, without a teacher: a folder of shards that a training run
//! keeps in `records/`.
//!
//! A label's policy is the move played and its outcome the result of the game ([`labels`]). Some
//! positions of each game are labelled, and the games of a shard are drawn from all sources, so that
//! neither a long game nor one source dominates a batch. `records.json` holds the [`Manifest`]; it
//! is written last, so a folder that has it is complete. The same games and settings give the same
//! folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail, ensure};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files;
use crate::go::BoardSize;

use super::collection::{Collection, HELD_OUT, Part};
use super::generations::is_generation;
use super::shard::{self, LabelledLine, Shard};
use super::sources;
use super::stream::mixed;

mod labels;

/// Name of the manifest.
const MANIFEST: &str = "records.json";
/// The folder in a run with the folders of such labels.
const FOLDER: &str = "records";
/// How the names of these begin: of those to train on, and of those held out.
const PREFIXES: [&str; 2] = ["train-", "held-out-"];
/// Version of the method.
const VERSION: u32 = 1;
/// Labels per shard, about ...
const LABELS: usize = 4096;
/// ... and maximal number of games.
const GAMES: usize = 1024;

/// How positions of recorded games are chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordSettings {
    /// Positions per game, at most; one at random from each of as many equal parts of the game.
    pub positions_per_game: usize,
    /// Fraction of games held out.
    pub held_out: f64,
    /// Sources of games that teach values only.
    pub not_imitated: Vec<String>,
}

impl Default for RecordSettings {
    fn default() -> RecordSettings {
        RecordSettings {
            positions_per_game: 8,
            held_out: HELD_OUT,
            not_imitated: Vec::new(),
        }
    }
}

/// What a folder is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u32,
    /// The files and folders of games.
    sources: Vec<PathBuf>,
    /// Digest of the names, lengths and times of change of their files.
    files: String,
    /// Which of the games.
    part: Part,
    settings: RecordSettings,
    /// Positions of all games, at most, but at least one per game.
    most: Option<usize>,
    seed: u64,
}

impl Manifest {
    /// For the games of these files and folders. `most` limits the positions of all games together.
    pub fn new(
        sources: &[PathBuf],
        part: Part,
        settings: &RecordSettings,
        most: Option<usize>,
        seed: u64,
    ) -> Result<Manifest> {
        let absolute = |path: &PathBuf| {
            let cannot = || format!("cannot read {}", path.display());
            path.canonicalize().with_context(cannot)
        };
        let mut digest = Sha256::new();
        for file in sources::files(sources)? {
            let file = absolute(&file)?;
            let cannot = || format!("cannot read {}", file.display());
            let metadata = fs::metadata(&file).with_context(cannot)?;
            let changed = metadata.modified().ok();
            let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            digest.update(file.to_string_lossy().as_bytes());
            digest.update(metadata.len().to_le_bytes());
            digest.update(changed.unwrap_or_default().as_nanos().to_le_bytes());
        }
        Ok(Manifest {
            version: VERSION,
            sources: sources.iter().map(absolute).collect::<Result<_>>()?,
            files: files::hexadecimal(&digest.finalize()[..8]),
            part,
            settings: settings.clone(),
            most,
            seed,
        })
    }

    /// Its folder in a run: `records/train-1f2e3d4c`.
    pub fn folder(&self, run: &Path) -> Result<PathBuf> {
        let [train, held_out] = PREFIXES;
        let prefix = match self.part {
            Part::Train => train,
            Part::HeldOut => held_out,
        };
        let digits = files::hexadecimal(&self.digest()?[..4]);
        Ok(run.join(FOLDER).join(format!("{prefix}{digits}")))
    }

    fn digest(&self) -> Result<[u8; 8]> {
        let text = files::json_text(self)?;
        Ok(files::sha256_prefix(&[text.as_bytes()]))
    }

    /// Positions per game, given the number of games.
    fn per_game(&self, games: usize) -> usize {
        let wanted = self.settings.positions_per_game.max(1);
        let limit = self.most.map_or(usize::MAX, |most| most / games.max(1));
        wanted.min(limit.max(1))
    }

    /// Labels these games, writes the shards to a folder, and returns the number of labels. No
    /// folder is made if there are none.
    pub fn write(&self, folder: &Path, games: &Collection) -> Result<usize> {
        let by_size = games.part(self.part, self.settings.held_out);
        let per_game = self.per_game(by_size.values().map(Vec::len).sum());
        let settings = self.digest()?;
        let (mut number, mut labels) = (0, 0);
        for ((width, height), mut games_of_size) in by_size {
            let size = BoardSize::new(width, height).context("an impossible board size")?;
            let salt = mixed(self.seed, size.area() as u64);
            games_of_size.shuffle(&mut ChaCha8Rng::seed_from_u64(salt));
            for chunk in games_of_size.chunks((LABELS / per_game).clamp(1, GAMES)) {
                let label = |&game: &usize| labels::of_game(games, game, per_game, self);
                let mut lines: Vec<LabelledLine> =
                    chunk.par_iter().map(label).collect::<Result<_>>()?;
                lines.retain(|line| !line.labels.is_empty());
                let shard = Shard {
                    size,
                    has_ownership: false,
                    number,
                    seed: self.seed,
                    teacher: [0; 8],
                    settings,
                    sources: games.sources().to_vec(),
                    lines,
                };
                if shard.labels() == 0 {
                    continue;
                }
                files::make_folder(folder)?;
                let file = folder.join(format!("records-{number:06}.glb"));
                files::write_whole(&file, &shard.to_bytes()?, true)?;
                number += 1;
                labels += shard.labels();
            }
        }
        if labels > 0 {
            files::write_json(&folder.join(MANIFEST), self, true)?;
        }
        Ok(labels)
    }
}

/// Where a run has a folder of such labels if it was made by this run at another path; none if no run made it.
pub fn in_run(run: &Path, made: &Path) -> Option<PathBuf> {
    let name = made.file_name()?.to_str()?;
    let is_named = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let is_made = is_named && made.ends_with(Path::new(FOLDER).join(name));
    is_made.then(|| run.join(FOLDER).join(name))
}

/// Whether a folder holds labels of recorded games.
pub fn is_folder(folder: &Path) -> bool {
    files::exists(&folder.join(MANIFEST))
}

/// The settings of a folder of such labels.
pub fn settings_of(folder: &Path) -> Result<RecordSettings> {
    let manifest: Manifest = files::read_json(&folder.join(MANIFEST))?;
    Ok(manifest.settings)
}

/// A prefix of the SHA-256 of its manifest.
pub fn digest(folder: &Path) -> Result<[u8; 8]> {
    let text = files::read_text(&folder.join(MANIFEST))?;
    Ok(files::sha256_prefix(&[text.as_bytes()]))
}

/// Whether a path given as training data names recorded games, not labels: a record, a table, or a
/// folder of them that holds no labels.
pub fn is_games(path: &Path) -> Result<bool> {
    if !path.is_dir() {
        return Ok(path.is_file());
    }
    let holds_labels = is_folder(path)
        || is_generation(path)
        || !super::generations::generations(path)?.is_empty();
    let games = sources::files(&[path.to_owned()])?;
    if holds_labels || files::exists(&path.join("settings.json")) {
        let is_table = |file: &&PathBuf| file.to_string_lossy().contains(".tsv");
        if let Some(table) = games.iter().find(is_table) {
            let (path, table) = (path.display(), table.display());
            bail!("{path} holds labels, and games as in {table}: name folders with one of them");
        }
        return Ok(false);
    }
    let inner = path.join("games");
    ensure!(
        !inner.is_dir() || super::generations::generations(&inner)?.is_empty(),
        "{} is a run: name its games, {}",
        path.display(),
        inner.display()
    );
    ensure!(
        shard::in_folder(path)?.is_empty(),
        "{} holds labels, but no file that says what they are: settings.json, {MANIFEST} or selfplay.json",
        path.display()
    );
    let is_games = !games.is_empty();
    ensure!(
        is_games,
        "{} holds neither labels nor game records: name a folder that `keima label` or `keima \
         selfplay` has made, or records (.sgf) or tables (.tsv) of games, or a folder of them",
        path.display()
    );
    Ok(true)
}
