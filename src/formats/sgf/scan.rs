//! From text to the nodes of the main line.
//!
//! The main line takes the first branch everywhere, so it is the text before the first closing
//! parenthesis; nothing here or later recurses, whatever the nesting.

mod tree;
mod value;

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use anyhow::{Context, Result, bail, ensure};

use super::remark::{Kind, Remarks};
pub(super) use tree::{Tree, tree};
use value::value;

/// Properties that must have a value: without it the board may be wrong.
const ON_BOARD: [&str; 5] = ["B", "W", "AB", "AW", "AE"];

/// A property as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// The name: upper-case letters and digits.
    pub name: String,
    /// The bracketed values, unescaped; line breaks are `\n`.
    pub values: Vec<String>,
    /// Those with other escapes than they need, such as that of a colon, with their escapes; by their places.
    pub(super) raw: BTreeMap<usize, String>,
}

/// The properties of a node.
pub(super) type Node = Vec<Property>;

/// The first game's main line.
#[derive(Debug, Default)]
pub(super) struct MainLine {
    /// Its nodes, at least one.
    pub(super) nodes: Vec<Node>,
    /// Skipped text.
    pub(super) remarks: Remarks,
    /// Number of values that seem to lack a closing bracket, as happens in a wrong encoding.
    pub(super) overruns: usize,
}

/// The first game's main line.
pub(super) fn main_line(text: &str) -> Result<MainLine> {
    ensure!(!text.trim().is_empty(), "no game found: the file is empty");
    let start = start_of_game(text).context("no game found: nothing begins with \"(;\"")?;
    let mut scanner = Scanner {
        chars: text[start..].chars().peekable(),
        line: MainLine::default(),
        depth: 0,
    };
    scanner.run()?;
    Ok(scanner.line)
}

/// The place of the first parenthesis that a node follows.
fn start_of_game(text: &str) -> Option<usize> {
    let begins = |&(at, _): &(usize, &str)| text[at + 1..].trim_start().starts_with(';');
    text.match_indices('(').find(begins).map(|(at, _)| at)
}

struct Scanner<'a> {
    chars: Peekable<Chars<'a>>,
    line: MainLine,
    /// Open parentheses.
    depth: usize,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<()> {
        let mut branch_is_empty = false;
        while let Some(&c) = self.chars.peek() {
            if c.is_alphanumeric() || c == '[' {
                ensure!(
                    !branch_is_empty,
                    "a branch begins with {c:?} instead of a node"
                );
                let number = self.line.nodes.len();
                let property = self.property();
                property.with_context(|| format!("node {number}"))?;
                continue;
            }
            self.chars.next();
            match c {
                '(' => {
                    branch_is_empty = true;
                    self.depth += 1;
                }
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    if !branch_is_empty {
                        self.look_behind_end();
                        return Ok(());
                    }
                    branch_is_empty = false;
                }
                ';' => {
                    branch_is_empty = false;
                    self.line.nodes.push(Node::new());
                }
                _ if c.is_whitespace() || c == '\0' || c == '\u{feff}' => {}
                _ => {
                    ensure!(
                        !branch_is_empty,
                        "a branch begins with {c:?} instead of a node"
                    );
                    self.remark(Kind::Stray, format!("{c:?} is no part of a property"));
                }
            }
        }
        let text = "the file ends before the game does: moves may be missing";
        self.remark(Kind::NotRead, text.to_owned());
        Ok(())
    }

    /// Reads a name with its values into the last node.
    fn property(&mut self) -> Result<()> {
        let mut written = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_alphanumeric()) {
            written.push(c);
        }
        let (mut values, mut raw) = (Vec::new(), BTreeMap::new());
        loop {
            while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
            if self.chars.next_if_eq(&'[').is_none() {
                break;
            }
            let value = value(&mut self.chars).context("a value has no end")?;
            self.line.overruns += usize::from(value.runs_over);
            raw.extend(value.raw.map(|raw| (values.len(), raw)));
            values.push(value.text);
        }
        let name = self.name(&written);
        if values.is_empty() {
            if ON_BOARD.contains(&name.as_str()) {
                bail!("{written} has no value");
            }
            self.remark(Kind::Stray, format!("{written} has no value"));
            return Ok(());
        }
        if name.is_empty() {
            let values = values.join("][");
            self.remark(Kind::Stray, format!("[{values}] has no name"));
            return Ok(());
        }
        if values.iter().any(|value| ends_in_move(value)) {
            let text = format!("{written} runs into a move: its \"]\" may be missing");
            self.remark(Kind::NotRead, text);
        }
        let node = self.line.nodes.last_mut();
        node.expect("a game begins with a node")
            .push(Property { name, values, raw });
        Ok(())
    }

    /// Lower-case letters were ignored in the first versions of the format: `AddBlack` is `AB`. A
    /// name of lower-case letters only, as in `b[dd]`, was never allowed, and is read as if in
    /// capitals.
    fn name(&mut self, written: &str) -> String {
        let counts = |c: &char| c.is_ascii_uppercase() || c.is_ascii_digit();
        let mut name: String = written.chars().filter(counts).collect();
        if !name.contains(|c: char| c.is_ascii_uppercase()) {
            name = written.to_ascii_uppercase();
        }
        let full = [("BLACK", "B"), ("WHITE", "W")];
        if let Some((_, short)) = full.into_iter().find(|(full, _)| *full == name) {
            name = short.to_owned();
        }
        let is_old = written.starts_with(|c: char| c.is_ascii_uppercase())
            && written.contains(|c: char| c.is_ascii_lowercase());
        if name != written && !is_old && ON_BOARD.contains(&name.as_str()) {
            self.remark(Kind::Name, format!("{written} taken for {name}"));
        }
        name
    }

    /// A node must not follow the end of a branch; if one does, a parenthesis may be wrong. If all
    /// are closed, another game may begin.
    fn look_behind_end(&mut self) {
        let (mut is_behind_end, mut begins_game) = (true, false);
        while let Some(c) = self.chars.next() {
            match c {
                '(' => {
                    is_behind_end = false;
                    begins_game = self.depth == 0;
                    self.depth += 1;
                }
                ')' => {
                    is_behind_end = true;
                    self.depth = self.depth.saturating_sub(1);
                }
                ';' if begins_game => {
                    let text = "the file has more games, which are not read";
                    self.remark(Kind::MoreGames, text.to_owned());
                    return;
                }
                '[' if value(&mut self.chars).is_none() => {
                    return;
                }
                ';' if is_behind_end => {
                    let text = "nodes after a closing parenthesis are not read";
                    self.remark(Kind::NotRead, text.to_owned());
                    return;
                }
                c => begins_game &= c.is_whitespace(),
            }
        }
    }

    fn remark(&mut self, kind: Kind, text: String) {
        let node = self.line.nodes.len();
        self.line.remarks.add(kind, node, text);
    }
}

