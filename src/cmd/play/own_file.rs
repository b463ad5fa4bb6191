//! The file that a game is saved to after each move, and other files that its record goes to.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::console::{say, say_error};
use crate::files;

/// The file of the command line that gets a game's record, if there is one, and what it has not got.
pub(super) struct OwnFile {
    path: Option<PathBuf>,
    /// Whether there is anything that is not in the file.
    is_changed: bool,
    /// Whether the game is in no other file.
    is_only_copy: bool,
}

impl OwnFile {
    /// For a new game, which is saved to this file.
    pub(super) fn new(path: Option<&Path>) -> OwnFile {
        OwnFile {
            path: path.map(Path::to_owned),
            is_changed: true,
            is_only_copy: false,
        }
    }

    /// A new game begins. The file keeps the last one until there is a move.
    pub(super) fn begin(&mut self) {
        (self.is_changed, self.is_only_copy) = (false, false);
    }

    /// The game has changed, so that it is in no file.
    pub(super) fn change(&mut self) {
        (self.is_changed, self.is_only_copy) = (true, true);
    }

    /// The game of a file has come in.
    pub(super) fn note_loaded(&mut self, file: &Path) {
        self.is_only_copy = self.is(file);
        self.is_changed = !self.is_only_copy;
    }

    /// More is known of the game than the file has: the result of one that was loaded, dice.
    pub(super) fn note_more(&mut self) {
        self.is_changed = true;
    }

    /// The game was written to a file.
    fn note_saved(&mut self, file: &Path) {
        match self.is(file) {
            true => self.is_changed = false,
            false => self.is_only_copy = false,
        }
    }

    /// Refuses another game as long as its first move would replace this one, which is in no other file.
    pub(super) fn check_replaceable(&self) -> Result<()> {
        match &self.path {
            Some(path) if self.is_only_copy => bail!(
                "another game would replace this one in {}: save it to another file first, as in: save FILE",
                path.display()
            ),
            _ => Ok(()),
        }
    }

    /// Refuses to go on from this very file if that has something (`what`) that would be lost.
    pub(super) fn refuse_loss(&self, loaded: &Path, what: Option<&str>) -> Result<()> {
        match what {
            Some(what) if self.is(loaded) => bail!(
                "{} has {what}, which saving to it would lose: --save another file",
                loaded.display()
            ),
            _ => Ok(()),
        }
    }

    /// The file that `save` writes to: the one named, or this one, which may be replaced.
    fn or_named(&self, named: Option<PathBuf>, replaces: bool, records: &str) -> Result<PathBuf> {
        let may_replace = replaces || named.is_none() || named == self.path;
        let file = named.or_else(|| self.path.clone());
        let file =
            file.with_context(|| format!("save needs a file, as in: save game.{records}"))?;
        check_new(&file, may_replace)?;
        Ok(file)
    }

    fn is(&self, file: &Path) -> bool {
        let own = self.path.as_deref();
        own.is_some_and(|own| own == file || files::is_same(own, file))
    }
}

/// A game whose record goes to files.
pub(super) trait Saved {
    /// How names of game records end.
    const RECORDS: &'static str;

    /// Its file of the command line.
    fn own_file(&mut self) -> &mut OwnFile;

    /// Writes the record to a file.
    fn write(&self, file: &Path) -> Result<()>;

    /// Writes the record to a file, and keeps in mind that it is there.
    fn save_to(&mut self, file: &Path) -> Result<()> {
        self.write(file)?;
        self.own_file().note_saved(file);
        Ok(())
    }

    /// Writes the record to the file of the command line, if that has not got it.
    fn keep(&mut self) -> Result<()> {
        let own = self.own_file();
        match own.path.clone().filter(|_| own.is_changed) {
            Some(file) => self.save_to(&file),
            None => Ok(()),
        }
    }

    /// The same in the middle of the game, which goes on where that fails: it is tried again.
    fn keep_or_tell(&mut self) -> Result<()> {
        match self.keep() {
            Ok(()) => Ok(()),
            Err(error) => say_error(&error),
        }
    }

    /// Does what `save` asks for.
    fn save(&mut self, named: Option<PathBuf>, replaces: bool) -> Result<()> {
        let file = self.own_file().or_named(named, replaces, Self::RECORDS)?;
        self.save_to(&file)?;
        say(format_args!("saved to {}", file.display()))
    }
}

/// Refuses to save to a file that is there, unless that may be replaced.
fn check_new(file: &Path, may_replace: bool) -> Result<()> {
    ensure!(
        may_replace || !files::exists(file),
        "{0} exists already: save! {0} replaces it",
        file.display()
    );
    files::check_writable(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_makes_room_for_another_once_it_is_elsewhere() {
        let path = Path::new("own.pgn");
        let mut own = OwnFile::new(Some(path));
        assert!(own.check_replaceable().is_ok());
        own.change();
        own.note_saved(path);
        assert!(!own.is_changed);
        let refused = own.check_replaceable().unwrap_err().to_string();
        assert!(
            refused.contains("own.pgn: save it to another file"),
            "{refused}"
        );
        own.note_saved(Path::new("other.pgn"));
        assert!(own.check_replaceable().is_ok());
        own.begin();
        assert!(!own.is_changed);
        let mut unnamed = OwnFile::new(None);
        unnamed.change();
        assert!(unnamed.check_replaceable().is_ok());
    }

    #[test]
    fn a_loaded_game_is_in_the_file_that_it_is_from() {
        let (path, other) = (Path::new("own.pgn"), Path::new("other.pgn"));
        let mut own = OwnFile::new(Some(path));
        own.note_loaded(path);
        assert!(!own.is_changed && own.check_replaceable().is_err());
        assert!(own.refuse_loss(path, Some("two games")).is_err());
        own.note_loaded(other);
        assert!(own.is_changed && own.check_replaceable().is_ok());
        assert!(own.refuse_loss(other, Some("two games")).is_ok());
    }
}
