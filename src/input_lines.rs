//! Lines that come in, of bounded length.

use std::io::{self, BufRead, Read};

use anyhow::{Result, bail};

/// Longest line in bytes: a game of many thousand moves.
const LONGEST: u64 = 16 << 20;

/// A line without its end and blanks around it.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// Bytes that are not UTF-8 are replaced.
    Text(String),
    /// It was skipped.
    TooLong,
}

impl Line {
    /// The text; an error for a line that was skipped.
    pub fn text(self) -> Result<String> {
        match self {
            Line::Text(text) => Ok(text),
            Line::TooLong => bail!("the line is too long"),
        }
    }
}

/// The next line; none at the end of the input. A last line without an end counts.
pub fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    if input.take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    let text = String::from_utf8_lossy(&bytes);
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
    Ok(Some(Line::Text(text.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_lines_are_skipped_and_others_trimmed() {
        let long = "x".repeat(LONGEST as usize + 5);
        let text = format!("\u{feff} a\r\n\n{long}\nb");
        let mut input = io::BufReader::new(text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            lines.push(line);
        }
        let text = |text: &str| Line::Text(text.to_owned());
        assert_eq!(lines, [text("a"), text(""), Line::TooLong, text("b")]);
    }
}
