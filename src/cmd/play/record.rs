//! Game records: the file that a game goes on from, and the one that it is written to.

use std::path::Path;

use anyhow::{Context, Result};

use super::engines::Seat;
use crate::console::tell;
use crate::files;
use crate::formats::sgf::{self, Heading, ReadOptions};
use crate::go::{Color, Komi, PerColor, Position, Rules};

/// Remarks on a file that are told.
const MOST_REMARKS: usize = 10;

/// Reads a record, which may leave rules and komi open, and the position at its end.
pub fn read(file: &Path, rules: &Rules, komi: Komi) -> Result<(Heading, Position)> {
    let options = ReadOptions {
        rules: *rules,
        komi,
        before_move: None,
    };
    let cannot = || format!("cannot load {}", file.display());
    let reading = files::read_regular(file, files::TEXT_LIMIT)
        .and_then(|bytes| sgf::read(&bytes, &options))
        .with_context(cannot)?;
    let position = reading.record.position().with_context(cannot)?;
    for remark in reading.remarks.iter().take(MOST_REMARKS) {
        tell(format_args!("{}: {remark}", file.display()));
    }
    let heading = Heading {
        loaded: Some(reading.record),
        info: reading.info,
        ..Heading::default()
    };
    Ok((heading, position))
}

/// Of a new game; persons have no names.
pub fn heading(seats: &PerColor<Seat>, names: &PerColor<String>) -> Heading {
    let name = |color| match &seats[color] {
        Seat::Person => None,
        _ => Some(names[color].clone()),
    };
    Heading {
        names: PerColor(Color::BOTH.map(name)),
        ..Heading::default()
    }
}
