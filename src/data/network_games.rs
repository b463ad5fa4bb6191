//! Games that networks played while positions were labelled, as a table: more of their positions can be labelled
//! later, as of other games, which costs far less than new games.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::line::Line;
use super::shard::{LineKind, Shard};
use super::tsv::{GameRow, HEAD};
use crate::files;

/// The source of all of them.
const SOURCE: &str = "network";

/// A table of the games in shards that [`GameRow`] can hold, each once, and their number.
pub fn table(shards: &[PathBuf]) -> Result<(String, usize)> {
    let games: Vec<Vec<Line>> = shards
        .par_iter()
        .map(|path| games(path))
        .collect::<Result<_>>()?;
    let mut seen = HashSet::new();
    let mut text = format!("{HEAD}\n");
    for line in games.iter().flatten() {
        if !seen.insert((line.size.area(), &line.stones, &line.moves)) {
            continue;
        }
        let row = GameRow {
            source: SOURCE,
            line,
            rules: None,
            komi: None,
            result: None,
        };
        writeln!(text, "{row}")?;
    }
    Ok((text, seen.len()))
}

fn games(path: &Path) -> Result<Vec<Line>> {
    let read = files::read_regular(path, files::TRAINING_LIMIT);
    let shard = read.and_then(|bytes| Shard::from_bytes(&bytes));
    let shard = shard.with_context(|| path.display().to_string())?;
    let lines = shard.lines.into_iter();
    let of_networks = lines.filter(|line| line.kind == LineKind::Teacher);
    let lines = of_networks.map(|line| line.line);
    Ok(lines.filter(GameRow::fits).collect())
}
