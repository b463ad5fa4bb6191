//! Parsing of single properties: board size, moves, setup.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::go::{BoardSize, Color, Move, Point};

use super::info::Source;
use super::scan::{Node, Property};

/// The properties of the nodes up to the first that changes the board, with node numbers.
pub(super) fn header(nodes: &[Node]) -> impl Iterator<Item = (usize, &Property)> {
    let is_on_board = |node: &Node| {
        let mut names = node.iter().map(|property| property.name.as_str());
        names.any(|name| matches!(name, "B" | "W" | "AB" | "AW" | "AE"))
    };
    let last = nodes.iter().position(is_on_board);
    let header = nodes.iter().take(last.map_or(nodes.len(), |last| last + 1));
    let numbered = (1..).zip(header);
    numbered.flat_map(|(number, node)| node.iter().map(move |property| (number, property)))
}

/// `GM` must be Go, the default.
pub(super) fn check_game(property: &Property) -> Result<()> {
    let number: Result<i64, _> = property.values[0].trim().parse();
    ensure!(
        number.is_err() || number == Ok(1),
        "not a game of Go: GM[{}]",
        property.values[0]
    );
    Ok(())
}

/// The board size of a text, if any, and whether it is in standard form; an error if it is not a
/// number or out of range.
pub(super) fn size(text: &str) -> Result<Option<(BoardSize, bool)>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let is_between = |c: char| !c.is_ascii_digit();
    let numbers = text.split(is_between).filter(|number| !number.is_empty());
    let sides: Vec<usize> = numbers.map(|f| f.parse().unwrap_or(usize::MAX)).collect();
    let between: String = text.matches(is_between).collect();
    let (width, height) = match (&sides[..], between.contains(['-', '.', ','])) {
        (&[side], false) => (side, side),
        (&[width, height], false) => (width, height),
        _ => bail!("SZ[{text}] is no board size"),
    };
    let is_usual = matches!(between.trim(), "" | ":");
    let size = BoardSize::new(width, height);
    let size = size.with_context(|| format!("boards of {width}x{height} are not supported"))?;
    Ok(Some((size, is_usual)))
}

/// The writer of the file: all `AP` properties count, as servers add their own.
pub(super) fn source(nodes: &[Node]) -> Source {
    let applications = header(nodes).filter(|(_, property)| property.name == "AP");
    let names = applications.flat_map(|(_, property)| &property.values);
    let sources = names.map(|name| Source::of_application(name));
    let by_weight = |source: &Source| match source {
        Source::Other => 0,
        Source::Keima => 1,
        Source::Fox => 2,
    };
    sources.max_by_key(by_weight).unwrap_or(Source::Other)
}

/// The move of a property, if it is one.
pub(super) fn parse_move(property: &Property, size: BoardSize) -> Result<Option<(Color, Move)>> {
    let color = match property.name.as_str() {
        "B" => Color::Black,
        "W" => Color::White,
        _ => return Ok(None),
    };
    let text = property.values.join("][");
    let trimmed = text.trim();
    let has_tt = size.width() > 19 || size.height() > 19;
    if trimmed.is_empty() || is_pass_in_words(trimmed) || trimmed == "tt" && !has_tt {
        return Ok(Some((color, Move::Pass)));
    }
    let stated = coordinates(trimmed);
    let (column, row) = stated.with_context(|| format!("{}[{text}] is no move", property.name))?;
    Ok(Some((color, Move::Play(point(column, row, size)?))))
}

/// Not standard, but unambiguous.
pub(super) fn is_pass_in_words(value: &str) -> bool {
    value.trim().eq_ignore_ascii_case("pass")
}

/// Column from the left and row from the top, from 0.
fn coordinates(text: &str) -> Option<(usize, usize)> {
    let line = |byte: u8| match byte {
        b'a'..=b'z' => Some(usize::from(byte - b'a')),
        b'A'..=b'Z' => Some(usize::from(byte - b'A') + 26),
        _ => None,
    };
    match text.as_bytes() {
        &[column, row] => Some((line(column)?, line(row)?)),
        _ => None,
    }
}

