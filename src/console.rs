//! Words for people: results on standard output, remarks on standard error. Neither panics when
//! its reader is gone, as the `println` family does.

use std::fmt;
use std::io::{self, Write};

use anyhow::{Context, Result};

use crate::params::renamed;

/// Writes a result, and an end of line, on standard output.
pub fn say(result: fmt::Arguments) -> Result<()> {
    let line = format!("{result}\n");
    let mut output = io::stdout();
    output
        .write_all(line.as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Writes a remark on standard error. GUIs read that too and take some line shapes for responses,
/// so every line begins with the program's name.
pub fn tell(remark: fmt::Arguments) {
    let text = remark.to_string();
    let lines: String = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("keima: {line}\n"))
        .collect();
    // If nobody listens, there is nobody to complain to either.
    io::stderr().write_all(lines.as_bytes()).unwrap_or_default();
}

/// The name that a parameter has today; if it had another once, that is told.
pub fn current_parameter(name: &str) -> &str {
    let Some(current) = renamed(name) else {
        return name;
    };
    tell_renamed(name, current);
    current
}

/// Says what something is called now that had another name in an earlier version.
pub fn tell_renamed(old: &str, current: &str) {
    tell(format_args!("{old} is called {current} now"));
}

/// A number of things, as `1 shard` and `2 shards`.
pub fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}
