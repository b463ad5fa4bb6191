//! Positions in Forsyth-Edwards notation, read leniently: clients leave out fields, keep castling
//! rights of rooks that are gone and name en passant squares behind every pawn.

use anyhow::{Context, Result, bail, ensure};
use cozy_chess::{
    BoardBuilder, BoardBuilderError, CastleRights, Color, File, Piece, Rank, Square, get_king_moves,
};

use super::position::ChessPosition;

/// Reads a position. Missing fields are those of the initial position; impossible castling rights
/// and en passant squares are dropped; counters are clamped. Castling rights may name files
/// (`HAha`, Shredder) or sides (`KQkq`, where the outermost rook is meant).
pub fn parse(text: &str) -> Result<ChessPosition> {
    let mut fields = text.split_whitespace();
    let placement = fields.next().context("the position is empty")?;
    let mut builder = BoardBuilder::empty();
    place(placement, &mut builder)?;
    builder.side_to_move = match fields.next() {
        None | Some("w" | "W") => Color::White,
        Some("b" | "B") => Color::Black,
        Some(other) => bail!("the side to move is '{other}' instead of w or b"),
    };
    check_pieces(&builder)?;
    let rights = fields.next().unwrap_or("-");
    for letter in rights.chars().filter(|letter| *letter != '-') {
        add_right(letter, &mut builder)?;
    }
    let passed = fields.next().unwrap_or("-");
    builder.en_passant = match passed {
        "-" => None,
        _ => match passed.to_ascii_lowercase().parse::<Square>() {
            Ok(square) => Some(square),
            Err(_) => bail!("the en passant square is '{passed}' instead of a square or -"),
        },
    };
    let mut counter = |name: &str, most: u64, missing: u64| -> Result<u64> {
        let Some(word) = fields.next() else {
            return Ok(missing);
        };
        match word.parse::<u64>() {
            Ok(count) => Ok(count.min(most)),
            Err(_) => bail!("the {name} is '{word}' instead of a number"),
        }
    };
    builder.halfmove_clock = counter("half-move clock", 100, 0)? as u8;
    builder.fullmove_number = counter("move number", u64::from(u16::MAX), 1)?.max(1) as u16;
    let built = builder.build().or_else(|error| match error {
        BoardBuilderError::InvalidEnPassant => {
            builder.en_passant = None;
            builder.build()
        }
        other => Err(other),
    });
    match built {
        Ok(board) => Ok(ChessPosition { board }),
        Err(BoardBuilderError::InvalidBoard) => {
            bail!("the side that is not to move is in check")
        }
        Err(error) => bail!("the position is impossible: {error}"),
    }
}

/// The same, without castling rights that only Chess960 knows: clients keep those of rooks and kings
/// that have moved, and another rook in the first row would be taken for the one of the initial position.
pub fn parse_standard(text: &str) -> Result<ChessPosition> {
    let position = parse(text)?;
    let mut builder = BoardBuilder::from_board(&position.board);
    for color in Color::ALL {
        let is_at_home = position.board.king(color).file() == File::E;
        let rights = builder.castle_rights_mut(color);
        rights.short = rights.short.filter(|file| is_at_home && *file == File::H);
        rights.long = rights.long.filter(|file| is_at_home && *file == File::A);
    }
    match builder.build() {
        Ok(board) => Ok(ChessPosition { board }),
        Err(error) => bail!("the position is impossible: {error}"),
    }
}

/// The position in this notation; castling rights by file in Chess960.
pub fn text(position: &ChessPosition, is_960: bool) -> String {
    match is_960 {
        true => format!("{:#}", position.board),
        false => position.board.to_string(),
    }
}

fn place(placement: &str, builder: &mut BoardBuilder) -> Result<()> {
    let rows: Vec<&str> = placement.split('/').collect();
    ensure!(
        rows.len() == Rank::NUM,
        "the board '{placement}' has {} ranks instead of 8",
        rows.len()
    );
    for (row, rank) in rows.iter().zip(Rank::ALL.into_iter().rev()) {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let piece = Piece::try_from(letter.to_ascii_lowercase())
                .ok()
                .with_context(|| format!("'{letter}' in rank {rank} is not a piece"))?;
            let color = match letter.is_ascii_uppercase() {
                true => Color::White,
                false => Color::Black,
            };
            if let Some(file) = File::try_index(file) {
                *builder.square_mut(Square::new(file, rank)) = Some((piece, color));
            }
            file += 1;
        }
        ensure!(
            file == File::NUM,
            "rank {rank} ('{row}') has {file} squares instead of 8"
        );
    }
    Ok(())
}

