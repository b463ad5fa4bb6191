//! From records to SGF, node by node without recursion, since games may be long.

use std::fmt::Write;

use crate::go::{BoardSize, Color, GameRecord, Move, Point};

use super::info;

/// Moves per line.
const MOVES_PER_LINE: usize = 10;

/// The record as a file in UTF-8, with a final line break. Reading it gives the same record, if its stones are in the
/// order of [`BoardSize::index`] and its lines end in `\n` (in names and the like, line breaks become blanks). Panics
/// if a point is not on the board.
pub fn write(record: &GameRecord) -> String {
    write_with_variations(record, &[])
}

/// A move after the end of a record, with what may follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Who moves.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// What is said of it; may be empty.
    pub comment: String,
    /// What follows.
    pub next: Vec<Variation>,
}

/// The record with variations after its last move. They are written by recursion, so they must not be
/// many hundred moves long.
pub fn write_with_variations(record: &GameRecord, variations: &[Variation]) -> String {
    let mut text = beginning(record);
    write_setup(&mut text, record);
    write_comment(&mut text, record, 0);
    for (index, &(color, mv)) in record.moves.iter().enumerate() {
        if index % MOVES_PER_LINE == 0 {
            text.push('\n');
        }
        write_move(&mut text, record.setup.size, color, mv);
        write_comment(&mut text, record, index + 1);
    }
    write_variations(&mut text, record.setup.size, variations);
    text.push_str(")\n");
    text
}

/// The game's beginning and what is known of it, without its stones.
pub(super) fn beginning(record: &GameRecord) -> String {
    let mut text = String::from("(;FF[4]GM[1]CA[UTF-8]");
    write_info(&mut text, record);
    text
}

/// A node with a move.
pub(super) fn write_move(text: &mut String, size: BoardSize, color: Color, mv: Move) {
    let point = move_text(size, mv);
    let _ = write!(text, ";{}[{point}]", color.letter());
}

/// Variations of one position, each in parentheses if there are several.
pub(super) fn write_variations(text: &mut String, size: BoardSize, variations: &[Variation]) {
    let is_branching = variations.len() > 1;
    for variation in variations {
        if is_branching {
            text.push_str("\n(");
        }
        write_move(text, size, variation.color, variation.mv);
        if !variation.comment.is_empty() {
            let _ = write!(text, "C[{}]", escaped(&variation.comment));
        }
        write_variations(text, size, &variation.next);
        if is_branching {
            text.push(')');
        }
    }
}

fn write_info(text: &mut String, record: &GameRecord) {
    let setup = &record.setup;
    let (width, height) = (setup.size.width(), setup.size.height());
    let size = match setup.size.is_square() {
        true => width.to_string(),
        false => format!("{width}:{height}"),
    };
    let rules = record.unknown_rules.clone();
    let rules = rules.unwrap_or_else(|| info::rules_text(&setup.rules));
    let some = |value: &Option<String>| value.clone();
    let properties = [
        (
            "AP",
            Some(concat!("keima:", env!("CARGO_PKG_VERSION")).to_owned()),
        ),
        ("SZ", Some(size)),
        ("KM", Some(setup.komi.to_string())),
        ("RU", Some(rules)),
        (
            "HA",
            (record.handicap > 0).then(|| record.handicap.to_string()),
        ),
        ("PB", some(&record.names[Color::Black])),
        ("BR", some(&record.ranks[Color::Black])),
        ("PW", some(&record.names[Color::White])),
        ("WR", some(&record.ranks[Color::White])),
        ("EV", some(&record.event)),
        ("DT", some(&record.date)),
        ("RE", record.result.map(|result| result.to_string())),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            let _ = write!(text, "{name}[{}]", escaped(&value.replace('\n', " ")));
        }
    }
}

/// Stones before the first move, and whose turn it is.
pub(super) fn write_setup(text: &mut String, record: &GameRecord) {
    let setup = &record.setup;
    for color in Color::BOTH {
        let mut stones = setup
            .stones
            .iter()
            .filter(|stone| stone.1 == color)
            .peekable();
        if stones.peek().is_some() {
            let _ = write!(text, "A{}", color.letter());
        }
        for &(point, _) in stones {
            let _ = write!(text, "[{}]", point_text(setup.size, point));
        }
    }
    let first = record.moves.first().map_or(Color::Black, |first| first.0);
    let is_plain = setup.stones.is_empty() && record.handicap == 0;
    if !is_plain || setup.to_move != first {
        let _ = write!(text, "PL[{}]", setup.to_move.letter());
    }
}

fn write_comment(text: &mut String, record: &GameRecord, moves: usize) {
    if let Some(comment) = record
        .comments
        .get(&moves)
        .filter(|comment| !comment.is_empty())
    {
        let _ = write!(text, "C[{}]", escaped(comment));
    }
}

fn move_text(size: BoardSize, mv: Move) -> String {
    mv.point()
        .map_or(String::new(), |point| point_text(size, point))
}

/// Two letters: the column from the left, the row from the top.
pub(super) fn point_text(size: BoardSize, point: Point) -> String {
    assert!(size.contains(point), "{point} is not on a board of {size}");
    let letter = |line: usize| char::from(b'a' + line as u8);
    [
        letter(point.column()),
        letter(size.height() - 1 - point.row()),
    ]
    .iter()
    .collect()
}

/// Text as a value.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
