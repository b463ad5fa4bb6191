//! From bytes to the nodes of the main line.
//!
//! The main line takes the first branch everywhere, so it is what stands before the first closing
//! parenthesis; nothing here or later recurses, whatever the nesting.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

use anyhow::{Context, Result, ensure};

/// The text of a file: UTF-8, or else Latin-1, which fits any bytes. A byte order mark is dropped.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// The properties of each node of the first game's main line, as text. Line breaks in values are
/// made `\n`, and escaped ones, which mean nothing, are dropped; other escapes are kept.
pub(super) fn main_line(text: &str) -> Result<Vec<String>> {
    let start = start_of_game(text).context("no game found: nothing begins with \"(;\"")?;
    let mut nodes: Vec<String> = Vec::new();
    let mut branch_is_empty = false;
    let mut chars = text[start..].chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' => branch_is_empty = true,
            ')' if !branch_is_empty => break,
            ')' => branch_is_empty = false,
            ';' => {
                branch_is_empty = false;
                nodes.push(String::new());
            }
            _ if c.is_whitespace() => nodes.last_mut().into_iter().for_each(|node| node.push(' ')),
            _ => {
                ensure!(
                    !branch_is_empty,
                    "a branch begins with {c:?} instead of a node"
                );
                let number = nodes.len();
                let node = nodes.last_mut().expect("a game begins with a node");
                node.push(c);
                if c == '[' {
                    copy_value(&mut chars, node)
                        .with_context(|| format!("node {number}: a value has no end"))?;
                }
            }
        }
    }
    Ok(nodes)
}

/// Where a parenthesis is followed by a node.
fn start_of_game(text: &str) -> Option<usize> {
    let begins = |&(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with(';');
    text.match_indices('(').find(begins).map(|(at, _)| at)
}

/// Copies the rest of a value with its closing bracket; none if there is no such bracket.
fn copy_value(chars: &mut Peekable<Chars<'_>>, node: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            ']' => {
                node.push(']');
                return Some(());
            }
            '\\' => match chars.next()? {
                c @ ('\r' | '\n') => skip_rest_of_break(c, chars),
                c => node.extend(['\\', c]),
            },
            c @ ('\r' | '\n') => {
                skip_rest_of_break(c, chars);
                node.push('\n');
            }
            c => node.push(c),
        }
    }
}

/// A line may end in two characters, in either order.
fn skip_rest_of_break(first: char, chars: &mut Peekable<Chars<'_>>) {
    let second = if first == '\r' { '\n' } else { '\r' };
    chars.next_if_eq(&second);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Vec<String> {
        main_line(text).unwrap()
    }

    #[test]
    fn only_the_first_branch_is_kept() {
        let text = "(;a(;b;c(;d(;e)(;f))(;g));h)(;i)";
        assert_eq!(nodes(text), ["a", "b", "c", "d", "e"]);
        assert_eq!(nodes("()(;a()(;b)(;c))"), ["a", "b"]);
    }

    #[test]
    fn brackets_hide_structure() {
        assert_eq!(
            nodes(r"(;C[(;)\]\\];B[aa](;W[bb]))"),
            [r"C[(;)\]\\]", "B[aa]", "W[bb]"]
        );
    }

    #[test]
    fn line_breaks_are_made_one_kind() {
        assert_eq!(
            nodes("(;C[a\r\nb\n\rc\rd\\\r\ne\\\nf])"),
            ["C[a\nb\nc\ndef]"]
        );
    }

    #[test]
    fn garbage_before_and_a_missing_end_do_no_harm() {
        assert_eq!(nodes("Hello (you) ( \n;a;b"), ["a", "b"]);
        assert!(main_line("(;C[never").is_err());
        assert!(main_line("(a)").is_err());
        assert!(main_line("(;a(B[aa]))").is_err());
    }

    #[test]
    fn depth_does_not_matter() {
        let depth = 1_000_000;
        assert_eq!(nodes(&"(;a".repeat(depth)).len(), depth);
        assert!(main_line(&"(".repeat(depth)).is_err());
    }

    #[test]
    fn bytes_that_are_not_utf8_are_latin1() {
        assert_eq!(decode(b"\xEF\xBB\xBFabc"), "abc");
        assert_eq!(decode(b"Ren\xE9"), "Ren\u{e9}");
    }
}
