//! A folder in which games are kept from run to run: a file for each, written anew after each change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};

use super::MOST_GAMES;
use super::game::Game;
use super::stored::Stored;
use crate::files::{self, lock::FileLock};
use crate::threads::locked;

/// Ending of their names.
const EXTENSION: &str = "json";
/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 24;

/// A folder of games, for one process at a time.
pub struct Store {
    folder: PathBuf,
    /// Held while a file is written, so that the latest state is written last.
    writing: Mutex<()>,
    _lock: FileLock,
}

impl Store {
    /// A folder, which is made if it is not there and which no other process may use.
    pub fn open(folder: &Path) -> Result<Store> {
        files::make_folder(folder)?;
        let lock = FileLock::take(&folder.join("games"))?;
        let of_folder = || format!("{} is used by another keima serve", folder.display());
        let lock = lock.with_context(of_folder)?;
        files::remove_abandoned(folder);
        Ok(Store {
            folder: folder.to_owned(),
            writing: Mutex::new(()),
            _lock: lock,
        })
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(EXTENSION)
    }

    /// The games of the folder with their names, those changed last at the end; the oldest are left out if there are
    /// too many. What cannot be read is left alone, with a warning.
    pub(super) fn games(&self, warn: &mut dyn FnMut(String)) -> Vec<(String, Game)> {
        let entries = self.folder.read_dir().into_iter().flatten().flatten();
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let is_game = path.extension().is_some_and(|it| it == EXTENSION);
                let id = path.file_stem()?.to_str()?.to_owned();
                let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
                let changed = entry.metadata().ok()?.modified().ok()?;
                (is_game && is_id).then_some((changed, id, path))
            })
            .collect();
        files.sort();
        let surplus = files.len().saturating_sub(MOST_GAMES);
        let games = files.into_iter().skip(surplus);
        let read = |(_, id, path): (_, _, PathBuf)| match read(&path) {
            Ok(game) => Some((id, game)),
            Err(error) => {
                let path = path.display();
                warn(format!(
                    "{path}: {error:#}; this game is not shown, and its file left alone"
                ));
                None
            }
        };
        games.filter_map(read).collect()
    }

    /// Writes what a game is, or removes its file if there is none.
    pub(super) fn keep(
        &self,
        id: &str,
        game: impl FnOnce() -> Option<Result<Stored>>,
    ) -> Result<()> {
        let _writing = locked(&self.writing);
        let file = self.file(id);
        match game() {
            Some(stored) => {
                let text = serde_json::to_string(&stored?)?;
                files::write_whole(&file, text.as_bytes(), true)
            }
            None if files::exists(&file) => {
                fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))
            }
            None => Ok(()),
        }
    }
}

fn read(path: &Path) -> Result<Game> {
    let bytes = files::read_regular(path, MOST_BYTES)?;
    let stored: Stored = serde_json::from_slice(&bytes)?;
    stored.game()
}