fn point(column: usize, from_top: usize, size: BoardSize) -> Result<Point> {
    ensure!(
        column < size.width() && from_top < size.height(),
        "column {} of row {} from the top is not on a board of {size}",
        column + 1,
        from_top + 1
    );
    Ok(Point::new(column, size.height() - 1 - from_top))
}

/// The setup of a node.
#[derive(Default)]
pub(super) struct SetUp {
    /// Points with their new contents.
    pub(super) points: BTreeMap<Point, Option<Color>>,
    /// Color to move.
    pub(super) turn: Option<Color>,
    /// A `PL` value that is not a color.
    pub(super) unknown_turn: Option<String>,
}

/// The set-up of a node; empty if it has none. An error if it gives a point several contents.
pub(super) fn set_up(node: &[Property], size: BoardSize) -> Result<SetUp> {
    let mut all = SetUp::default();
    for (name, content) in [
        ("AB", Some(Color::Black)),
        ("AW", Some(Color::White)),
        ("AE", None),
    ] {
        let lists = node.iter().filter(|property| property.name == name);
        for point in points(&lists.collect::<Vec<_>>(), size)? {
            let earlier = all.points.insert(point, content);
            ensure!(earlier.is_none(), "{point} is set up twice");
        }
    }
    for property in node.iter().filter(|property| property.name == "PL") {
        let text = property.values.concat();
        match text.trim().parse() {
            Ok(color) => all.turn = Some(color),
            Err(_) if text.trim().is_empty() => {}
            Err(_) => all.unknown_turn = Some(text),
        }
    }
    Ok(all)
}

/// The points that a node marks with a cross, square, triangle, circle or as selected.
pub(super) fn marks(node: &[Property], size: BoardSize) -> impl Iterator<Item = Point> {
    let is_mark =
        |property: &&Property| matches!(property.name.as_str(), "MA" | "SQ" | "TR" | "CR" | "SL");
    let lists = node.iter().filter(is_mark);
    let readable = lists.filter_map(move |property| points(&[property], size).ok());
    readable.flatten()
}

/// The points of lists, without duplicates, including rectangles given by any two opposite
/// corners. The time per entry does not depend on the size or overlap of rectangles.
fn points(lists: &[&Property], size: BoardSize) -> Result<Vec<Point>> {
    let mut covered = Vec::new();
    if lists.is_empty() {
        return Ok(covered);
    }
    let (width, height) = (size.width(), size.height());
    // Two-dimensional prefix sums of these give the number of rectangles that cover a point.
    let mut changes = vec![0i64; (width + 1) * (height + 1)];
    for list in lists {
        for value in &list.values {
            let text = value.trim();
            if text.is_empty() {
                continue;
            }
            let (first, last) = text.split_once(':').unwrap_or((text, text));
            let corners = coordinates(first.trim()).zip(coordinates(last.trim()));
            let ((column, row), (other_column, other_row)) =
                corners.with_context(|| format!("{}[{value}]: no points", list.name))?;
            point(column, row, size)?;
            point(other_column, other_row, size)?;
            let (left, right) = (column.min(other_column), column.max(other_column) + 1);
            let (top, bottom) = (row.min(other_row), row.max(other_row) + 1);
            for (column, row, change) in [
                (left, top, 1),
                (right, top, -1),
                (left, bottom, -1),
                (right, bottom, 1),
            ] {
                changes[row * (width + 1) + column] += change;
            }
        }
    }
    let mut above = vec![0; width];
    for row in 0..height {
        let mut in_row = 0;
        for column in 0..width {
            in_row += changes[row * (width + 1) + column];
            above[column] += in_row;
            if above[column] > 0 {
                covered.push(Point::new(column, height - 1 - row));
            }
        }
    }
    Ok(covered)
}

/// The text of a property on one line; none if empty.
pub(super) fn simple(property: &Property) -> Option<String> {
    let text = property.values.join(" ").replace('\n', " ");
    (!text.is_empty()).then_some(text)
}

/// The comment of a property, unless it is empty.
pub(super) fn comment(property: &Property) -> Option<String> {
    let text = property.values.join("\n");
    (property.name == "C" && !text.is_empty()).then_some(text)
}
