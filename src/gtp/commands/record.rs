//! Games from and to SGF.

use std::fs;

use anyhow::{Context, Result, bail};

use super::super::arguments::Arguments;
use super::super::engine::Engine;
use crate::formats::sgf::{self, ReadOptions};
use crate::go::GameRecord;

/// A file and, if not the end is wanted, the number of the move before which to stop. Sets size
/// and stones, and komi and rules where the file has them.
pub(super) fn loadsgf(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let before_move = match arguments.len() {
        1 => None,
        _ => Some(usize::try_from(arguments.integer(1)?).unwrap_or(0)),
    };
    if before_move == Some(0) {
        bail!("moves are numbered from 1");
    }
    let options = ReadOptions {
        rules: *engine.position.rules(),
        komi: engine.position.komi(),
        before_move,
    };
    let record = fs::read(arguments.word(0)?)
        .map_err(anyhow::Error::from)
        .and_then(|bytes| sgf::parse_with(&bytes, &options))
        .context("cannot load file")?;
    engine.position = record.position().context("cannot load file")?;
    engine.is_playing = false;
    Ok(String::new())
}

/// The game so far, as the answer or into a file.
pub(super) fn printsgf(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let text = sgf::write(&GameRecord::of(&engine.position));
    let Some(path) = arguments.words().first() else {
        return Ok(text);
    };
    fs::write(path, text).context("cannot write file")?;
    Ok(String::new())
}
