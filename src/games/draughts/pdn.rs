//! Game records in Portable Draughts Notation.

use anyhow::{Context, Result};

use super::notation;
use super::position::{DraughtsMove, DraughtsPosition};
use super::variant::{VARIANTS, Variant};
use crate::games::record::{Details, Heading, filled, first_game, heading, move_words, tag, tags};
use crate::minimax::Position;

/// Results as players of international draughts write them, and as others do: won, drawn, lost by the side that begins.
const RESULTS: [[&str; 3]; 2] = [["2-0", "1-1", "0-2"], ["1-0", "1/2-1/2", "0-1"]];

/// Other words that end a game: both sides have lost; a draw in short.
const OTHER_ENDS: [&str; 2] = ["0-0", "1/2"];

/// A record. `result` is White's point, of one.
pub fn write(
    start: &DraughtsPosition,
    moves: &[DraughtsMove],
    result: Option<f64>,
    details: &Details,
) -> String {
    let variant = start.variant();
    let [won, drawn, lost] = RESULTS[usize::from(variant.pdn_type != 20)];
    let result = match result.map(|points| turned(variant, points)) {
        Some(1.0) => won,
        Some(0.0) => lost,
        Some(_) => drawn,
        None => "*",
    };
    let mut text = tags(result, details);
    let (first, side) = (if variant.white_first { 'W' } else { 'B' }, variant.side);
    let (number, is_mirrored) = (variant.pdn_type, u8::from(variant.is_mirrored));
    // Where the side to begin sees square 1: at the lower right, or at the upper left.
    let corner = match variant.numbered_from_white == variant.white_first {
        true => 1,
        false => 2,
    };
    text += &format!("[GameType \"{number},{first},{side},{side},N{corner},{is_mirrored}\"]\n");
    if variant_of(variant, &text).is_ok_and(|read| read != variant) {
        text += &format!("[Variant \"{}\"]\n", variant.name);
    }
    if *start != DraughtsPosition::start(variant) {
        text += &format!("[FEN \"{}\"]\n", notation::position_text(start));
    }
    text.push('\n');
    let mut words = Vec::new();
    let mut position = start.clone();
    let starts_late = start.white_moves() != variant.white_first;
    for (index, &mv) in moves.iter().enumerate() {
        let ply = index + usize::from(starts_late);
        match (ply % 2, index) {
            (0, _) => words.push(format!("{}.", ply / 2 + 1)),
            (_, 0) => words.push(format!("{}...", ply / 2 + 1)),
            _ => {}
        }
        words.push(notation::move_text(&position, mv));
        words.extend(details.comment(index));
        position.play(mv);
    }
    words.push(result.to_owned());
    text + &filled(&words)
}

/// Reads the first game of a record: its variant is that of the tag GameType, or one that only keima knows by the tag
/// Variant; without these tags it is `default`. Comments, variations, annotations and results are skipped.
pub fn read(
    default: &'static Variant,
    text: &str,
) -> Result<(DraughtsPosition, Vec<DraughtsMove>)> {
    let text = first_game(text)?;
    let variant = variant_of(default, text)?;
    let start = match tag(text, "FEN") {
        Some(text) => notation::parse_position(variant, &text).context("the tag FEN")?,
        None => DraughtsPosition::start(variant),
    };
    let mut position = start.clone();
    let mut moves = Vec::new();
    // Other systems count otherwise, as in 4-6.
    let result = tag(text, "Result");
    for word in whole_words(text) {
        // A number may stand before a move without a blank.
        let word = word.rsplit('.').next().unwrap_or_default();
        let is_unknown = word == "*";
        // A star after a move: it was the only one.
        let word = word.trim_end_matches(['!', '?', '+', '#', '*']);
        let is_known = OTHER_ENDS.contains(&word) || RESULTS.concat().contains(&word);
        if is_unknown || is_known || result.as_deref() == Some(word) {
            break;
        }
        if word.is_empty() || word.starts_with('$') {
            continue;
        }
        let mv = notation::parse_recorded_move(&position, word)
            .with_context(|| format!("move {}", moves.len() / 2 + 1))?;
        moves.push(mv);
        position.play(mv);
    }
    Ok((start, moves))
}

/// What else the first game of a record has; its variant is found as by [`read`].
pub fn read_heading(default: &'static Variant, text: &str) -> Heading {
    let mut heading = heading(text);
    let variant = first_game(text).and_then(|game| variant_of(default, game));
    let variant = variant.unwrap_or(default);
    heading.result = heading.result.map(|points| turned(variant, points));
    heading
}

/// The point of the side that a result names first, from White's, of one, and the other way round: it is the side that
/// begins, Black in English draughts.
fn turned(variant: &Variant, points: f64) -> f64 {
    match variant.white_first {
        true => points,
        false => 1.0 - points,
    }
}

/// The words of the moves; a number of a square may be padded with a blank, as in `1- 6`.
fn whole_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in move_words(text) {
        match words.last_mut() {
            Some(last) if last.ends_with(['-', 'x']) => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The variant of a record: that of the tag Variant where its name is known, since other programs have names of their
/// own beside the number; otherwise that of the number, or the default without one.
fn variant_of(default: &'static Variant, record: &str) -> Result<&'static Variant> {
    let named = tag(record, "Variant").map(|name| Variant::named(Some(&name.to_lowercase())));
    let game_type = match (named, tag(record, "GameType")) {
        (Some(Ok(variant)), _) => return Ok(variant),
        (_, Some(game_type)) => game_type,
        (Some(Err(error)), None) => return Err(error),
        (None, None) => return Ok(default),
    };
    let number = game_type.split(',').next().unwrap_or_default().trim();
    let found = VARIANTS
        .iter()
        .find(|variant| variant.pdn_type.to_string() == number);
    found.with_context(|| {
        format!("the tag GameType \"{game_type}\" names a variant that is not known")
    })
}
