//! The record of a game other than Go: what it tells besides the moves, and the file that it goes to.

use std::path::Path;

use anyhow::{Result, ensure};

use super::own_file::OwnFile;
use crate::games::record::Heading;
use crate::search::game::Side;

/// What the terminal keeps of a game's record.
pub(super) struct RecordFile {
    /// The file that gets the record after each move.
    pub(super) own: OwnFile,
    /// The variant that alone is played, for people, if one was named.
    variant: Option<String>,
    /// What the record that was loaded tells besides the moves.
    heading: Heading,
    /// The side that has given the game up.
    resigned: Option<Side>,
}

impl RecordFile {
    /// For a game that is saved to this file; `variant` is the title of the one that was named.
    pub(super) fn new(save_to: Option<&Path>, variant: Option<String>) -> RecordFile {
        RecordFile {
            own: OwnFile::new(save_to),
            variant,
            heading: Heading::default(),
            resigned: None,
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

    /// A new game begins.
    pub(super) fn begin(&mut self) {
        (self.heading, self.resigned) = (Heading::default(), None);
        self.own.begin();
    }

    /// A move is made or taken back, and so many before it stay.
    pub(super) fn change(&mut self, moves: usize) {
        self.heading.keep(moves);
        self.resigned = None;
        self.own.change();
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
        self.own.refuse_loss(file, heading.lost)?;
        self.own.note_loaded(file);
        self.resigned = None;
        self.heading = heading;
        Ok(())
    }
}
