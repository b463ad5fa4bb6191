//! A game that is reviewed: its record as far as it can be replayed.

use std::path::Path;

use anyhow::{Context, Result};

use super::annotated;
use crate::files;
use crate::formats::sgf::{self, Beside, Info, ReadOptions};
use crate::go::{GameRecord, Move, Position};

/// Digits of the checksum of a folder's path.
const FOLDER_DIGITS: usize = 16;

/// A game from a file.
#[derive(Clone, Debug)]
pub struct Game {
    /// The name of its outputs, without folder and ending.
    pub name: String,
    /// The file's name without its folder.
    pub file: String,
    /// The beginning of the SHA-256 of the folder's path, for telling games of the same name apart.
    pub folder: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The main line up to the first impossible move.
    pub record: GameRecord,
    /// What the file says besides.
    pub info: Vec<Info>,
    /// Variations and other properties of the file, but for those that a review writes.
    pub beside: Beside,
    /// Anomalies of the file, with their places.
    pub remarks: Vec<String>,
    /// The move that cannot be played, and why; it and all that follow are left out.
    pub fault: Option<String>,
}

impl Game {
    /// Reads the main line of a file's first game, as `loadsgf` does.
    pub fn read(path: &Path, name: &str, options: &ReadOptions) -> Result<Game> {
        let of_file = || path.display().to_string();
        let bytes = files::read_regular(path, files::TEXT_LIMIT)?;
        let (reading, mut beside) =
            sgf::read_with_variations(&bytes, options).with_context(of_file)?;
        let mut record = reading.record;
        let fault = record.cut_at_impossible_move().with_context(of_file)?;
        beside.truncate(record.moves.len());
        let is_kept = |name: &str| !annotated::PROPERTIES.contains(&name);
        beside.properties.retain(|(_, it)| is_kept(&it.name));
        let file = path.file_name().unwrap_or_default();
        let whole_path = path.canonicalize().with_context(of_file)?;
        let folder = whole_path.parent().unwrap_or(&whole_path);
        Ok(Game {
            name: name.to_owned(),
            file: file.to_string_lossy().into_owned(),
            folder: files::sha256(folder.to_string_lossy().as_bytes())[..FOLDER_DIGITS].to_owned(),
            sha256: files::sha256(&bytes),
            record,
            info: reading.info,
            beside,
            remarks: reading.remarks.iter().map(ToString::to_string).collect(),
            fault: fault.map(|fault| fault.to_string()),
        })
    }

    /// Number of its positions, the start included.
    pub fn positions(&self) -> usize {
        self.record.moves.len() + 1
    }

    /// The position after `turn` moves, in which whoever moves next in the game is to move.
    pub fn position(&self, turn: usize) -> Result<Position> {
        let mut position = self.record.position_at(turn)?;
        if let Some(&(color, _)) = self.record.moves.get(turn) {
            position.set_to_move(color);
        }
        Ok(position)
    }

    /// The move played after `turn` moves; none at the end.
    pub fn played(&self, turn: usize) -> Option<Move> {
        self.record.moves.get(turn).map(|&(_, mv)| mv)
    }
}
