//! Output: results on standard output, remarks on standard error. Unlike the `println` family, it
//! does not panic when the reader is gone.

use std::fmt;
use std::io::{self, Write};

use anyhow::{Context, Result};

/// Writes a line to standard output.
pub fn say(result: fmt::Arguments) -> Result<()> {
    let line = format!("{result}\n");
    let mut output = io::stdout();
    output
        .write_all(line.as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Writes to standard output what a person at a terminal answers on the same line.
pub fn ask(prompt: fmt::Arguments) -> Result<()> {
    let mut output = io::stdout();
    output
        .write_fmt(prompt)
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Writes a remark to standard error. GUIs read that too and mistake some line shapes for
/// responses, so every line begins with the program's name.
pub fn tell(remark: fmt::Arguments) {
    let text = remark.to_string();
    let lines: String = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("keima: {line}\n"))
        .collect();
    // Errors are ignored: there is no other output.
    io::stderr().write_all(lines.as_bytes()).unwrap_or_default();
}

/// Writes a line to standard error without the program's name, for programs that know its form.
pub fn tell_as_is(line: &str) {
    let line = format!("{line}\n");
    io::stderr().write_all(line.as_bytes()).unwrap_or_default();
}

/// A count with its noun, as `1 shard` and `2 shards`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
