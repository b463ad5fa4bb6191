//! An endless stream of shuffled batches of labels, each of one board size.
//!
//! An epoch takes the shards of each size in random order, in windows of several, and the labels of
//! a window in random order, but siblings stay together. Each batch has the labels of
//! [`StreamSettings::batch`] consecutive places in that order, except that a sibling group belongs
//! to the batch in which it begins: batches vary by a few labels. Sizes alternate at random, each
//! in proportion to its number of whole batches. All of this depends only on the seed and the
//! epoch, so a stream can resume where another one stopped, see [`Stream::skip`].

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::data::batch::Batch;
use crate::files;
use crate::go::{BoardSize, Symmetry};
use crate::nn::desc::InputVersion;
use crate::splitmix::splitmix;

use super::boards::Boards;
use super::generations;
use super::label::sibling_groups;
use super::label_folder::LabelFolder;
use super::records;
use super::shard::{self, HEADER_BYTES, Header, LabelledLine, Shard};

mod sample;

use sample::{Sample, Variation};

/// The most points by which komi is changed.
pub const MOST_KOMI_SHIFT: i32 = 10;
/// Marks random numbers about komi.
const KOMI: u64 = 0x6b6f_6d69;

/// Settings of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamSettings {
    /// Average samples per batch.
    pub batch: usize,
    /// Random seed.
    pub seed: u64,
    /// Shards per window of one size.
    pub window: usize,
    /// Whether to apply a random symmetry to each sample.
    pub turn: bool,
    /// The share of samples without siblings that have another komi than their label, from 0 to 1; it differs by up to
    /// [`MOST_KOMI_SHIFT`] points.
    pub komi_shifts: f64,
    /// The board sizes to use; labels of others are left out.
    pub boards: Boards,
    /// Version of the inputs, see [`Batch::version`].
    pub inputs: InputVersion,
}

impl Default for StreamSettings {
    fn default() -> StreamSettings {
        StreamSettings {
            batch: 64,
            seed: 0,
            window: 64,
            turn: true,
            komi_shifts: 0.0,
            boards: Boards::default(),
            inputs: InputVersion::V7,
        }
    }
}

/// The labels of one or more folders in batches, each label at most once: an epoch.
pub struct Stream {
    settings: StreamSettings,
    sizes: Vec<SizeShards>,
    /// Labels of other board sizes.
    left_out: usize,
    /// The order of sizes, as indices, and the number of batches given.
    order: Vec<usize>,
    given: usize,
}

/// The shards of one size.
struct SizeShards {
    size: BoardSize,
    /// Files and their numbers of labels.
    files: Vec<(PathBuf, usize)>,
    labels: usize,
    cursor: Cursor,
}

/// A position in an epoch's labels of one size.
#[derive(Default)]
struct Cursor {
    /// Shards in their order, and how many of them windows have used.
    order: Vec<usize>,
    opened: usize,
    /// Remaining labels of the current window, the next one last.
    window: Vec<Place>,
    /// Labels to skip before the next.
    skipped: usize,
    /// Labels of the next batch's places that the previous batch has taken.
    overrun: usize,
}

struct Place {
    shard: Arc<Shard>,
    /// Index of its line.
    line: usize,
    /// Its index on the line.
    label: usize,
    /// Whether the previous label of the epoch is not a sibling.
    begins_group: bool,
}

impl Place {
    fn line(&self) -> &LabelledLine {
        &self.shard.lines[self.line]
    }
}

impl Stream {
    /// Opens folders. Reads only the headers. An error if there are too few labels for a batch.
    pub fn open(folders: &[PathBuf], settings: StreamSettings) -> Result<Stream> {
        let files = files_of(folders)?;
        let names = folders.iter().map(|folder| folder.display().to_string());
        ensure!(
            !files.is_empty(),
            "no labels yet in {}: let `keima label` or `keima selfplay` finish a shard",
            names.collect::<Vec<_>>().join(", ")
        );
        Stream::of_files(&files, settings)
    }

    /// Opens shards. Reads only the headers.
    pub fn of_files(files: &[PathBuf], settings: StreamSettings) -> Result<Stream> {
        ensure!(
            settings.batch > 0 && settings.window > 0,
            "empty batches or windows"
        );
        let mut sizes: BTreeMap<(usize, usize, usize), SizeShards> = BTreeMap::new();
        let mut left_out = 0;
        for path in files {
            let header = header(path).with_context(|| path.display().to_string())?;
            let (size, labels) = (header.size, header.labels as usize);
            if !settings.boards.contain(size) {
                left_out += labels;
                continue;
            }
            let key = (size.area(), size.width(), size.height());
            let shards = sizes.entry(key).or_insert_with(|| SizeShards::new(size));
            shards.files.push((path.clone(), labels));
            shards.labels += labels;
        }
        let mut sizes: Vec<SizeShards> = sizes.into_values().collect();
        let seed = settings.seed;
        let mut order = Vec::new();
        for (index, size) in sizes.iter_mut().enumerate() {
            order.extend(std::iter::repeat_n(index, size.labels / settings.batch));
            size.cursor.order = (0..size.files.len()).collect();
            let mut rng = rng(mixed(seed, index as u64));
            size.cursor.order.shuffle(&mut rng);
        }
        order.shuffle(&mut rng(seed));
        ensure!(
            !order.is_empty(),
            "{}",
            too_few(&settings, &sizes, left_out)
        );
        Ok(Stream {
            settings,
            sizes,
            left_out,
            order,
            given: 0,
        })
    }

