//! The record of a game other than Go: what it tells besides the moves, and the file that it goes to.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::refuse_loss;
use crate::files;
use crate::games::record::Heading;
use crate::search::game::Side;

/// What the terminal keeps of a game's record.
pub(super) struct RecordFile {
    /// The file that gets the record after each move.
    save_to: Option<PathBuf>,
    /// The variant that alone is played, for people, if one was named.
    variant: Option<String>,
    /// What the record that was loaded tells besides the moves.
    heading: Heading,
    /// The side that has given the game up.
    resigned: Option<Side>,
    /// Whether there is anything that is not in the file.
    is_changed: bool,
    /// Whether the game is in no other file.
    is_only_copy: bool,
}

impl RecordFile {
    /// For a game that is saved to this file; `variant` is the title of the one that was named.
    pub(super) fn new(save_to: Option<&Path>, variant: Option<String>) -> RecordFile {
        RecordFile {
            save_to: save_to.map(Path::to_owned),
            variant,
            heading: Heading::default(),
            resigned: None,
            is_changed: true,
            is_only_copy: false,
        }
    }

    /// What the record tells besides the moves.
    pub(super) fn heading(&self) -> &Heading {
        &self.heading
    }

    /// The side that has given the game up.
    pub(super) fn resigned(&self) -> Option<Side> {
        self.resigned
    }

    /// A new game begins. The file keeps the last one until there is a move.
    pub(super) fn begin(&mut self) {
        (self.heading, self.resigned) = (Heading::default(), None);
        (self.is_changed, self.is_only_copy) = (false, false);
    }

    /// A move is made or taken back, and so many before it stay.
    pub(super) fn change(&mut self, moves: usize) {
        self.heading.keep(moves);
        self.resigned = None;
        (self.is_changed, self.is_only_copy) = (true, true);
    }

    /// A side gives the game up after all moves.
    pub(super) fn resign(&mut self, side: Side) {
        self.change(usize::MAX);
        self.resigned = Some(side);
    }

    /// Takes a resignation back, if there is one.
    pub(super) fn take_resignation_back(&mut self) -> bool {
        let is_resigned = self.resigned.is_some();
        if is_resigned {
            self.change(usize::MAX);
        }
        is_resigned
    }

    /// The game of a file comes in, which is of the variant with this title. An error if that is another variant than
    /// the one named, or if something of the file would be lost.
    pub(super) fn load(&mut self, file: &Path, title: &str, heading: Heading) -> Result<()> {
        if let Some(named) = &self.variant {
            ensure!(
                named == title,
                "{} is a game of {title}, not of {named}: leave out --variant",
                file.display()
            );
        }
        refuse_loss(file, self.save_to.as_deref(), heading.lost)?;
        self.is_only_copy = self.is_own(file);
        self.is_changed = !self.is_only_copy;
        self.resigned = None;
        self.heading = heading;
        Ok(())
    }

    /// The game was written to a file.
    pub(super) fn note_saved(&mut self, file: &Path) {
        match self.is_own(file) {
            true => self.is_changed = false,
            false => self.is_only_copy = false,
        }
    }

    /// Refuses another game as long as its first move would replace this one, which is in no other file.
    pub(super) fn check_replaceable(&self) -> Result<()> {
        match self.save_to() {
            Some(file) if self.is_only_copy => bail!(
                "another game would replace this one in {}: save it to another file first, as in: save FILE",
                file.display()
            ),
            _ => Ok(()),
        }
    }

    /// The file of the command line that gets the record.
    pub(super) fn save_to(&self) -> Option<&Path> {
        self.save_to.as_deref()
    }

    /// The file that the game is still to be saved to.
    pub(super) fn unsaved(&self) -> Option<&Path> {
        self.save_to().filter(|_| self.is_changed)
    }

    fn is_own(&self, file: &Path) -> bool {
        self.save_to()
            .is_some_and(|own| own == file || files::is_same(own, file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_makes_room_for_another_once_it_is_elsewhere() {
        let own = Path::new("own.pgn");
        let mut record = RecordFile::new(Some(own), None);
        assert!(record.check_replaceable().is_ok());
        record.change(0);
        record.note_saved(own);
        assert!(record.unsaved().is_none());
        let refused = record.check_replaceable().unwrap_err().to_string();
        assert!(
            refused.contains("own.pgn: save it to another file"),
            "{refused}"
        );
        record.note_saved(Path::new("other.pgn"));
        assert!(record.check_replaceable().is_ok());
        record.begin();
        assert!(record.unsaved().is_none());
        let mut unnamed = RecordFile::new(None, None);
        unnamed.change(0);
        assert!(unnamed.check_replaceable().is_ok());
    }
}