/// Errors that the rules crate would not name.
fn check_pieces(builder: &BoardBuilder) -> Result<()> {
    for (color, name) in [(Color::White, "White"), (Color::Black, "Black")] {
        let is = |square: &Square, wanted: Option<Piece>| {
            let found = builder.square(*square);
            found.is_some_and(|(piece, its)| its == color && wanted.is_none_or(|it| it == piece))
        };
        let count = |wanted| {
            Square::ALL
                .iter()
                .filter(|square| is(square, wanted))
                .count()
        };
        let kings = count(Some(Piece::King));
        ensure!(kings == 1, "{name} has {kings} kings instead of one");
        let pawns = count(Some(Piece::Pawn));
        ensure!(pawns <= 8, "{name} has {pawns} pawns, more than 8");
        let pieces = count(None);
        ensure!(pieces <= 16, "{name} has {pieces} pieces, more than 16");
        for square in Square::ALL {
            let is_last = matches!(square.rank(), Rank::First | Rank::Eighth);
            ensure!(
                !(is_last && is(&square, Some(Piece::Pawn))),
                "{name} has a pawn on {square}, where none can be"
            );
        }
    }
    let king = |color| {
        let is_king = |square: &Square| builder.square(*square) == Some((Piece::King, color));
        Square::ALL.into_iter().find(is_king)
    };
    let kings = king(Color::White).zip(king(Color::Black));
    ensure!(
        !kings.is_some_and(|(white, black)| get_king_moves(white).has(black)),
        "the kings stand side by side"
    );
    Ok(())
}

/// Adds a castling right if king and rook stand for it.
fn add_right(letter: char, builder: &mut BoardBuilder) -> Result<()> {
    let color = match letter.is_ascii_uppercase() {
        true => Color::White,
        false => Color::Black,
    };
    let rank = Rank::First.relative_to(color);
    let has = |piece, file: &File| builder.square(Square::new(*file, rank)) == Some((piece, color));
    let Some(king) = File::ALL.into_iter().find(|file| has(Piece::King, file)) else {
        return Ok(());
    };
    let rooks = || File::ALL.into_iter().filter(|file| has(Piece::Rook, file));
    let rook = match letter.to_ascii_lowercase() {
        'k' => rooks().rfind(|&file| file > king),
        'q' => rooks().find(|&file| file < king),
        file @ 'a'..='h' => rooks().find(|it| File::try_from(file).is_ok_and(|file| file == *it)),
        _ => bail!("'{letter}' is not a castling right (K, Q, k, q, or a file)"),
    };
    let rights: &mut CastleRights = builder.castle_rights_mut(color);
    match rook {
        Some(file) if file > king => rights.short = Some(file),
        Some(file) => rights.long = Some(file),
        None => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fen: &str) -> String {
        text(&parse(fen).unwrap(), false)
    }

    #[test]
    fn missing_and_impossible_fields_are_repaired() {
        let kings = "4k3/8/8/8/8/8/8/4K3";
        assert_eq!(read(kings), format!("{kings} w - - 0 1"));
        assert_eq!(
            read(&format!(" {kings}\t b  KQkq e3")),
            format!("{kings} b - - 0 1")
        );
        assert_eq!(
            read(&format!("{kings} w - - 999 0")),
            format!("{kings} w - - 100 1")
        );
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(read(start), start);
        assert_eq!(read(&start.replace("KQkq", "HAha")), start);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (fen, message) in [
            ("", "the position is empty"),
            ("8/8/8/8 w - - 0 1", "4 ranks instead of 8"),
            ("4k3/9/8/8/8/8/8/4K3", "rank 7 ('9') has 9 squares"),
            ("4k3/7/8/8/8/8/8/4K3", "rank 7 ('7') has 7 squares"),
            ("4k3/8/8/8/8/8/8/8 w", "White has 0 kings"),
            ("4k2k/8/8/8/8/8/8/K7 w", "Black has 2 kings"),
            ("4k3/8/8/3x4/8/8/8/4K3", "'x' in rank 5"),
            ("4k2P/8/8/8/8/8/8/4K3", "pawn on h8"),
            ("4k3/8/8/8/8/8/4R3/4K3 w", "not to move is in check"),
            ("4k3/8/8/8/8/8/8/4K3 x", "the side to move is 'x'"),
            ("4k3/8/8/8/8/8/8/4K3 w X", "'X' is not a castling right"),
            ("4k3/8/8/8/8/8/8/4K3 w - j9", "'j9' instead of a square"),
            ("4k3/8/8/8/8/8/8/4K3 w - - -3", "half-move clock is '-3'"),
        ] {
            let error = parse(fen).unwrap_err().to_string();
            assert!(error.contains(message), "{fen}: {error}");
        }
    }
}
