//! A board as text.

use cozy_chess::{Color, File, Rank, Square};

use super::fen;
use super::position::ChessPosition;
use crate::minimax::Position;

/// The board from White's side, with notation and key below.
pub fn diagram(position: &ChessPosition, is_960: bool) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text += &format!("{rank} ");
        for file in File::ALL {
            text += &format!(" {}", letter(position, Square::new(file, rank)));
        }
        text.push('\n');
    }
    text += "\n   a b c d e f g h\n\n";
    text += &format!("FEN: {}\n", fen::text(position, is_960));
    text += &format!("Key: {:016X}", position.key());
    text
}

fn letter(position: &ChessPosition, square: Square) -> char {
    let Some(piece) = position.board.piece_on(square) else {
        return '.';
    };
    let letter = char::from(piece);
    match position.board.color_on(square) {
        Some(Color::White) => letter.to_ascii_uppercase(),
        _ => letter,
    }
}
