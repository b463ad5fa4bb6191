//! Contents of a self-play folder: games by generation, gates.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cmd::curves::{COLORS, GREY, Line, Picture, Stroke};
use crate::files;

/// A table of the page.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Title.
    pub title: String,
    /// Column names.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Remarks.
    pub note: &'static str,
    /// Charts.
    pub picture: Option<Picture>,
}

/// Definition of decided games.
const DECIDED: &str = "\
Decided: one side was far ahead for some moves, and would have won had the other resigned. All games are \
played on; overturned: of those decided, how many the other side did not lose.";

/// The non-empty tables of some folders.
pub fn of(runs: &[PathBuf]) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for run in runs {
        tables.extend(gates(run)?);
        tables.extend(generations(run)?);
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
    /// Decided games, among those where it is known.
    judged: f64,
    decided: f64,
    overturned: f64,
}

/// Self-play games by generation and board size.
fn generations(run: &Path) -> Result<Option<Table>> {
    let mut sums: BTreeMap<(String, String), Sums> = BTreeMap::new();
    for file in files_with(&run.join("metrics"), "jsonl")? {
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
            if line["decided"].is_number() {
                sums.judged += number("games");
                sums.decided += number("decided");
                sums.overturned += number("overturned");
            }
        }
    }
    let head = [
        "generation",
        "board",
        "games",
        "labels",
        "moves a game",
        "won by Black",
        "decided",
        "overturned",
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
            share(sums.decided, sums.judged, 0),
            share(sums.overturned, sums.decided, 1),
        ]
    };
    let rows: Vec<Vec<String>> = sums.into_iter().map(row).collect();
    Ok((!rows.is_empty()).then(|| Table {
        title: format!("Self-play in {}", run.display()),
        head: head.map(str::to_owned).to_vec(),
        rows,
        note: DECIDED,
        picture: None,
    }))
}

/// In percent; empty if the total is 0.
fn share(part: f64, all: f64, digits: usize) -> String {
    match all > 0.0 {
        true => format!("{:.digits$} %", 100.0 * part / all),
        false => "–".to_owned(),
    }
}

/// Gate verdicts: a row for each file of the folder `gates`.
fn gates(run: &Path) -> Result<Option<Table>> {
    let mut verdicts: Vec<Value> = Vec::new();
    for file in files_with(&run.join("gates"), "json")? {
        let text = fs::read(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        let value = serde_json::from_slice(&text);
        verdicts.push(value.with_context(|| format!("cannot use {}", file.display()))?);
    }
    let head = [
        "gate",
        "candidate",
        "opponent",
        "games",
        "won, lost, drawn",
        "Elo difference (95 %)",
        "verdict",
        "reason",
    ];
    Ok((!verdicts.is_empty()).then(|| Table {
        title: format!("Gates in {}", run.display()),
        head: head.map(str::to_owned).to_vec(),
        rows: verdicts.iter().map(verdict_row).collect(),
        note: "In the picture: Elo above the run's first network, with its 95 % interval; refused networks are grey.",
        picture: Some(ladder(&verdicts)),
    }))
}

fn verdict_row(verdict: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let count = |name: &str| verdict[name].as_u64().unwrap_or(0);
    // Infinite differences are not stored.
    let elo = |name: &str| match verdict[name].as_f64() {
        Some(elo) => format!("{elo:+.0}"),
        None => "?".to_owned(),
    };
    let opponent = match &verdict["opponent"] {
        Value::Null => "rollout player".to_owned(),
        opponent => text(&opponent["name"]),
    };
    vec![
        count("gate").to_string(),
        text(&verdict["candidate"]["name"]),
        opponent,
        count("games").to_string(),
        ["wins", "losses", "draws"]
            .map(|it| count(it).to_string())
            .join(", "),
        format!("{} ({} to {})", elo("elo"), elo("elo_low"), elo("elo_high")),
        text(&verdict["verdict"]),
        text(&verdict["reason"]),
    ]
}

/// Elo of the candidates with intervals, relative to the run's first network; refused ones are
/// grey.
fn ladder(verdicts: &[Value]) -> Picture {
    let mut picture = Picture {
        title: "Elo above the first network, by gate".to_owned(),
        is_counted: true,
        ..Picture::default()
    };
    let line = |points: Vec<(f64, f64)>, color, stroke| Line {
        points,
        color,
        stroke,
        label: String::new(),
    };
    let mut path = Vec::new();
    // By the checksums of admitted networks.
    let mut known: BTreeMap<&str, f64> = BTreeMap::new();
    for verdict in verdicts {
        let is_admitted = verdict["verdict"] == "admitted";
        let color = if is_admitted { COLORS[0] } else { GREY };
        // The first network is the reference, whatever its opponent was.
        let is_first = is_admitted && path.is_empty();
        let opponent = &verdict["opponent"];
        let own_gate = || known.get(opponent["sha256"].as_str()?).copied();
        let base = opponent["elo"].as_f64().or_else(own_gate);
        let elo_of = |name: &str| Some(base? + verdict[name].as_f64()?);
        let elo = match is_first {
            true => Some(0.0),
            // A candidate that wins all games is at least this far ahead.
            false => elo_of("elo").or(elo_of("elo_low")),
        };
        let (Some(gate), Some(elo)) = (verdict["gate"].as_f64(), elo) else {
            continue;
        };
        if is_admitted {
            path.push((gate, elo));
            let digest = verdict["candidate"]["sha256"].as_str();
            known.extend(digest.map(|digest| (digest, elo)));
        }
        let ends = elo_of("elo_low")
            .zip(elo_of("elo_high"))
            .filter(|_| !is_first);
        let interval =
            ends.map(|(low, high)| line(vec![(gate, low), (gate, high)], color, Stroke::Plain));
        picture.lines.extend(interval);
        picture
            .lines
            .push(line(vec![(gate, elo)], color, Stroke::Dots));
    }
    if path.len() > 1 {
        picture
            .lines
            .insert(0, line(path, COLORS[5], Stroke::Plain));
    }
    picture
}

/// The files of a folder with this extension; none if there is no folder.
fn files_with(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = files::entries_with(folder, ending)?;
    found.retain(|path| path.is_file());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elo_goes_on_from_the_gate_of_the_opponent() {
        let admitted = |gate: u32, candidate: &str, opponent: &str, elo: f64| {
            json!({
                "gate": gate, "verdict": "admitted", "elo": elo,
                "candidate": {"sha256": candidate},
                "opponent": {"sha256": opponent, "elo": null},
            })
        };
        let picture = ladder(&[
            admitted(1, "a", "from elsewhere", 50.0),
            admitted(2, "b", "a", 40.0),
            admitted(3, "c", "from elsewhere", 30.0),
            admitted(4, "d", "b", -5.0),
        ]);
        let path = [(1.0, 0.0), (2.0, 40.0), (4.0, 35.0)];
        assert_eq!(picture.lines[0].points, path);
    }
}
