//! Static exchange evaluation: what a move wins or loses when both sides recapture on its square
//! with their least valuable piece as long as that pays.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use crate::minimax::Score;

/// Value of a piece in exchanges, in hundredths of a pawn.
pub const fn piece_value(piece: Piece) -> Score {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight => 320,
        Piece::Bishop => 330,
        Piece::Rook => 500,
        Piece::Queen => 900,
        Piece::King => 10_000,
    }
}

/// The kind of piece on a square as a number, 0 without one: what `Board::piece_on` finds, without branches.
#[inline]
pub fn kind_on(board: &Board, square: Square) -> usize {
    let [knights, bishops, rooks, queens, kings] = [
        Piece::Knight,
        Piece::Bishop,
        Piece::Rook,
        Piece::Queen,
        Piece::King,
    ]
    .map(|piece| board.pieces(piece));
    // The bits of the kinds 1 to 5.
    let bits = [knights | rooks | kings, bishops | rooks, queens | kings];
    let [low, middle, high] = bits.map(|pieces| usize::from(pieces.has(square)));
    low | middle << 1 | high << 2
}

/// Value of the piece on a square, on which there is one.
#[inline]
pub fn value_on(board: &Board, square: Square) -> Score {
    const VALUES: [Score; Piece::NUM] = {
        let mut values = [0; Piece::NUM];
        let mut index = 0;
        while index < values.len() {
            values[index] = piece_value(Piece::ALL[index]);
            index += 1;
        }
        values
    };
    VALUES[kind_on(board, square).min(Piece::NUM - 1)]
}

/// Whether a move is castling.
pub fn is_castling(board: &Board, mv: Move) -> bool {
    board.colors(board.side_to_move()).has(mv.to)
}

/// Whether a pawn captures in passing.
fn is_en_passant(board: &Board, mv: Move) -> bool {
    let is_diagonal = mv.from.file() != mv.to.file();
    board.en_passant().is_some()
        && is_diagonal
        && board.pieces(Piece::Pawn).has(mv.from)
        && !board.occupied().has(mv.to)
}

/// What a move wins before any recapture: the piece taken, and the difference of a promotion to a
/// queen. Other promotions count as quiet moves.
#[inline]
pub fn first_gain(board: &Board, mv: Move) -> Score {
    let taken = if board.colors(!board.side_to_move()).has(mv.to) {
        value_on(board, mv.to)
    } else if is_en_passant(board, mv) {
        piece_value(Piece::Pawn)
    } else {
        0
    };
    match mv.promotion {
        Some(Piece::Queen) => taken + piece_value(Piece::Queen) - piece_value(Piece::Pawn),
        _ => taken,
    }
}

/// Whether a legal move keeps at least `margin` after all exchanges on its square.
pub fn keeps(board: &Board, mv: Move, margin: Score) -> bool {
    if is_castling(board, mv) {
        return margin <= 0;
    }
    let mut balance = first_gain(board, mv) - margin;
    if balance < 0 {
        return false;
    }
    let moved = mv.promotion.map(piece_value);
    balance -= moved.unwrap_or_else(|| value_on(board, mv.from));
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() - mv.from.bitboard()) | mv.to.bitboard();
    if is_en_passant(board, mv) {
        occupied -= Square::new(mv.to.file(), mv.from.rank()).bitboard();
    }
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let mut attackers = attackers(board, mv.to, occupied);
    let mover = board.side_to_move();
    let mut side = !mover;
    loop {
        attackers &= occupied;
        let own = attackers & board.colors(side);
        let Some((piece, from)) = least_valuable(board, own) else {
            break;
        };
        // The king cannot take what is still defended.
        if piece == Piece::King && !(attackers & board.colors(!side)).is_empty() {
            break;
        }
        occupied -= from.bitboard();
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
            attackers |= get_bishop_moves(mv.to, occupied) & diagonal;
        }
        if matches!(piece, Piece::Rook | Piece::Queen) {
            attackers |= get_rook_moves(mv.to, occupied) & straight;
        }
        side = !side;
        balance = -balance - 1 - piece_value(piece);
        if balance >= 0 {
            break;
        }
    }
    // The side to move now has nothing left to win.
    side != mover
}

/// Pieces of both colors that attack a square.
pub fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    let pawns =
        |color: Color| get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn);
    get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | get_bishop_moves(square, occupied) & diagonal
        | get_rook_moves(square, occupied) & straight
        | pawns(Color::White)
        | pawns(Color::Black)
}

fn least_valuable(board: &Board, pieces: BitBoard) -> Option<(Piece, Square)> {
    Piece::ALL.into_iter().find_map(|piece| {
        let found = (pieces & board.pieces(piece)).next_square()?;
        Some((piece, found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(fen: &str, mv: &str) -> Score {
        let board: Board = fen.parse().unwrap();
        let mv = cozy_chess::util::parse_uci_move(&board, mv).unwrap();
        let kept = (-1000..=1000)
            .step_by(10)
            .filter(|&margin| keeps(&board, mv, margin));
        kept.max().unwrap()
    }

    #[test]
    fn exchanges_are_counted_out() {
        // A rook takes an undefended pawn.
        let free = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1";
        assert_eq!(exchange(free, "e1e5"), 100);
        // Knight for pawn, with rooks and a bishop behind.
        let long = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(exchange(long, "d3e5"), 100 - 320);
        // A defended pawn costs the queen.
        assert_eq!(
            exchange("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "d1d6"),
            100 - 900
        );
    }

    #[test]
    fn kinds_are_those_of_the_board() {
        let board: Board = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
            .parse()
            .unwrap();
        for square in Square::ALL {
            let kind = board.piece_on(square).map_or(0, |piece| piece as usize);
            assert_eq!(kind_on(&board, square), kind);
        }
    }

    #[test]
    fn special_moves_are_counted() {
        assert_eq!(exchange("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
        assert_eq!(exchange("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), 800);
        assert_eq!(exchange("1r5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"), -100);
        assert_eq!(exchange("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"), 0);
    }

    #[test]
    fn king_does_not_take_what_is_defended() {
        assert_eq!(exchange("8/8/4k3/3p4/8/1B6/3R4/4K3 w - - 0 1", "d2d5"), 100);
        assert_eq!(
            exchange("8/8/4k3/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5"),
            100 - 500
        );
    }
}
