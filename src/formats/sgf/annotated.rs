//! Records with remarks on their moves: properties, comments and variations at any place.

use std::fmt::Write;

use super::other_info::Info;
use super::write::{Variation, beginning, escaped, write_move, write_setup, write_variations};
use crate::go::GameRecord;

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
/// to the positions after 1, 2, ... moves. `info` is what the record has no fields for. The game stays
/// the main line. Variations are written by recursion, so each must not be many hundred moves long.
/// Panics if a point is not on the board.
pub fn write_annotated(record: &GameRecord, info: &[Info], annotations: &[Annotation]) -> String {
    let mut text = beginning(record);
    for Info { name, value } in info {
        let _ = write!(text, "{name}[{}]", escaped(value));
    }
    write_setup(&mut text, record);
    let size = record.setup.size;
    let nothing = Annotation::default();
    let at = |moves: usize| annotations.get(moves).unwrap_or(&nothing);
    // Variations that follow when the branch of the game ends.
    let mut open = Vec::new();
    write_node(&mut text, record, 0, at(0));
    for (index, &(color, mv)) in record.moves.iter().enumerate() {
        let variations = &at(index).variations;
        text.push('\n');
        if !variations.is_empty() {
            text.push('(');
            open.push(variations);
        }
        write_move(&mut text, size, color, mv);
        write_node(&mut text, record, index + 1, at(index + 1));
    }
    write_variations(&mut text, size, &at(record.moves.len()).variations);
    while let Some(variations) = open.pop() {
        text.push(')');
        for variation in variations {
            text.push_str("\n(");
            write_variations(&mut text, size, std::slice::from_ref(variation));
            text.push(')');
        }
    }
    text.push_str(")\n");
    text
}

/// Properties and comment of a node.
fn write_node(text: &mut String, record: &GameRecord, moves: usize, annotation: &Annotation) {
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
