//! Output: results on standard output, remarks on standard error. Unlike the `println` family, it
//! does not panic when the reader is gone.

use std::fmt;
use std::io::{self, Write};

use anyhow::{Context, Error, Result};

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

/// Writes to standard output what went wrong, for a person in a dialogue that goes on.
pub fn say_error(error: &Error) -> Result<()> {
    say(format_args!("{}", harmless(&format!("{error:#}"))))
}

/// Writes a remark to standard error. GUIs read that too and mistake some line shapes for
/// responses, so every line begins with the program's name.
pub fn tell(remark: fmt::Arguments) {
    let lines: String = harmless(&remark.to_string())
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

/// A message without what would command a terminal, as text of files may: tabs become blanks, other control characters
/// but line ends are removed.
fn harmless(message: &str) -> String {
    let kept = message
        .chars()
        .filter(|&c| matches!(c, '\t' | '\n') || !c.is_control());
    kept.map(|c| if c == '\t' { ' ' } else { c }).collect()
}

/// A count with its noun, as `1 shard` and `2 shards`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_line_ends_but_no_other_controls() {
        let message = "komi \x1b[2J\u{9b}31m:\tö\r\nis\x07 no number\n";
        assert_eq!(harmless(message), "komi [2J31m: ö\nis no number\n");
    }
}
