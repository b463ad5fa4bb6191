//! Games from and to SGF.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::super::arguments::{Arguments, integer};
use super::super::engine::Engine;
use crate::files;
use crate::formats::sgf::{self, ReadOptions};
use crate::go::GameRecord;

/// Remarks on a file that are told.
const MOST_REMARKS: usize = 10;

/// A file, whose name may contain blanks, and, if not the end is wanted, the number of the move before which to stop.
/// Sets size and stones, and komi and rules where the file has them.
pub(super) fn loadsgf(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let (file, before_move) = file_and_move(arguments.rest());
    if before_move == Some(0) {
        bail!("moves are numbered from 1");
    }
    let options = ReadOptions {
        rules: *engine.session.position.rules(),
        komi: engine.session.position.komi(),
        before_move,
    };
    let reading = files::read_regular(Path::new(file), files::TEXT_LIMIT)
        .and_then(|bytes| sgf::read(&bytes, &options))
        .context("cannot load file")?;
    let position = reading.record.position().context("cannot load file")?;
    let size = position.size();
    ensure!(
        engine.session.player.evaluators().can_play_on(size),
        "cannot load file: the network cannot play on boards of {size}"
    );
    engine.session.begin_with(position);
    engine.prepare();
    for remark in reading.remarks.iter().take(MOST_REMARKS) {
        engine.remark(&format!("{file}: {remark}"));
    }
    Ok(String::new())
}

/// The game so far, with its result if it has ended, as the answer (`-` is that, too) or into a file.
pub(super) fn printsgf(engine: &mut Engine, arguments: &Arguments) -> Result<String> {
    let record = GameRecord {
        result: engine.session.result()?,
        ..GameRecord::of(&engine.session.position)
    };
    let text = sgf::write(&record);
    if matches!(arguments.rest(), "" | "-") {
        return Ok(text);
    }
    let path = Path::new(arguments.rest());
    files::write_whole(path, text.as_bytes(), true).context("cannot write file")?;
    Ok(String::new())
}

/// The last word is a move if it is a number and there is no file of the whole name.
fn file_and_move(rest: &str) -> (&str, Option<usize>) {
    let Some((file, last)) = rest.rsplit_once(' ') else {
        return (rest, None);
    };
    match integer(last) {
        Ok(number) if !Path::new(rest).exists() => {
            let number = usize::try_from(number).unwrap_or(0);
            (file.trim_end(), Some(number))
        }
        _ => (rest, None),
    }
}
