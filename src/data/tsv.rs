//! Games as tables: one per line, columns separated by tabs and named by the first line.
//! [`GameRow`] writes them.

use std::collections::HashMap;
use std::fmt;

use crate::formats::rules_json;
use crate::go::{BoardSize, Color, GameResult, Komi, Move, Rules};

use super::line::{Line, MAX_AREA, MoveCode};
use super::sources::GameFacts;
use super::tally::Skip;

/// Required columns. `source`, `komi`, `handicap`, `rules`, `result`, `first`, `setup_black` and
/// `setup_white` are optional.
const NEEDED: [&str; 2] = ["size", "moves"];

/// The first line of a table of [`GameRow`]s.
const HEAD: &str = "source\tsize\tkomi\trules\tresult\tfirst\tsetup_black\tsetup_white\tmoves";

/// A table of games.
pub fn table<'a>(rows: impl IntoIterator<Item = GameRow<'a>>) -> String {
    let lines = rows.into_iter().map(|row| format!("{row}\n"));
    lines.fold(format!("{HEAD}\n"), |table, line| table + &line)
}

/// A game to be written; what is not known is left empty. Displayed as a line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow<'a> {
    pub source: &'a str,
    /// See [`GameRow::fits`].
    pub line: &'a Line,
    pub rules: Option<Rules>,
    pub komi: Option<Komi>,
    pub result: Option<GameResult>,
}

impl GameRow<'_> {
    /// Whether a row can hold this game: the board is square, with sides of at most 26, since letters name its rows,
    /// and colors alternate.
    pub fn fits(line: &Line) -> bool {
        let (width, height) = (line.size.width(), line.size.height());
        let colors = [line.first, !line.first].into_iter().cycle();
        let mut moves = line.moves.iter().zip(colors);
        width == height && width <= 26 && moves.all(|(code, color)| code.color() == color)
    }
}

impl fmt::Display for GameRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameRow { source, line, .. } = self;
        let stones = |color| {
            let stones = line.stones.iter();
            letters(line.size, stones.filter(|code| code.color() == color))
        };
        let komi = self.komi.map(|komi| komi.points().to_string());
        let rules = self.rules.map(|rules| rules_json::text(&rules));
        let result = self.result.map(|result| result.to_string());
        let fields = [
            (*source).to_owned(),
            line.size.width().to_string(),
            komi.unwrap_or_default(),
            rules.unwrap_or_default(),
            result.unwrap_or_default(),
            line.first.letter().to_string(),
            stones(Color::Black),
            stones(Color::White),
            letters(line.size, &line.moves),
        ];
        f.write_str(&fields.join("\t"))
    }
}

/// Two letters for each move, see [`codes`].
fn letters<'a>(size: BoardSize, codes: impl IntoIterator<Item = &'a MoveCode>) -> String {
    let letter = |place: usize| char::from(b'a' + place as u8);
    let text = |code: &MoveCode| match code.index() {
        index if index == size.area() => ['-', '-'],
        index => [letter(index % size.width()), letter(index / size.width())],
    };
    codes.into_iter().flat_map(text).collect()
}

/// Column numbers.
pub(super) struct Columns {
    places: HashMap<String, usize>,
}

impl Columns {
    /// From the first line of a table; none if there is no column of moves.
    pub(super) fn of(head: &str) -> Option<Columns> {
        let names = head.trim_start_matches(['\u{feff}', '#']).split('\t');
        let places: HashMap<String, usize> = names
            .enumerate()
            .map(|(place, name)| (name.trim().to_owned(), place))
            .collect();
        let complete = NEEDED.iter().all(|name| places.contains_key(*name));
        complete.then_some(Columns { places })
    }

    /// Parses a line; the moves are not replayed. `fallback` is the source of games without one,
    /// and `place` names the line in messages.
    pub(super) fn read(
        &self,
        line: &str,
        fallback: &str,
        place: String,
    ) -> Result<(GameFacts, Line), Skip> {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |name: &str| {
            let place = self.places.get(name)?;
            fields.get(*place).map(|field| field.trim())
        };
        let line = moves_and_start(&field).map_err(|(reason, detail)| Skip {
            reason,
            detail: format!("{place}: {detail}")
                .trim_end_matches(": ")
                .to_owned(),
        })?;
        let number = |name| field(name).and_then(|text| text.parse::<usize>().ok());
        let komi = field("komi").and_then(|text| text.parse().ok());
        let facts = GameFacts {
            source: field("source")
                .filter(|name| !name.is_empty())
                .unwrap_or(fallback)
                .to_owned(),
            place,
            komi: komi.and_then(Komi::from_points),
            rules: field("rules").and_then(|text| rules_json::parse(text).ok()),
            handicap: number("handicap").unwrap_or(0),
            result: field("result").and_then(|text| text.parse::<GameResult>().ok()),
            remark: None,
        };
        Ok((facts, line))
    }
}

/// A reason to skip a line, with details.
type Wrong = (&'static str, String);

fn moves_and_start<'a>(field: &impl Fn(&str) -> Option<&'a str>) -> Result<Line, Wrong> {
    let stated = field("size").unwrap_or_default();
    let side = stated.parse().ok();
    let size = side.and_then(|side| BoardSize::new(side, side));
    let size = size.filter(|size| size.area() <= MAX_AREA);
    let size = size.ok_or_else(|| ("board size", stated.to_owned()))?;
    let moves = field("moves").ok_or_else(|| ("incomplete line", String::new()))?;
    let first = match field("first").unwrap_or_default() {
        "W" | "w" => Color::White,
        _ => Color::Black,
    };
    let unreadable = |detail| ("unreadable moves", detail);
    let mut stones = Vec::new();
    for (name, color) in [("setup_black", Color::Black), ("setup_white", Color::White)] {
        let text = field(name).unwrap_or_default();
        stones.extend(codes(size, text, std::iter::repeat(color)).map_err(unreadable)?);
    }
    let turns = [first, !first].into_iter().cycle();
    Ok(Line {
        size,
        first,
        stones,
        moves: codes(size, moves, turns).map_err(unreadable)?,
    })
}

/// Parses two letters per move, `a` being the left column or the top row, `--` a pass.
fn codes(
    size: BoardSize,
    text: &str,
    colors: impl Iterator<Item = Color>,
) -> Result<Vec<MoveCode>, String> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err("an odd number of letters".to_owned());
    }
    let code = |(pair, color): (&[u8; 2], Color)| {
        if pair == b"--" {
            return Ok(MoveCode::new(size, color, Move::Pass));
        }
        let [x, y] = pair.map(|letter| usize::from(letter.wrapping_sub(b'a')));
        if x >= size.width() || y >= size.height() {
            return Err(format!("'{}' is no point", String::from_utf8_lossy(pair)));
        }
        let point = size.point_at(y * size.width() + x);
        Ok(MoveCode::new(size, color, Move::Play(point)))
    };
    pairs.iter().zip(colors).map(code).collect()
}
