//! Game records as SGF (GM\[4\]): the main line of the first game.

use anyhow::{Context, Result, bail, ensure};

use super::board::Point;
use super::notation::{point_at, xy};
use super::position::GomokuPosition;
use super::rule::{Color, Rule, Variant};
use crate::games::record::{Details, Heading};

/// The tag of the date, which has points where SGF has hyphens.
const DATE: &str = "Date";

/// A day with other marks between year, month and day; other texts are left as they are.
fn separated(date: &str, from: char, to: char) -> String {
    let is_mark = |&place: &usize| date[place..].starts_with(from);
    let is_day = date.len() == 10 && date.is_ascii() && [4, 7].iter().all(is_mark);
    match is_day {
        true => date.replace(from, &to.to_string()),
        false => date.to_owned(),
    }
}

/// A record. `result` is White's point, of one.
pub fn write(
    start: &GomokuPosition,
    moves: &[Point],
    result: Option<f64>,
    details: &Details,
) -> String {
    let variant = start.variant();
    let mut text = "(;FF[4]GM[4]CA[UTF-8]AP[keima]".to_owned();
    text += &match variant.width == variant.height {
        true => format!("SZ[{}]", variant.width),
        false => format!("SZ[{}:{}]", variant.width, variant.height),
    };
    text += &format!("RU[{}]", variant.rule.name());
    let result = match result {
        Some(0.0) => "B+",
        Some(1.0) => "W+",
        Some(_) => "0",
        None => "?",
    };
    let date = details.more.iter().find(|(name, _)| name == DATE);
    let date = date.map_or(String::new(), |(_, date)| separated(date, '.', '-'));
    for (name, value) in [
        ("PB", details.black.as_str()),
        ("PW", &details.white),
        ("DT", &date),
        ("RE", result),
    ] {
        if !value.is_empty() {
            text += &format!("{name}[{}]", escaped(value));
        }
    }
    let board = start.board();
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let stones: Vec<Point> = board
            .points()
            .filter(|&point| board.at(point) == Some(color))
            .collect();
        if !stones.is_empty() {
            text += name;
            text.extend(
                stones
                    .iter()
                    .map(|&point| format!("[{}]", letters(variant, point))),
            );
        }
    }
    let mut color = start.color();
    for (index, &mv) in moves.iter().enumerate() {
        let letter = if color == Color::Black { 'B' } else { 'W' };
        text += &format!("\n;{letter}[{}]", letters(variant, mv));
        if let Some(comment) = details
            .comments
            .get(index)
            .filter(|comment| !comment.is_empty())
        {
            text += &format!("C[{}]", escaped(comment));
        }
        color = color.other();
    }
    text + ")\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace(']', "\\]")
        .replace('\n', " ")
}

/// A point: two letters, from the upper left.
fn letters(variant: Variant, point: Point) -> String {
    let (x, y) = xy(variant, point);
    let letter = |number: usize| (b'a' + number as u8) as char;
    [letter(x), letter(variant.height - 1 - y)].iter().collect()
}

/// A property with its values.
type Property = (String, Vec<String>);

/// The properties of the main line, and the text after it.
fn properties(text: &str) -> (Vec<Property>, &str) {
    let mut found: Vec<Property> = Vec::new();
    let mut name = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // The end of the main line.
            ')' => break,
            '[' => {
                let value = value(&mut letters);
                match (name.is_empty(), found.last_mut()) {
                    (true, Some((_, values))) => values.push(value),
                    _ => found.push((std::mem::take(&mut name), vec![value])),
                }
            }
            letter if letter.is_ascii_uppercase() => name.push(letter),
            ';' | '(' => name.clear(),
            _ => {}
        }
    }
    (found, letters.as_str())
}

/// A value up to its bracket.
fn value(letters: &mut std::str::Chars) -> String {
    let mut value = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            ']' => break,
            '\\' => value.extend(letters.next()),
            letter => value.push(letter),
        }
    }
    value
}

