//! Game records: the file that a game goes on from, and the one that it is written to.

use std::path::Path;

use anyhow::{Context, Result};

use super::engines::Seat;
use crate::console::tell;
use crate::files;
use crate::formats::date;
use crate::formats::sgf::{self, Heading, ReadOptions, SideLine};
use crate::go::{Color, Komi, PerColor, Position, Rules};

/// Remarks on a file that are told.
const MOST_REMARKS: usize = 10;

/// A record that was read.
pub struct Loaded {
    /// What it holds besides the moves.
    pub heading: Heading,
    /// Its variations.
    pub lines: Vec<SideLine>,
    /// At its end.
    pub position: Position,
    /// Whether all of the file is in it.
    pub is_whole: bool,
}

/// Reads a record, which may leave rules and komi open.
pub fn read(file: &Path, rules: &Rules, komi: Komi) -> Result<Loaded> {
    let options = ReadOptions {
        rules: *rules,
        komi,
        before_move: None,
    };
    let cannot = || format!("cannot load {}", file.display());
    let (reading, beside) = files::read_regular(file, files::TEXT_LIMIT)
        .and_then(|bytes| sgf::read_with_variations(&bytes, &options))
        .with_context(cannot)?;
    let position = reading.record.position().with_context(cannot)?;
    for remark in reading.remarks.iter().take(MOST_REMARKS) {
        tell(format_args!("{}: {remark}", file.display()));
    }
    Ok(Loaded {
        heading: Heading {
            loaded: Some(reading.record),
            info: reading.info,
            properties: beside.properties,
            ..Heading::default()
        },
        lines: beside.lines,
        position,
        is_whole: reading.is_whole,
    })
}

/// The variations of a record that still fit: those that leave moves which are as they were, or begin beside one that
/// is.
pub fn still_fitting(heading: &Heading, lines: &[SideLine], position: &Position) -> Vec<SideLine> {
    let last = position.turn().saturating_sub(1);
    let most = heading.moves_in_common(position).min(last);
    let fitting = lines.iter().filter(|line| line.turn <= most);
    fitting.cloned().collect()
}

/// Of a new game, which begins today; persons have no names.
pub fn heading(seats: &PerColor<Seat>, names: &PerColor<String>) -> Heading {
    let name = |color| match &seats[color] {
        Seat::Person => None,
        _ => Some(names[color].clone()),
    };
    Heading {
        names: PerColor(Color::BOTH.map(name)),
        date: Some(date::today('-')),
        ..Heading::default()
    }
}
