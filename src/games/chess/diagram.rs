//! A board as text.

use cozy_chess::{Color, File, Piece, Rank, Square};

use super::fen;
use super::position::ChessPosition;
use crate::minimax::Position;
use crate::search::game::Side;

/// The board, with this side at the bottom.
pub fn diagram(position: &ChessPosition, below: Side) -> String {
    let (mut ranks, mut files) = (Rank::ALL, File::ALL);
    match below {
        Side::First => ranks.reverse(),
        Side::Second => files.reverse(),
    }
    let mut text = String::new();
    for rank in ranks {
        text += &format!("{rank} ");
        for file in files {
            text += &format!(" {}", letter(position, Square::new(file, rank)));
        }
        text.push('\n');
    }
    text += "\n  ";
    for file in files {
        text += &format!(" {file}");
    }
    text
}

/// The board from White's side, with notation and key below.
pub fn diagram_with_key(position: &ChessPosition, is_960: bool) -> String {
    format!(
        "{}\n\nFEN: {}\nKey: {:016X}",
        diagram(position, Side::First),
        fen::text(position, is_960),
        position.key()
    )
}

/// The squares from White's side, each with the character of its piece.
pub fn squares(position: &ChessPosition) -> Vec<Vec<(bool, char)>> {
    let square = |rank: Rank, file: File| {
        let is_dark = (rank as usize + file as usize).is_multiple_of(2);
        (is_dark, figure(position, Square::new(file, rank)))
    };
    let ranks = Rank::ALL.into_iter().rev();
    ranks
        .map(|rank| File::ALL.map(|file| square(rank, file)).to_vec())
        .collect()
}

fn figure(position: &ChessPosition, square: Square) -> char {
    let [white, black] = match position.board.piece_on(square) {
        None => return ' ',
        Some(Piece::Pawn) => ['♙', '♟'],
        Some(Piece::Knight) => ['♘', '♞'],
        Some(Piece::Bishop) => ['♗', '♝'],
        Some(Piece::Rook) => ['♖', '♜'],
        Some(Piece::Queen) => ['♕', '♛'],
        Some(Piece::King) => ['♔', '♚'],
    };
    match position.board.color_on(square) {
        Some(Color::White) => white,
        _ => black,
    }
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
