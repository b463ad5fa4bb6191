//! The folder of reviews: `NAME.json`, `NAME.sgf` and `NAME.html` for each game, `NAME.jsonl` with the positions
//! analyzed so far and `NAME.lock` while somebody works on it, and `index.html`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::analysis::PositionAnalysis;
use super::game::Game;
use super::review::{GameReview, Head};
use super::settings::{MadeOf, Thresholds};
use crate::files::lines::JsonLines;
use crate::files::{self, lock::FileLock};

/// The name of the page that lists the games, which no game may have.
const INDEX: &str = "index";
/// The title of that page, by which it is known as one by keima.
pub const INDEX_TITLE: &str = "Reviewed games";
/// Digits of the checksum that tells games of the same name apart.
const DIGITS: usize = 8;

/// A folder with reviews.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// How each line of the file of positions analyzed so far begins.
const LINE_START: &str = "{\"made_of\":";

/// A line of the file of positions analyzed so far.
#[derive(Serialize)]
struct Line<'a> {
    /// [`MadeOf::digest`] of the analysis.
    made_of: &'a str,
    #[serde(flatten)]
    analysis: &'a PositionAnalysis,
}

/// A game that this process works on.
pub struct Claim {
    lock: FileLock,
    lines: JsonLines,
    digest: String,
    /// Positions analyzed so far, by turn.
    pub analyses: BTreeMap<usize, PositionAnalysis>,
}

/// What became of the attempt to work on a game.
pub enum Claimed {
    /// This process works on it.
    Here(Box<Claim>),
    /// Another process does.
    Elsewhere,
    /// Everything is there.
    Done,
}

impl Folder {
    /// Opens or makes a folder. It must be another one than those of the games, whose records the reviews
    /// would replace, and have no index of other origin.
    pub fn create<'a>(path: &Path, games: impl Iterator<Item = &'a Path>) -> Result<Folder> {
        files::make_folder(path)?;
        let place = |path: &Path| path.canonicalize().ok();
        for game in games {
            let folder = game.parent().filter(|folder| *folder != Path::new(""));
            ensure!(
                place(folder.unwrap_or(Path::new("."))) != place(path),
                "--out {} is the folder of {}: choose another one, as reviewed records have the same names",
                path.display(),
                game.display()
            );
        }
        files::remove_abandoned(path);
        let path = path.to_owned();
        let folder = Folder { path };
        folder.check_index()?;
        Ok(folder)
    }

    /// An error if the page that lists the games would replace one of other origin.
    fn check_index(&self) -> Result<()> {
        let index = self.index();
        let title = format!("<title>{INDEX_TITLE}</title>");
        let is_ours = !files::exists(&index) || files::read_text(&index)?.contains(&title);
        ensure!(is_ours, no_review(&index));
        Ok(())
    }

    /// A file of a game.
    pub fn file(&self, name: &str, extension: &str) -> PathBuf {
        self.path.join(format!("{name}.{extension}"))
    }

    /// The page that lists the games.
    pub fn index(&self) -> PathBuf {
        self.file(INDEX, "html")
    }

    /// Takes a game to work on it, with the positions that have been analyzed already, unless its outputs are
    /// complete or another process works on it.
    pub fn claim(&self, game: &Game, made_of: &MadeOf, thresholds: Thresholds) -> Result<Claimed> {
        let file = self.file(&game.name, "json");
        let path = self.file(&game.name, "jsonl");
        let is_complete = |head: Option<&Head>| {
            head.is_some_and(|head| self.is_complete(game, head, made_of, thresholds))
        };
        if is_complete(read(&file).as_ref()) && !files::exists(&path) {
            return Ok(Claimed::Done);
        }
        let Some(lock) = FileLock::take(&file)? else {
            return Ok(Claimed::Elsewhere);
        };
        let head = read(&file);
        if let Err(error) = self.check_replaced(game, head.as_ref(), made_of) {
            lock.release()?;
            return Err(error);
        }
        // Another process may have finished it before the lock was taken, or have been killed right after.
        if is_complete(head.as_ref()) {
            remove(&path)?;
            lock.release()?;
            return Ok(Claimed::Done);
        }
        let digest = made_of.digest();
        let is_ours = |line: &serde_json::Value| line["made_of"] == digest.as_str();
        let (lines, values) = JsonLines::open_keeping(&path, is_ours)?;
        let stored = values
            .into_iter()
            .filter_map(|value| serde_json::from_value::<PositionAnalysis>(value).ok());
        let mut analyses: BTreeMap<usize, PositionAnalysis> =
            stored.map(|analysis| (analysis.turn, analysis)).collect();
        // Only thresholds or the program's version are others.
        let finished = read::<GameReview>(&file).filter(|it| it.head.made_of == *made_of);
        analyses.extend(finished.map(|review| review.analyses()).unwrap_or_default());
        Ok(Claimed::Here(Box::new(Claim {
            lock,
            lines,
            digest,
            analyses,
        })))
    }

    /// An error if the outputs of a game would replace the review of another one of that name, or files that are no
    /// review.
    fn check_replaced(&self, game: &Game, head: Option<&Head>, made_of: &MadeOf) -> Result<()> {
        let file = |extension| self.file(&game.name, extension);
        if let Some(head) = head {
            // An older program did not note the folder.
            let is_same = head.made_of.game == made_of.game
                || head.folder == game.folder
                || head.folder.is_empty();
            ensure!(
                is_same,
                "{} is the review of another game of this name: choose another folder with --out",
                file("json").display()
            );
            return Ok(());
        }
        let analyzed = file("jsonl");
        let is_begun = files::exists(&analyzed) && {
            let mut start = Vec::new();
            let file = files::open_regular(&analyzed, u64::MAX)?;
            file.take(LINE_START.len() as u64).read_to_end(&mut start)?;
            LINE_START.as_bytes().starts_with(&start)
        };
        if !is_begun {
            for extension in ["json", "jsonl", "sgf", "html"] {
                let file = file(extension);
                ensure!(!files::exists(&file), no_review(&file));
            }
        }
        Ok(())
    }

    /// Whether a review that says this of a game is the wanted one, and its other outputs are there.
    fn is_complete(
        &self,
        game: &Game,
        head: &Head,
        made_of: &MadeOf,
        thresholds: Thresholds,
    ) -> bool {
        let others = ["sgf", "html"].map(|extension| self.file(&game.name, extension));
        others.iter().all(|file| files::exists(file))
            && head.made_of == *made_of
            && head.thresholds == thresholds
            && head.version == super::review::VERSION
    }

    /// Writes the outputs of a game, the JSON file last, and gives the game back.
    pub fn finish(&self, claim: Claim, review: &GameReview, sgf: &str, page: &str) -> Result<()> {
        let name = &review.head.name;
        let json = serde_json::to_string(review)? + "\n";
        for (extension, text) in [("sgf", sgf), ("html", page), ("json", &json)] {
            files::write_whole(&self.file(name, extension), text.as_bytes(), true)?;
        }
        drop(claim.lines);
        remove(&self.file(name, "jsonl"))?;
        claim.lock.release()
    }

    /// What the finished reviews of the folder say of their games, by name, with numbers by their size. Other files
    /// are left alone.
    pub fn heads(&self) -> Result<Vec<Head>> {
        let files = files::entries_with(&self.path, "json")?;
        let heads = files.iter().filter_map(|path| read(path));
        let mut found: Vec<Head> = heads.collect();
        found.sort_by(|a, b| in_order(&a.name).cmp(&in_order(&b.name)));
        Ok(found)
    }
}