    /// Labels of all sizes.
    pub fn labels(&self) -> usize {
        self.sizes.iter().map(|size| size.labels).sum()
    }

    /// Labels of other board sizes, see [`StreamSettings::boards`].
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Number of all batches.
    pub fn batches(&self) -> usize {
        self.order.len()
    }

    /// Skips batches without making them.
    pub fn skip(&mut self, batches: usize) -> Result<()> {
        for _ in 0..batches {
            let size = self.next_size()?;
            let cursor = &mut self.sizes[size].cursor;
            cursor.skipped += self.settings.batch - std::mem::take(&mut cursor.overrun);
        }
        Ok(())
    }

    /// The next batch.
    pub fn next_batch(&mut self) -> Result<Batch> {
        let size = self.next_size()?;
        let shards = &mut self.sizes[size];
        let seed = self.settings.seed;
        let labels = shards.next_labels(&self.settings, mixed(seed, !(size as u64)))?;
        let salt = mixed(seed, self.given as u64);
        let StreamSettings {
            turn,
            komi_shifts,
            inputs,
            ..
        } = self.settings;
        let sibling_group = sibling_groups(labels.iter().map(|place| {
            let line = (Arc::as_ptr(&place.shard), place.line);
            (line, &place.line().labels[place.label])
        }));
        // Siblings are compared with each other.
        let is_alone = |index: usize| {
            sibling_group[index] == index && sibling_group.get(index + 1) != Some(&index)
        };
        let samples: Result<Vec<Sample>> = labels
            .par_iter()
            .enumerate()
            .map(|(index, place)| {
                let salt = mixed(salt, index as u64);
                let variation = Variation {
                    symmetry: symmetry(place.shard.size, salt, turn),
                    komi_shift: match is_alone(index) {
                        true => komi_shift(salt, komi_shifts),
                        false => 0,
                    },
                };
                Sample::new(place.line(), place.label, inputs, variation)
            })
            .collect();
        Ok(sample::join(
            (shards.size, inputs),
            &samples?,
            sibling_group,
        ))
    }

    fn next_size(&mut self) -> Result<usize> {
        let size = self.order.get(self.given).copied();
        self.given += 1;
        size.context("all batches have been given")
    }
}

/// The message that there is not one batch.
fn too_few(settings: &StreamSettings, sizes: &[SizeShards], left_out: usize) -> String {
    let wanted = match settings.boards == Boards::default() {
        true => "one board size".to_owned(),
        false => format!("{}, and {left_out} of others", settings.boards),
    };
    let none = format!("not one batch of {} labels of {wanted}", settings.batch);
    let labels = || sizes.iter().map(|size| size.labels);
    match labels().max() {
        None | Some(0) => none,
        Some(most) => {
            let sum: usize = labels().sum();
            format!(
                "{none}: there are {sum}, at most {most} of one size; a smaller --batch (and \
                 --micro-batch) would do"
            )
        }
    }
}

impl SizeShards {
    fn new(size: BoardSize) -> SizeShards {
        SizeShards {
            size,
            files: Vec::new(),
            labels: 0,
            cursor: Cursor::default(),
        }
    }

    /// The labels of the next batch of the epoch, which must not be at its end.
    fn next_labels(&mut self, settings: &StreamSettings, seed: u64) -> Result<Vec<Place>> {
        self.fill_window(settings, seed)?;
        // The skipped labels may end within a group.
        while self.cursor.pop_sibling().is_some() {
            self.cursor.overrun += 1;
        }
        let run = settings.batch - std::mem::take(&mut self.cursor.overrun);
        let mut labels = Vec::with_capacity(run);
        while labels.len() < run {
            self.fill_window(settings, seed)?;
            labels.extend(self.cursor.window.pop());
        }
        labels.extend(std::iter::from_fn(|| self.cursor.pop_sibling()));
        self.cursor.overrun = labels.len() - run;
        Ok(labels)
    }

    /// Skips the labels to be skipped, and makes sure that the window has a next label.
    fn fill_window(&mut self, settings: &StreamSettings, seed: u64) -> Result<()> {
        loop {
            let cursor = &mut self.cursor;
            let passed = cursor.skipped.min(cursor.window.len());
            cursor.skipped -= passed;
            cursor.window.truncate(cursor.window.len() - passed);
            if !cursor.window.is_empty() {
                return Ok(());
            }
            let rest = &cursor.order[cursor.opened..];
            let opened: Vec<usize> = rest.iter().copied().take(settings.window).collect();
            ensure!(
                !opened.is_empty(),
                "the labels of {} have run out",
                self.size
            );
            cursor.opened += opened.len();
            let labels: usize = opened.iter().map(|&file| self.files[file].1).sum();
            if cursor.skipped >= labels {
                cursor.skipped -= labels;
            } else {
                let salt = cursor.opened as u64;
                self.open_window(&opened, settings.batch, mixed(seed, salt))?;
            }
        }
    }

