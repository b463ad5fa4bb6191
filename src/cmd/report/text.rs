//! Summary of folders as text.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::log::Log;
use super::loop_tables::Table;
use super::page::duration;
use crate::cmd::curves::count_text;
use crate::train::nets;

/// The networks in use, training, gates and games of all folders.
pub fn text(runs: &[PathBuf], logs: &[Log], tables: &[Table]) -> Result<String> {
    let mut text = String::new();
    for run in runs {
        if let Some(line) = in_use(run)? {
            let _ = writeln!(text, "{line}");
        }
    }
    for log in logs {
        let _ = writeln!(text, "{}", training(log));
    }
    for table in tables {
        let _ = write!(text, "\n{}\n{}", table.title, aligned(table));
    }
    Ok(text)
}

fn in_use(run: &Path) -> Result<Option<String>> {
    let current = nets::current(run)?;
    Ok(current.map(|net| {
        let elo = net
            .elo
            .map_or(String::new(), |elo| format!(", Elo {elo:.0}"));
        format!("{}: {} is in use{elo}", run.display(), net.file)
    }))
}

fn training(log: &Log) -> String {
    let samples = count_text(log.samples());
    let time = duration(log.last("seconds").unwrap_or(0.0));
    let mut text = format!(
        "{}: {}, {samples} samples, {time}",
        log.name, log.manifest.settings.arch
    );
    let values = [
        ("loss", "loss/total"),
        ("validation divergence", "val/all/policy_kl"),
        ("validation lead error", "val/all/lead_error"),
    ];
    for (name, metric) in values {
        if let Some(value) = log.last(metric) {
            let _ = write!(text, ", {name} {value:.3}");
        }
    }
    text
}

/// The table with aligned columns, the first to the left and all others to the right.
fn aligned(table: &Table) -> String {
    let rows = || std::iter::once(&table.head).chain(&table.rows);
    let width = |column: usize| {
        let cells = rows().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let mut text = String::new();
    for row in rows() {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
