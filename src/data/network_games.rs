//! Games that networks played while positions were labelled, as a table: more of their positions can be labelled
//! later, as of other games, which costs far less than new games.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rayon::prelude::*;

use super::line::Line;
use super::shard::{LineKind, Shard};
use super::tsv::{self, GameRow};

/// The source of all of them.
const SOURCE: &str = "network";

/// A table of the games in shards that [`GameRow`] can hold, each once, and their number.
pub fn table(shards: &[PathBuf]) -> Result<(String, usize)> {
    let games: Vec<Vec<Line>> = shards
        .par_iter()
        .map(|path| games(path))
        .collect::<Result<_>>()?;
    let mut seen = HashSet::new();
    let lines = games.iter().flatten();
    let lines = lines.filter(|line| seen.insert((line.size.area(), &line.stones, &line.moves)));
    let table = tsv::table(lines.map(|line| GameRow {
        source: SOURCE,
        line,
        rules: None,
        komi: None,
        result: None,
    }));
    Ok((table, seen.len()))
}

fn games(path: &Path) -> Result<Vec<Line>> {
    let lines = Shard::read(path)?.lines.into_iter();
    let of_networks = lines.filter(|line| line.kind == LineKind::Teacher);
    let lines = of_networks.map(|line| line.line);
    Ok(lines.filter(GameRow::fits).collect())
}
