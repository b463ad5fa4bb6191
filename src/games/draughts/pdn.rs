//! Game records in Portable Draughts Notation.

use anyhow::{Context, Result};

use super::notation;
use super::position::{DraughtsMove, DraughtsPosition};
use super::variant::{VARIANTS, Variant};
use crate::games::record::{Details, filled, first_game, move_words, tag, tags};
use crate::minimax::Position;

/// Results as players of international draughts write them, and as others do: won, drawn, lost by White.
const RESULTS: [[&str; 3]; 2] = [["2-0", "1-1", "0-2"], ["1-0", "1/2-1/2", "0-1"]];

/// The result of a game that both sides have lost.
const BOTH_LOST: &str = "0-0";

/// A record. `result` is White's point, of one.
pub fn write(
    start: &DraughtsPosition,
    moves: &[DraughtsMove],
    result: Option<f64>,
    details: &Details,
) -> String {
    let variant = start.variant();
    let [won, drawn, lost] = RESULTS[usize::from(variant.pdn_type != 20)];
    let result = match result {
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
    if variant_of(&text).is_ok_and(|read| read != variant) {
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

/// Reads the first game of a record: its variant is that of the tag GameType, by default the
/// international one, or one that only keima knows by the tag Variant. Comments, variations, annotations and results
/// are skipped.
pub fn read(text: &str) -> Result<(DraughtsPosition, Vec<DraughtsMove>)> {
    let text = first_game(text)?;
    let variant = variant_of(text)?;
    let start = match tag(text, "FEN") {
        Some(text) => notation::parse_position(variant, &text).context("the tag FEN")?,
        None => DraughtsPosition::start(variant),
    };
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in move_words(text) {
        // A number may stand before a move without a blank.
        let word = word.rsplit('.').next().unwrap_or_default();
        let is_unknown = word == "*";
        // A star after a move: it was the only one.
        let word = word.trim_end_matches(['!', '?', '+', '#', '*']);
        if is_unknown || word == BOTH_LOST || RESULTS.concat().contains(&word) {
            break;
        }
        if word.is_empty() || word.starts_with('$') {
            continue;
        }
        let mv = notation::parse_move(&position, word)
            .with_context(|| format!("move {}", moves.len() / 2 + 1))?;
        moves.push(mv);
        position.play(mv);
    }
    Ok((start, moves))
}

/// The variant of a record: that of the tag Variant where its name is known, since other programs have names of their
/// own beside the number; otherwise that of the number.
fn variant_of(record: &str) -> Result<&'static Variant> {
    let named = tag(record, "Variant").map(|name| Variant::named(Some(&name.to_lowercase())));
    let game_type = match (named, tag(record, "GameType")) {
        (Some(Ok(variant)), _) => return Ok(variant),
        (_, Some(game_type)) => game_type,
        (Some(Err(error)), None) => return Err(error),
        (None, None) => return Variant::named(None),
    };
    let number = game_type.split(',').next().unwrap_or_default().trim();
    let found = VARIANTS
        .iter()
        .find(|variant| variant.pdn_type.to_string() == number);
    found.with_context(|| {
        format!("the tag GameType \"{game_type}\" names a variant that is not known")
    })
}
