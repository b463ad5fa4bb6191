//! Game records in Portable Game Notation.

use anyhow::{Context, Result};
use cozy_chess::{Color, Move};

use super::position::ChessPosition;
use super::{fen, notation};
use crate::minimax::Position;

/// Longest line of moves, in characters.
const LINE: usize = 79;

/// A record with the seven tags that every record has. `result` is White's point.
pub fn write(start: &ChessPosition, moves: &[Move], result: Option<f64>) -> String {
    let result = match result {
        Some(1.0) => "1-0",
        Some(0.0) => "0-1",
        Some(_) => "1/2-1/2",
        None => "*",
    };
    let mut text = String::new();
    let tags = ["Event", "Site", "Date", "Round", "White", "Black"];
    for tag in tags {
        let value = if tag == "Date" { "????.??.??" } else { "?" };
        text += &format!("[{tag} \"{value}\"]\n");
    }
    text += &format!("[Result \"{result}\"]\n");
    if *start != ChessPosition::start() {
        text += &format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", fen::text(start, false));
    }
    text.push('\n');
    let mut words = Vec::new();
    let mut position = start.clone();
    for (index, &mv) in moves.iter().enumerate() {
        let number = position.board.fullmove_number();
        match position.board.side_to_move() {
            Color::White => words.push(format!("{number}.")),
            Color::Black if index == 0 => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(notation::algebraic(&position, mv));
        position.play(mv);
    }
    words.push(result.to_string());
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.len() > LINE {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += word.len();
        text += &word;
    }
    text.push('\n');
    text
}

/// Reads the first game of a record. Comments, variations, annotations and results are skipped.
pub fn read(text: &str) -> Result<(ChessPosition, Vec<Move>)> {
    let start = match tag(text, "FEN") {
        Some(text) => fen::parse(text).context("the tag FEN")?,
        None => ChessPosition::start(),
    };
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in move_words(text) {
        if matches!(word.as_str(), "1-0" | "0-1" | "1/2-1/2" | "*") {
            break;
        }
        // Numbers may stand before a move without a blank.
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_castling = word.starts_with("-0");
        let word = if is_castling {
            format!("0{word}")
        } else {
            word.to_string()
        };
        if word.is_empty() || word.starts_with('$') {
            continue;
        }
        let mv = notation::parse_any(&position, &word)
            .with_context(|| format!("move {}", moves.len() / 2 + 1))?;
        moves.push(mv);
        position.play(mv);
    }
    Ok((start, moves))
}

/// The value of a tag.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let tag = line.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (its_name, value) = tag.split_once(' ')?;
        let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
        (its_name == name).then_some(value)
    })
}

/// The words of the first game's moves, outside tags, comments and variations.
fn move_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut comment, mut depth, mut has_moves) = (None, 0, false);
    for line in text.lines() {
        if comment.is_none() && (line.starts_with('[') || line.starts_with('%')) {
            if has_moves && line.starts_with('[') {
                break;
            }
            continue;
        }
        for letter in line.chars().chain(['\n']) {
            match (comment, letter) {
                (Some(end), _) if end == letter => comment = None,
                (Some(_), _) => {}
                (None, '{') => comment = Some('}'),
                (None, ';') => comment = Some('\n'),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ if depth > 0 => {}
                _ if letter.is_whitespace() => words.push(String::new()),
                _ => {
                    has_moves = true;
                    if let Some(word) = words.last_mut() {
                        word.push(letter);
                    }
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Event \"?\"]\n[Result \"0-1\"]\n\n1. f3 {weak; (very)} e5 $6 (1... d5\n\
        2. g4) 2.g4?! ; the end\nQh4# 0-1\n\n[Event \"another\"]\n\n1. e4 *\n";

    #[test]
    fn comments_and_variations_are_skipped() {
        let (start, moves) = read(GAME).unwrap();
        assert_eq!(start, ChessPosition::start());
        assert_eq!(moves.len(), 4);
        let text = write(&start, &moves, Some(0.0));
        assert!(text.ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n"), "{text}");
        assert_eq!(read(&text).unwrap(), (start, moves));
    }

    #[test]
    fn records_may_begin_anywhere() {
        let start = fen::parse("4k2r/8/8/8/8/8/8/4K3 b k - 0 20").unwrap();
        let castling = notation::parse_any(&start, "O-O").unwrap();
        let text = write(&start, &[castling], None);
        assert!(text.contains("20... O-O *"), "{text}");
        assert_eq!(read(&text).unwrap(), (start.clone(), vec![castling]));
        assert_eq!(read(&text.replace("O-O", "0-0")).unwrap().1, [castling]);
    }

    #[test]
    fn illegal_move_is_named_with_its_number() {
        let error = format!("{:#}", read("1. e4 e5 2. Ke3").unwrap_err());
        assert!(error.contains("move 2") && error.contains("Ke3"), "{error}");
        let error = format!("{:#}", read("[FEN \"8/8\"]\n\n*").unwrap_err());
        assert!(
            error.contains("FEN") && error.contains("2 ranks"),
            "{error}"
        );
    }
}