/// Whether a value runs into a move, as one without closing bracket does; in a quoted game, the
/// move's closing bracket is there, too.
fn ends_in_move(value: &str) -> bool {
    let last = value.rfind(";B[").max(value.rfind(";W["));
    last.is_some_and(|at| !value[at..].contains(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes as text, values unescaped.
    fn nodes(text: &str) -> Vec<String> {
        let property = |p: &Property| format!("{}[{}]", p.name, p.values.join("]["));
        let nodes = main_line(text).unwrap().nodes;
        let node = |node: &Node| node.iter().map(property).collect();
        nodes.iter().map(node).collect()
    }

    #[test]
    fn only_the_first_branch_is_kept() {
        let text = "(;A[](;B[];C[](;D[](;E[])(;F[]))(;G[]));H[])(;I[])";
        assert_eq!(nodes(text), ["A[]", "B[]", "C[]", "D[]", "E[]"]);
        assert_eq!(nodes("()(;A[]()(;B[])(;C[]))"), ["A[]", "B[]"]);
    }

    #[test]
    fn brackets_hide_structure() {
        assert_eq!(
            nodes(r"(;C[(;)\]\\];B[aa](;W[bb]))"),
            [r"C[(;)]\]", "B[aa]", "W[bb]"]
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
    fn lower_case_letters_do_not_count_in_names() {
        let text = "(;GaMe[1]AddBlack[aa]\n[bb];Black[cc];w[dd]B [ee])";
        assert_eq!(nodes(text), ["GM[1]AB[aa][bb]", "B[cc]", "W[dd]B[ee]"]);
        assert_eq!(main_line(text).unwrap().remarks.as_slice().len(), 1);
    }

    #[test]
    fn garbage_before_and_a_missing_end_do_no_harm() {
        assert_eq!(nodes("Hello (you) ( \n;A[];B[]"), ["A[]", "B[]"]);
        assert!(main_line("(;C[never").is_err());
        assert!(main_line("(a)").is_err());
        assert!(main_line("(;A[](B[aa]))").is_err());
    }

    #[test]
    fn depth_does_not_matter() {
        let depth = 1_000_000;
        assert_eq!(nodes(&"(;A[]".repeat(depth)).len(), depth);
        assert!(main_line(&"(".repeat(depth)).is_err());
    }
}
