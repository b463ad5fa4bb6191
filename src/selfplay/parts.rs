//! Where games go: `games/gen-0007/` in a run, a folder for each player.
//!
//! | name | what |
//! |---|---|
//! | `selfplay.json` | who played, and how: whoever adds to the folder must mean the same |
//! | `w0-000012.part/` | games that worker `w0` has finished, in a file each |
//! | `w0-000012.glb` | the labels of some games on boards of one size: a shard |
//! | `w0-000012.sgf.gz` | these games as records, one after the other |
//!
//! A game is written as soon as it is finished. When there are enough of them, or some time has
//! passed, they are joined to a part, which then never changes. What a worker has left behind that was
//! killed is joined by the next one that begins.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::data::generations::{CARD, entries, generations};
use crate::data::plan::SizeMix;
use crate::data::shard::{LabelledLine, Shard};
use crate::files;
use crate::files::lock::FileLock;
use crate::formats::sgf;
use crate::go::{BoardSize, Color};
use crate::params::Parameters;

use super::game::Played;
use super::nets::PlayerCard;
use super::params::SelfplayParams;
use super::targets;

/// Of the way games are played and labelled.
const VERSION: u32 = 1;

/// The contents of a generation's card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Of the way games are played and labelled.
    pub version: u32,
    /// Who plays.
    pub player: PlayerCard,
    /// Board sizes with their shares.
    pub sizes: Vec<String>,
    /// All [`SelfplayParams`] as text.
    pub params: BTreeMap<String, String>,
    /// Of everything random.
    pub seed: u64,
}

impl Card {
    /// With the version of this program.
    pub fn new(player: &PlayerCard, sizes: &SizeMix, params: &SelfplayParams, seed: u64) -> Card {
        let params = params.list().into_iter();
        Card {
            version: VERSION,
            player: player.clone(),
            sizes: sizes.texts(),
            params: params
                .map(|entry| (entry.name.to_owned(), entry.value))
                .collect(),
            seed,
        }
    }

    fn text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn digest(&self) -> Result<[u8; 8]> {
        let digest = Sha256::digest(self.text()?);
        Ok(digest[..8].try_into().expect("eight bytes"))
    }
}

/// When games are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartLimits {
    /// At so many labels.
    pub labels: usize,
    /// After such a time.
    pub age: Duration,
}

/// Writes the games of a worker.
pub struct Parts {
    run: PathBuf,
    worker: String,
    limits: PartLimits,
    folders: Vec<Folder>,
    file_lock: FileLock,
}

/// A generation's folder, as this worker uses it.
struct Folder {
    card: Card,
    path: PathBuf,
    /// Number of the first part of this process.
    session: u32,
    /// Number of the next one.
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
    /// Begins to write as a worker of a run, of which there may be one of this name at a time, and joins
    /// what dead workers have left.
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
        let file_lock = file_lock(run, worker)?;
        let file_lock = file_lock.with_context(|| {
            format!("another process is worker {worker} of this run: see --worker-id")
        })?;
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

    /// A number that differs between processes that write games of this card, if games were kept.
    pub fn session(&mut self, card: &Card) -> Result<u32> {
        let folder = self.folder(card)?;
        Ok(self.folders[folder].session)
    }

    /// Keeps a game with its labels.
    pub fn add(&mut self, card: &Card, played: &Played, line: LabelledLine) -> Result<()> {
        let index = self.folder(card)?;
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
            seed: card.seed,
            teacher: card.player.digest(),
            settings: card.digest()?,
            sources: vec![card.player.name.chars().take(60).collect()],
            lines: vec![line],
        };
        let record = sgf::write(&targets::record(played, &card.player.name));
        let file = path.join(format!("{:06}", part.games));
        files::write_whole(&file.with_extension("sgf"), record.as_bytes(), true)?;
        files::write_whole(&file.with_extension("glb"), &shard.to_bytes()?, true)?;
        part.games += 1;
        part.labels += labels;
        self.join_due()
    }

    /// Joins the games that are enough or old enough.
    fn join_due(&mut self) -> Result<()> {
        let PartLimits { labels, age } = self.limits;
        let is_due = |part: &mut OpenPart| part.labels >= labels || part.begun.elapsed() >= age;
        for folder in &mut self.folders {
            for part in folder.open.extract_if(.., is_due) {
                let name = part_name(&self.worker, part.number);
                join(&self.run, &folder.path.join(format!("{name}.part")))?;
            }
        }
        Ok(())
    }

    /// Joins what there is and ends.
    pub fn finish(mut self) -> Result<()> {
        for folder in std::mem::take(&mut self.folders) {
            for part in &folder.open {
                let name = part_name(&self.worker, part.number);
                join(&self.run, &folder.path.join(format!("{name}.part")))?;
            }
        }
        self.file_lock.release()
    }

    fn folder(&mut self, card: &Card) -> Result<usize> {
        let known = self.folders.iter().position(|folder| folder.card == *card);
        if let Some(known) = known {
            return Ok(known);
        }
        let path = self.run.join("games").join(&card.player.folder);
        begin(&path, card)?;
        let next = next_number(&path, &self.worker)?;
        self.folders.push(Folder {
            card: card.clone(),
            path,
            session: next,
            next,
            open: Vec::new(),
        });
        Ok(self.folders.len() - 1)
    }

    fn join_left_behind(&self) -> Result<()> {
        for folder in generations(&self.run.join("games"))? {
            for path in entries(&folder)? {
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
    /// Index of the part for a size.
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
}

fn file_lock(run: &Path, worker: &str) -> Result<Option<FileLock>> {
    FileLock::take(&run.join("workers").join(worker))
}

fn part_name(worker: &str, number: u32) -> String {
    format!("{worker}-{number:06}")
}

/// Whose games are in a folder, if it is one of games not yet joined.
fn worker_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".part")?;
    Some(name.rsplit_once('-')?.0.to_owned())
}

