//! The record of a game other than Go: what it tells besides the moves, and the file that it goes to.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::refuse_loss;
use crate::files;
use crate::games::record::Heading;

/// What the terminal keeps of a game's record.
pub(super) struct RecordFile {
    /// The file that gets the record when the game ends.
    save_to: Option<PathBuf>,
    /// The variant that alone is played, for people, if one was named.
    variant: Option<String>,
    /// What the record that was loaded tells besides the moves.
    heading: Heading,
    /// Whether there is anything that is not in the file.
    is_changed: bool,
}

impl RecordFile {
    /// For a game that is saved to this file at its end; `variant` is the title of the one that was named.
    pub(super) fn new(save_to: Option<&Path>, variant: Option<String>) -> RecordFile {
        RecordFile {
            save_to: save_to.map(Path::to_owned),
            variant,
            heading: Heading::default(),
            is_changed: true,
        }
    }

    /// What the record tells besides the moves.
    pub(super) fn heading(&self) -> &Heading {
        &self.heading
    }

    /// A new game begins.
    pub(super) fn begin(&mut self) {
        (self.heading, self.is_changed) = (Heading::default(), true);
    }

    /// A move is made or taken back, and so many before it stay.
    pub(super) fn change(&mut self, moves: usize) {
        self.heading.keep(moves);
        self.is_changed = true;
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
        let is_own = |own: &PathBuf| files::is_same(own, file);
        self.is_changed = !self.save_to.as_ref().is_some_and(is_own);
        self.heading = heading;
        Ok(())
    }

    /// The file that the game is still to be saved to at its end.
    pub(super) fn unsaved(&self) -> Option<&Path> {
        self.save_to.as_deref().filter(|_| self.is_changed)
    }
}
