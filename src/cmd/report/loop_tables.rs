//! What a folder of self-play holds: games by generation, networks that were judged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::train::data::generations::entries;

/// A table to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it is about.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// The tables of some folders that have any.
pub fn of(runs: &[PathBuf]) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for run in runs {
        tables.extend(generations(run)?);
        tables.extend(gates(run)?);
    }
    Ok(tables)
}

/// Sums over the parts of a generation.
#[derive(Clone, Copy, Default)]
struct Sums {
    games: f64,
    labels: f64,
    moves: f64,
    black: f64,
    white: f64,
}

/// Games of self-play by generation and board size.
fn generations(run: &Path) -> Result<Option<Table>> {
    let mut sums: BTreeMap<(String, String), Sums> = BTreeMap::new();
    for file in files(&run.join("metrics"), "jsonl")? {
        let text = fs::read_to_string(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        for line in text
            .lines()
            .filter_map(|it| serde_json::from_str::<Value>(it).ok())
        {
            let text = |name: &str| line[name].as_str().map(str::to_owned);
            let Some(key) = text("generation").zip(text("size")) else {
                continue;
            };
            let number = |name: &str| line[name].as_f64().unwrap_or(0.0);
            let sums = sums.entry(key).or_default();
            sums.games += number("games");
            sums.labels += number("labels");
            sums.moves += number("moves");
            sums.black += number("black_wins");
            sums.white += number("white_wins");
        }
    }
    let head = [
        "generation",
        "board",
        "games",
        "labels",
        "moves a game",
        "won by Black",
    ];
    let row = |((generation, size), sums): ((String, String), Sums)| {
        let decided = (sums.black + sums.white).max(1.0);
        vec![
            generation,
            size,
            format!("{:.0}", sums.games),
            format!("{:.0}", sums.labels),
            format!("{:.1}", sums.moves / sums.games.max(1.0)),
            format!("{:.1} %", 100.0 * sums.black / decided),
        ]
    };
    let rows: Vec<Vec<String>> = sums.into_iter().map(row).collect();
    Ok((!rows.is_empty()).then(|| Table {
        title: format!("Self-play in {}", run.display()),
        head: head.map(str::to_owned).to_vec(),
        rows,
    }))
}

/// Verdicts about networks: the plain figures of each file of the folder `gates`.
fn gates(run: &Path) -> Result<Option<Table>> {
    let mut verdicts: Vec<(String, Value)> = Vec::new();
    for file in files(&run.join("gates"), "json")? {
        let text = fs::read(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        let value = serde_json::from_slice(&text);
        let value = value.with_context(|| format!("cannot use {}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        verdicts.push((name.into_owned(), value));
    }
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(if *is { "yes" } else { "no" }.to_owned()),
        Value::Number(number) => Some(match number.as_i64() {
            Some(whole) => whole.to_string(),
            None => format!("{:.2}", number.as_f64().unwrap_or(f64::NAN)),
        }),
        _ => None,
    };
    let mut head = Vec::new();
    for (_, verdict) in &verdicts {
        for (name, value) in verdict.as_object().into_iter().flatten() {
            if plain(value).is_some() && !head.contains(name) {
                head.push(name.clone());
            }
        }
    }
    let row = |(gate, verdict): &(String, Value)| {
        let cells = head
            .iter()
            .map(|name| plain(&verdict[name]).unwrap_or_default());
        std::iter::once(gate.clone()).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = verdicts.iter().map(row).collect();
    head.insert(0, "gate".to_owned());
    Ok((!rows.is_empty()).then(|| Table {
        title: format!("Networks judged in {}", run.display()),
        head,
        rows,
    }))
}

/// The files of a folder with such an ending; none if there is no folder.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = entries(folder)?;
    found.retain(|path| path.is_file() && path.extension().is_some_and(|it| it == ending));
    found.sort();
    Ok(found)
}