/// Reads a record: the position it begins with, and the moves, which are on the board and in turn but not checked
/// otherwise.
pub fn read(text: &str) -> Result<(GomokuPosition, Vec<Point>)> {
    let (properties, _) = properties(text);
    let get = |name: &str| {
        let found = properties.iter().find(|(its, _)| its == name);
        found
            .and_then(|(_, values)| values.first())
            .map(|value| value.trim())
    };
    let game = get("GM").unwrap_or("1");
    ensure!(
        game == "4",
        "the record has GM[{game}]; five in a row is GM[4]"
    );
    let rule = match get("RU").unwrap_or_default() {
        "" => Rule::Freestyle,
        name => Rule::named(name)?,
    };
    let size = get("SZ").unwrap_or("15");
    let (width, height) = size.split_once(':').unwrap_or((size, size));
    let (Ok(width), Ok(height)) = (width.parse(), height.parse()) else {
        bail!("SZ[{size}] is no size of a board");
    };
    let variant = Variant::new(rule, width, height)?;
    let (mut stones, mut moves) = (Vec::new(), Vec::new());
    for (name, values) in &properties {
        let color = match name.as_str() {
            "B" | "AB" => Color::Black,
            "W" | "AW" => Color::White,
            _ => continue,
        };
        for value in values {
            let point = point(variant, value).with_context(|| format!("{name}[{value}]"))?;
            match name.len() {
                1 => moves.push((point, color)),
                _ => stones.push((point, color)),
            }
        }
    }
    let start = GomokuPosition::with_stones(variant, &stones)?;
    let mut turn = start.color();
    for (number, &(_, color)) in moves.iter().enumerate() {
        ensure!(
            color == turn,
            "move {} is {color}'s, and it is {turn}'s turn",
            number + 1
        );
        turn = turn.other();
    }
    Ok((start, moves.into_iter().map(|(point, _)| point).collect()))
}

/// The players, the date, the result and the comments on the moves of the main line.
pub fn heading(text: &str) -> Heading {
    let (properties, rest) = properties(text);
    let mut heading = Heading::default();
    let details = &mut heading.details;
    let mut has_more = rest.contains('(');
    for (name, values) in properties {
        let value = values.concat();
        match name.as_str() {
            "PB" => details.black = value,
            "PW" => details.white = value,
            "DT" => details
                .more
                .push((DATE.to_owned(), separated(&value, '-', '.'))),
            "RE" => heading.result = result(&value),
            "B" | "W" => details
                .comments
                .extend(values.iter().map(|_| String::new())),
            "C" => match details.comments.last_mut() {
                Some(comment) if !value.contains('\n') => *comment = value,
                _ => has_more = true,
            },
            "FF" | "GM" | "CA" | "AP" | "SZ" | "RU" | "AB" | "AW" => {}
            _ => has_more = true,
        }
    }
    heading.lost = has_more.then_some("variations, other properties or more games");
    heading
}

/// A result as White's point.
fn result(text: &str) -> Option<f64> {
    match text.trim().bytes().next()? {
        b'B' => Some(0.0),
        b'W' => Some(1.0),
        b'0' | b'D' => Some(0.5),
        _ => None,
    }
}

/// The games of a collection.
pub fn games(text: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let (mut begin, mut depth) = (0, 0_usize);
    let (mut is_value, mut is_escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_value => is_escaped = true,
            ']' => is_value = false,
            _ if is_value => {}
            '[' => is_value = true,
            '(' => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    games.push(&text[begin..=at]);
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        games.push(&text[begin..]);
    }
    games
}

fn point(variant: Variant, text: &str) -> Result<Point> {
    let numbers: Vec<usize> = text
        .bytes()
        .filter(u8::is_ascii_lowercase)
        .map(|letter| usize::from(letter - b'a'))
        .collect();
    let [x, y] = numbers[..] else {
        bail!("a point is two letters");
    };
    let row = variant.height.checked_sub(y + 1);
    let point = row.and_then(|row| point_at(variant, x, row));
    point.context("the point is beyond the board")
}