    /// Reads shards and shuffles their labels. Sibling groups longer than a batch are cut.
    fn open_window(&mut self, files: &[usize], batch: usize, seed: u64) -> Result<()> {
        let read = |&file: &usize| {
            let (path, labels) = &self.files[file];
            let shard = Shard::read(path)?;
            ensure!(shard.labels() == *labels, "{} has changed", path.display());
            Ok(Arc::new(shard))
        };
        let shards: Vec<Arc<Shard>> = files.par_iter().map(read).collect::<Result<_>>()?;
        let mut together: Vec<Vec<Place>> = Vec::new();
        for shard in &shards {
            for (index, line) in shard.lines.iter().enumerate() {
                let sibling_group = sibling_groups(line.labels.iter().map(|label| ((), label)));
                for (label, first) in sibling_group.into_iter().enumerate() {
                    let place = Place {
                        shard: Arc::clone(shard),
                        line: index,
                        label,
                        begins_group: false,
                    };
                    match together.last_mut() {
                        Some(siblings) if first < label && siblings.len() < batch => {
                            siblings.push(place);
                        }
                        _ => together.push(vec![place]),
                    }
                }
            }
        }
        // The window is consumed from its end.
        for siblings in &mut together {
            siblings.last_mut().expect("no group is empty").begins_group = true;
        }
        together.shuffle(&mut rng(seed));
        self.cursor.window.extend(together.into_iter().flatten());
        Ok(())
    }
}

impl Cursor {
    /// The next label, if it is a sibling of the last.
    fn pop_sibling(&mut self) -> Option<Place> {
        self.window.pop_if(|next| !next.begins_group)
    }
}

/// The shards of folders: of labelled games, of recorded games, or of one or more generations of self-play.
pub fn files_of(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        files.extend(match generations::is_generation(folder) {
            true => generations::parts(folder)?,
            false if records::is_folder(folder) => shard::in_folder(folder)?,
            false => match generations::generations(folder) {
                Ok(found) if !found.is_empty() => newest_parts(&found)?,
                _ => LabelFolder::open(folder)?.shard_files()?,
            },
        });
    }
    Ok(files)
}

/// The parts of the newest generations.
fn newest_parts(found: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let parts: Vec<Vec<PathBuf>> = found
        .iter()
        .map(|folder| generations::parts(folder))
        .collect::<Result<_>>()?;
    let labels = |path: &PathBuf| -> Result<usize> {
        let header = header(path).with_context(|| path.display().to_string())?;
        Ok(header.labels as usize)
    };
    let sums: Vec<usize> = parts
        .iter()
        .map(|parts| parts.iter().map(labels).sum())
        .collect::<Result<_>>()?;
    let first = parts.len() - generations::newest(&sums);
    Ok(parts[first..].concat())
}

/// Samples for labels of a shard, given by indices of line and label, with inputs of this version,
/// without a symmetry.
pub fn batch_of(shard: &Shard, places: &[(usize, usize)], inputs: InputVersion) -> Result<Batch> {
    let labels = places.iter();
    let sibling_group =
        sibling_groups(labels.map(|&(line, label)| (line, &shard.lines[line].labels[label])));
    let sample = |&(line, label): &(usize, usize)| {
        let as_labelled = Variation {
            symmetry: Symmetry::IDENTITY,
            komi_shift: 0,
        };
        Sample::new(&shard.lines[line], label, inputs, as_labelled)
    };
    let samples: Result<Vec<Sample>> = places.iter().map(sample).collect();
    Ok(sample::join((shard.size, inputs), &samples?, sibling_group))
}

fn header(path: &Path) -> Result<Header> {
    let mut bytes = Vec::new();
    let file = files::open_regular(path, files::TRAINING_LIMIT)?;
    file.take(HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    Header::from_bytes(&bytes)
}

/// A symmetry that keeps the board's shape.
fn symmetry(size: BoardSize, salt: u64, turn: bool) -> Symmetry {
    let symmetries = match (turn, size.is_square()) {
        (false, _) => 1,
        (true, true) => 8,
        // Symmetries from 4 on transpose.
        (true, false) => 4,
    };
    Symmetry::new((salt >> 33) as usize % symmetries).expect("below eight")
}

/// How many points more White is given: in this share of samples at most so many, and not 0.
fn komi_shift(salt: u64, share: f64) -> i32 {
    if share <= 0.0 {
        return 0;
    }
    let mut rng = rng(mixed(salt, KOMI));
    if !rng.random_bool(share.min(1.0)) {
        return 0;
    }
    let points = rng.random_range(1..=MOST_KOMI_SHIFT);
    if rng.random() { points } else { -points }
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Hash of two numbers.
pub(crate) fn mixed(one: u64, other: u64) -> u64 {
    splitmix(other, one.wrapping_add(1))
}
