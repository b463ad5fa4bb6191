//! Game records in Portable Game Notation.

use anyhow::{Context, Result};
use cozy_chess::{Color, Move};

use super::position::ChessPosition;
use super::{fen, notation};
use crate::games::record::{Details, filled, first_game, move_words, tag, tags};
use crate::minimax::Position;

/// A record with the seven tags that every record has. `result` is White's point.
pub fn write(
    start: &ChessPosition,
    moves: &[Move],
    result: Option<f64>,
    details: &Details,
) -> String {
    let result = match result {
        Some(1.0) => "1-0",
        Some(0.0) => "0-1",
        Some(_) => "1/2-1/2",
        None => "*",
    };
    let mut text = tags(result, details);
    if start.is_960() {
        text += "[Variant \"Chess960\"]\n";
    }
    if *start != ChessPosition::start() {
        text += &format!(
            "[SetUp \"1\"]\n[FEN \"{}\"]\n",
            fen::text(start, start.is_960())
        );
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
        words.extend(details.comment(index));
        position.play(mv);
    }
    words.push(result.to_string());
    text += &filled(&words);
    text
}

/// Reads the first game of a record. Comments, variations, annotations, `e.p.` and results are skipped.
pub fn read(text: &str) -> Result<(ChessPosition, Vec<Move>)> {
    let text = first_game(text)?;
    let start = match tag(text, "FEN") {
        Some(text) => fen::parse(&text).context("the tag FEN")?,
        None => ChessPosition::start(),
    };
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in move_words(text) {
        if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
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
        let mv = word.trim_end_matches(['!', '?', '+', '#']);
        let mv = mv.strip_suffix("e.p.").unwrap_or(mv);
        if mv.is_empty() || mv.starts_with('$') {
            continue;
        }
        let mv = notation::parse_any(&position, mv)
            .with_context(|| format!("move {}", moves.len() / 2 + 1))?;
        moves.push(mv);
        position.play(mv);
    }
    Ok((start, moves))
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
        let text = write(&start, &moves, Some(0.0), &Details::default());
        assert!(text.ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n"), "{text}");
        assert_eq!(read(&text).unwrap(), (start, moves));
    }

    #[test]
    fn records_may_begin_anywhere() {
        let start = fen::parse("4k2r/8/8/8/8/8/8/4K3 b k - 0 20").unwrap();
        let castling = notation::parse_any(&start, "O-O").unwrap();
        let text = write(&start, &[castling], None, &Details::default());
        assert!(text.contains("20... O-O *"), "{text}");
        assert_eq!(read(&text).unwrap(), (start.clone(), vec![castling]));
        assert_eq!(read(&text.replace("O-O", "0-0")).unwrap().1, [castling]);
    }

    #[test]
    fn signs_may_stand_apart_from_moves() {
        let bare = read("1. e4 a6 2. e5 d5 3. exd6 Nf6 *").unwrap();
        for text in [
            "1. e4 ! a6 2. e5 !? d5 3. exd6 e.p. Nf6 *",
            "1.e4! a6 ?! 2.e5 d5?? 3.exd6e.p.! ! $1 Nf6 + *",
        ] {
            assert_eq!(read(text).unwrap(), bare, "{text}");
        }
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