/// Makes a generation's folder, or sees that it is of the same kind.
fn begin(path: &Path, card: &Card) -> Result<()> {
    files::make_folder(path)?;
    let file = path.join(CARD);
    if !files::exists(&file) {
        let written = files::write_whole(&file, card.text()?.as_bytes(), false);
        // Somebody else may have been faster.
        written.or_else(|error| files::exists(&file).then_some(()).ok_or(error))?;
    }
    let cannot = || format!("cannot use {}", file.display());
    let text = files::read_text(&file).with_context(cannot)?;
    let there: Card = serde_json::from_str(&text).with_context(cannot)?;
    if there != *card {
        let (there, here) = (serde_json::to_value(there)?, serde_json::to_value(card)?);
        let fields = ["version", "player", "sizes", "params", "seed"];
        let differs = fields.iter().find(|&&field| there[field] != here[field]);
        let field = differs.copied().unwrap_or_default();
        bail!(
            "{} holds games of another kind: {field} is {} there, not {}",
            path.display(),
            there[field],
            here[field]
        );
    }
    Ok(())
}

/// After the numbers of all parts of a worker.
fn next_number(folder: &Path, worker: &str) -> Result<u32> {
    let number = |path: PathBuf| -> Option<u32> {
        let name = path.file_name()?.to_str()?;
        let (name, _) = name.split_once('.')?;
        let (owner, number) = name.rsplit_once('-')?;
        (owner == worker).then(|| number.parse().ok())?
    };
    let numbers = entries(folder)?.into_iter().filter_map(number);
    Ok(numbers.max().map_or(0, |last| last + 1))
}

/// Joins the games of a folder to a part, unless that was done, and removes the folder.
fn join(run: &Path, folder: &Path) -> Result<()> {
    let part = folder.with_extension("glb");
    if !files::exists(&part) {
        let of = |ending: &str| -> Result<Vec<PathBuf>> {
            let mut found = entries(folder)?;
            found.retain(|path| path.extension().is_some_and(|it| it == ending));
            found.sort();
            Ok(found)
        };
        let mut records = GzEncoder::new(Vec::new(), Compression::default());
        let games = of("glb")?;
        for game in &games {
            let record = files::read_text(&game.with_extension("sgf"))?;
            records.write_all(record.as_bytes())?;
        }
        let mut joined: Option<Shard> = None;
        for game in games {
            let read = Shard::from_bytes(&files::read_regular(&game, files::TRAINING_LIMIT)?);
            let mut shard = read.with_context(|| game.display().to_string())?;
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

/// Writes down what a part holds: a line in `metrics`.
fn note(run: &Path, folder: &Path, shard: &Shard) -> Result<()> {
    let worker = worker_of(folder).unwrap_or_default();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
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
        "time": now.unwrap_or_default().as_secs_f64(),
        "generation": name(folder.parent()), "part": name(Some(&part)),
        "size": shard.size.to_string(), "games": games, "labels": shard.labels(),
        "moves": moves, "black_wins": won(Color::Black), "white_wins": won(Color::White),
        "decided": decided.count(), "overturned": overturned.count(),
    });
    let file = run.join("metrics").join(format!("selfplay-{worker}.jsonl"));
    let mut options = OpenOptions::new();
    let written = options
        .append(true)
        .create(true)
        .open(&file)
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.with_context(|| format!("cannot write {}", file.display()))
}