impl Claim {
    /// Notes an analysis, so that it is not done again.
    pub fn add(&mut self, analysis: PositionAnalysis) -> Result<()> {
        self.lines.add(&Line {
            made_of: &self.digest,
            analysis: &analysis,
        })?;
        self.analyses.insert(analysis.turn, analysis);
        Ok(())
    }
}

/// Why a file is not replaced.
fn no_review(file: &Path) -> String {
    format!(
        "{} is no review by keima: choose another folder with --out",
        file.display()
    )
}

/// What names are sorted by: their parts without digits, each with the number that follows it, by its length and its
/// digits; then the name itself.
fn in_order(name: &str) -> (Vec<(&str, usize, &str)>, &str) {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let start = rest.find(|c: char| c.is_ascii_digit());
        let (words, numbered) = rest.split_at(start.unwrap_or(rest.len()));
        let end = numbered.find(|c: char| !c.is_ascii_digit());
        let (number, after) = numbered.split_at(end.unwrap_or(numbered.len()));
        let digits = number.trim_start_matches('0');
        parts.push((words, digits.len(), digits));
        rest = after;
    }
    (parts, name)
}

/// Removes a file that need not be there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// A file's contents; none if it is not there or something else.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let file = files::open_regular(path, files::TEXT_LIMIT).ok()?;
    serde_json::from_reader(BufReader::new(file)).ok()
}

/// Gives games of the same name names of their own, by the checksums of their files, and leaves out files
/// with the contents of an earlier one of the same name.
pub fn with_own_names(games: Vec<Game>) -> Vec<Game> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let mut known = BTreeSet::new();
    let mut kept: Vec<Game> = Vec::new();
    for game in games {
        if known.insert((game.name.clone(), game.sha256.clone())) {
            // Some file systems do not tell capitals from small letters.
            *count.entry(game.name.to_lowercase()).or_default() += 1;
            kept.push(game);
        }
    }
    for game in &mut kept {
        let is_shared = count[&game.name.to_lowercase()] > 1;
        if is_shared || game.name.to_lowercase() == INDEX {
            game.name = format!("{}-{}", game.name, &game.sha256[..DIGITS]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_sorted_by_size() {
        let mut names = ["g10", "g2", "a", "g2-1", "g02", "10", "9", "g"];
        names.sort_by(|a, b| in_order(a).cmp(&in_order(b)));
        assert_eq!(names, ["9", "10", "a", "g", "g02", "g2", "g2-1", "g10"]);
    }
}
