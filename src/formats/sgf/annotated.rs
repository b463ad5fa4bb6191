//! Records with remarks on their moves: properties, comments and variations at any place.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::beside::{Beside, write_values};
use super::other_info::Info;
use super::scan::Property;
use super::write::{Variation, beginning, escaped, write_move, write_setup, write_variations};
use crate::go::GameRecord;

/// Properties of a node whose values are a list, which may go on; of others the first is kept.
const LISTS: [&str; 12] = [
    "AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW",
];

/// What is added to a position of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// Properties of the node, such as `BM` with the value `1`.
    pub properties: Vec<(&'static str, String)>,
    /// Follows the record's own comment, on a line of its own; may be empty.
    pub comment: String,
    /// Other ways to go on from here than that of the game.
    pub variations: Vec<Variation>,
}

/// The record as a file in UTF-8 with annotations, of which the first belongs to the start and the others
/// to the positions after 1, 2, ... moves. `info` is what the record has no fields for, `beside` what its file had
/// beside its moves; its variations come before those of annotations. The game stays the main line: what `beside`
/// has after the last move stands behind an empty branch. Variations of annotations are written by recursion, so each
/// must not be many hundred moves long. Panics if a point is not on the board.
pub fn write_annotated(
    record: &GameRecord,
    info: &[Info],
    annotations: &[Annotation],
    beside: &Beside,
) -> String {
    let mut text = beginning(record);
    for Info { name, value } in info {
        let _ = write!(text, "{name}[{}]", escaped(value));
    }
    write_setup(&mut text, record);
    let size = record.setup.size;
    let nothing = Annotation::default();
    let at = |moves: usize| annotations.get(moves).unwrap_or(&nothing);
    let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in &beside.lines {
        lines.entry(line.turn).or_default().push(line.text());
    }
    // Variations that follow when the branch of the game ends.
    let mut open = Vec::new();
    write_node(&mut text, record, 0, at(0), beside);
    for (index, &(color, mv)) in record.moves.iter().enumerate() {
        let mut branches = lines.remove(&index).unwrap_or_default();
        branches.extend(at(index).variations.iter().map(|variation| {
            let mut text = String::new();
            write_variations(&mut text, size, std::slice::from_ref(variation));
            text
        }));
        text.push('\n');
        if !branches.is_empty() {
            text.push('(');
            open.push(branches);
        }
        write_move(&mut text, size, color, mv);
        write_node(&mut text, record, index + 1, at(index + 1), beside);
    }
    if let Some(branches) = lines.remove(&record.moves.len()) {
        // The first branch is the game, which has ended.
        text.push_str("\n(;");
        open.push(branches);
    }
    write_variations(&mut text, size, &at(record.moves.len()).variations);
    while let Some(branches) = open.pop() {
        text.push(')');
        for branch in branches {
            let _ = write!(text, "\n({branch})");
        }
    }
    text.push_str(")\n");
    text
}

/// Properties and comment of a node, what was beside first.
fn write_node(
    text: &mut String,
    record: &GameRecord,
    moves: usize,
    annotation: &Annotation,
    beside: &Beside,
) {
    write_beside(text, moves, beside);
    for (name, value) in &annotation.properties {
        let _ = write!(text, "{name}[{}]", escaped(value));
    }
    let own = record.comments.get(&moves).map(String::as_str);
    let comments = [own.unwrap_or_default(), &annotation.comment];
    let comments: Vec<&str> = comments.into_iter().filter(|it| !it.is_empty()).collect();
    if !comments.is_empty() {
        let _ = write!(text, "C[{}]", escaped(&comments.join("\n")));
    }
}

/// What a node has of the file's other properties, each once.
fn write_beside(text: &mut String, moves: usize, beside: &Beside) {
    let from = beside.properties.partition_point(|(turn, _)| *turn < moves);
    let own = beside.properties[from..].iter();
    let own = own.take_while(|(turn, _)| *turn == moves);
    // Nodes between two moves become one, and so do their lists.
    let mut properties: Vec<Vec<&Property>> = Vec::new();
    for (_, property) in own {
        match properties.iter_mut().find(|it| it[0].name == property.name) {
            Some(list) if LISTS.contains(&property.name.as_str()) => list.push(property),
            Some(_) => {}
            None => properties.push(vec![property]),
        }
    }
    for parts in properties {
        text.push_str(&parts[0].name);
        for part in parts {
            write_values(text, part);
        }
    }
}
