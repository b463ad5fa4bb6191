//! Sets of squares that the evaluation uses. "Ahead" is towards the other side's first rank.

use cozy_chess::{BitBoard, Square};

const LEFT: u64 = !0x0101_0101_0101_0101;
const RIGHT: u64 = !0x8080_8080_8080_8080;

/// Squares attacked by pawns.
#[inline(always)]
pub fn pawn_attacks(pawns: BitBoard, is_white: bool) -> BitBoard {
    beside(ahead(pawns, is_white))
}

/// The squares one rank ahead.
#[inline(always)]
pub fn ahead(squares: BitBoard, is_white: bool) -> BitBoard {
    BitBoard(match is_white {
        true => squares.0 << 8,
        false => squares.0 >> 8,
    })
}

/// All squares further ahead on the same files, these excluded.
#[inline(always)]
pub fn all_ahead(squares: BitBoard, is_white: bool) -> BitBoard {
    let mut filled = ahead(squares, is_white).0;
    for step in [8, 16, 32] {
        filled |= match is_white {
            true => filled << step,
            false => filled >> step,
        };
    }
    BitBoard(filled)
}

/// All squares of the same files.
#[inline(always)]
pub fn whole_files(squares: BitBoard) -> BitBoard {
    squares | all_ahead(squares, true) | all_ahead(squares, false)
}

/// The squares to the left and right.
#[inline(always)]
pub fn beside(place: BitBoard) -> BitBoard {
    BitBoard((place.0 & LEFT) >> 1 | (place.0 & RIGHT) << 1)
}

/// Squares between two squares as a king walks.
#[inline(always)]
pub fn distance(from: Square, to: Square) -> i32 {
    let files = (from.file() as i32 - to.file() as i32).abs();
    let ranks = (from.rank() as i32 - to.rank() as i32).abs();
    files.max(ranks)
}

/// Number of squares in a set that is usually empty.
#[inline(always)]
pub fn few(squares: BitBoard) -> i32 {
    match squares.is_empty() {
        true => 0,
        false => squares.len() as i32,
    }
}

#[cfg(test)]
mod tests {
    use cozy_chess::{Color, File, Rank};

    use super::*;

    #[test]
    fn pawn_attacks_do_not_run_around_the_board() {
        for color in Color::ALL {
            for square in Square::ALL {
                let found = pawn_attacks(square.bitboard(), color == Color::White);
                assert_eq!(found, cozy_chess::get_pawn_attacks(square, color));
            }
        }
    }

    #[test]
    fn squares_ahead() {
        let ahead = all_ahead(Square::C5.bitboard(), true);
        assert_eq!(
            ahead,
            File::C.bitboard()
                & (Rank::Sixth.bitboard() | Rank::Seventh.bitboard() | Rank::Eighth.bitboard())
        );
        assert_eq!(all_ahead(Square::C1.bitboard(), false), BitBoard::EMPTY);
        let both = Square::A1.bitboard() | Square::D5.bitboard();
        assert_eq!(whole_files(both), File::A.bitboard() | File::D.bitboard());
    }
}
