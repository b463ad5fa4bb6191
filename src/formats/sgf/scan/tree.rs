//! All nodes of the first game, with their variations.

use anyhow::{Context, Result};

use super::{MainLine, Node, Scanner, start_of_game};

/// The nodes of the first game with their variations, in the order of the file.
#[derive(Debug, Default)]
pub(in crate::formats::sgf) struct Tree {
    /// At least one; none comes before its parent.
    pub(in crate::formats::sgf) nodes: Vec<Node>,
    /// The place of each node's parent; none for the first node, and where a file has further ones beside it.
    pub(in crate::formats::sgf) parents: Vec<Option<usize>>,
}

impl Tree {
    /// Number of the nodes that each come first after the one before.
    pub(in crate::formats::sgf) fn main_line_length(&self) -> usize {
        let (mut length, mut last) = (0, None);
        for (index, parent) in self.parents.iter().enumerate() {
            if *parent == last && (length == 0 || last.is_some()) {
                (length, last) = (length + 1, Some(index));
            }
        }
        length
    }
}

/// The first game with its variations. The main line goes from each node to the first that has it as its parent.
pub(in crate::formats::sgf) fn tree(text: &str) -> Result<Tree> {
    let start = start_of_game(text).context("no game found")?;
    let mut scanner = Scanner {
        chars: text[start..].chars().peekable(),
        line: MainLine::default(),
        depth: 0,
    };
    let parents = scanner.run_through()?;
    Ok(Tree {
        nodes: scanner.line.nodes,
        parents,
    })
}

impl Scanner<'_> {
    /// Reads all nodes up to the end of the game; their parents.
    fn run_through(&mut self) -> Result<Vec<Option<usize>>> {
        let (mut parents, mut branchings, mut last) = (Vec::new(), Vec::new(), None);
        while let Some(&c) = self.chars.peek() {
            if (c.is_alphanumeric() || c == '[') && last.is_some() {
                self.property()?;
                continue;
            }
            self.chars.next();
            match c {
                '(' => branchings.push(last),
                ')' => {
                    last = branchings.pop().flatten();
                    if branchings.is_empty() && !parents.is_empty() {
                        break;
                    }
                }
                ';' => {
                    parents.push(last);
                    last = Some(self.line.nodes.len());
                    self.line.nodes.push(Node::new());
                }
                _ => {}
            }
        }
        Ok(parents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_tell_the_parents_of_nodes() {
        let found = tree("x(;A[](;B[];C[])()(;D[](;E[])(;F[])));G[](;H[])").unwrap();
        let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(3)];
        assert_eq!(found.parents, parents);
        assert_eq!(found.nodes.len(), 6);
        assert!(tree("(;A[](;B[never").is_err());
        assert_eq!(tree(&"(;A[]".repeat(100_000)).unwrap().nodes.len(), 100_000);
    }
}
