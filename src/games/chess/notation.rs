//! Moves as text: coordinates as in UCI, and standard algebraic notation.

use anyhow::{Context, Result, bail};
use cozy_chess::{Board, Move, Piece, Square, util};

use super::position::ChessPosition;
use crate::minimax::{Position, Wanted};

/// A move in coordinates: `e2e4`, `e7e8q`; castling is `e1g1`, in Chess960 `e1h1`.
pub fn coordinates(position: &ChessPosition, mv: Move, is_960: bool) -> String {
    match is_960 {
        true => mv.to_string(),
        false => util::display_uci_move(&position.board, mv).to_string(),
    }
}

/// Reads a legal move in coordinates. Outside Chess960 both forms of castling are understood.
pub fn parse_coordinates(position: &ChessPosition, text: &str, is_960: bool) -> Result<Move> {
    let lower = text.to_ascii_lowercase();
    let written = match is_960 {
        _ if !ends_well(&lower) => None,
        true => lower.parse().ok(),
        false => util::parse_uci_move(&position.board, &lower).ok(),
    };
    let mv = written
        .with_context(|| format!("'{text}' is not a move like e2e4 or e7e8q (q, r, b or n)"))?;
    if legal_moves(position).contains(&mv) {
        return Ok(mv);
    }
    bail!("{}", why_illegal(&position.board, mv, text))
}

/// Whether nothing, or a piece that a pawn may become, follows the two squares; `cozy_chess` ignores what else does.
fn ends_well(coordinates: &str) -> bool {
    matches!(coordinates.get(4..), Some("" | "q" | "r" | "b" | "n"))
}

/// A move in standard algebraic notation: `Nf3`, `exd5`, `O-O`, `e8=Q+`.
pub fn algebraic(position: &ChessPosition, mv: Move) -> String {
    util::display_san_move(&position.board, mv).to_string()
}

/// Reads a legal move in standard or long algebraic notation (`Nf3`, `Ng1-f3`) or in coordinates.
pub fn parse_any(position: &ChessPosition, text: &str) -> Result<Move> {
    let trimmed = text.trim().trim_end_matches(['!', '?', '+', '#']);
    let castling = trimmed.replace(['0', 'o'], "O");
    let without_dash = trimmed.replace('-', "");
    let written = match castling.starts_with("O-O") {
        true => castling.clone(),
        false => match without_dash.split_once('=') {
            Some((mv, piece)) => format!("{mv}={}", piece.to_ascii_uppercase()),
            None => without_dash,
        },
    };
    if let Ok(mv) = util::parse_san_move(&position.board, &written) {
        return Ok(mv);
    }
    if let Ok(mv) = parse_coordinates(position, &written, false) {
        return Ok(mv);
    }
    let wing = match castling.as_str() {
        "O-O" => Some("king's"),
        "O-O-O" => Some("queen's"),
        _ => None,
    };
    if let Some(wing) = wing {
        bail!("{text} is not legal: castling on the {wing} side is not possible now");
    }
    let targets = trimmed.get(trimmed.len().saturating_sub(2)..);
    let target = targets.and_then(|it| it.parse::<Square>().ok());
    match trimmed.parse::<Move>() {
        Ok(mv) if ends_well(trimmed) => bail!("{}", why_illegal(&position.board, mv, text)),
        _ if target.is_none() => bail!("'{text}' is not a move like e2e4, Nf3 or O-O"),
        _ => {
            let legal = legal_moves(position);
            let near = legal.iter().filter(|mv| Some(mv.to) == target);
            let near: Vec<String> = near.map(|mv| algebraic(position, *mv)).collect();
            match near.as_slice() {
                [] => bail!("{text} is not legal: no piece can move to that square"),
                _ => bail!(
                    "{text} is not legal or not unique; possible are {}",
                    near.join(", ")
                ),
            }
        }
    }
}

/// All legal moves.
pub fn legal_moves(position: &ChessPosition) -> Vec<Move> {
    let mut list = Vec::new();
    position.moves(Wanted::All, &mut list);
    list
}

/// The rule that a move breaks.
fn why_illegal(board: &Board, mv: Move, text: &str) -> String {
    let color = board.side_to_move();
    let reason = match board.piece_on(mv.from) {
        None => format!("there is no piece on {}", mv.from),
        Some(_) if !board.colors(color).has(mv.from) => {
            format!("the piece on {} is the opponent's", mv.from)
        }
        Some(Piece::Pawn) if needs_promotion(board, mv) => {
            "a pawn that reaches the last rank is promoted: add q, r, b or n".to_string()
        }
        Some(_) if mv.promotion.is_some() && !may_promote(board, mv) => {
            "only a pawn that reaches the last rank is promoted".to_string()
        }
        Some(piece) if moves_apart_from_checks(board, mv) => match board.checkers().is_empty() {
            true => format!("the {} would leave its king in check", name(piece)),
            false => "the king is in check and would stay so".to_string(),
        },
        Some(piece) => format!(
            "a {} does not move from {} to {}",
            name(piece),
            mv.from,
            mv.to
        ),
    };
    format!("{text} is not legal: {reason}")
}

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

fn may_promote(board: &Board, mv: Move) -> bool {
    let pieces = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
    let reaches_last = mv.to.relative_to(board.side_to_move()).rank() == cozy_chess::Rank::Eighth;
    let is_piece = mv.promotion.is_none_or(|piece| pieces.contains(&piece));
    board.pieces(Piece::Pawn).has(mv.from) && reaches_last && is_piece
}

fn needs_promotion(board: &Board, mv: Move) -> bool {
    mv.promotion.is_none() && may_promote(board, mv) && moves_apart_from_checks(board, mv)
}

/// Whether the piece could move so if kings could be left in check.
fn moves_apart_from_checks(board: &Board, mv: Move) -> bool {
    use cozy_chess::{
        get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_pawn_quiets,
        get_rook_moves,
    };
    let (color, occupied) = (board.side_to_move(), board.occupied());
    let diagonal = get_bishop_moves(mv.from, occupied);
    let straight = get_rook_moves(mv.from, occupied);
    let targets = match board.piece_on(mv.from) {
        Some(Piece::Pawn) => {
            get_pawn_quiets(mv.from, color, occupied)
                | get_pawn_attacks(mv.from, color) & board.colors(!color)
        }
        Some(Piece::Knight) => get_knight_moves(mv.from),
        Some(Piece::Bishop) => diagonal,
        Some(Piece::Rook) => straight,
        Some(Piece::Queen) => diagonal | straight,
        Some(Piece::King) => get_king_moves(mv.from),
        None => return false,
    };
    (targets - board.colors(color)).has(mv.to)
}

#[cfg(test)]
mod tests {
    use super::super::fen;
    use super::*;

    #[test]
    fn castling_is_read_and_written_both_ways() {
        let position = fen::parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        let short = parse_coordinates(&position, "e1g1", false).unwrap();
        assert_eq!(short, parse_coordinates(&position, "e1h1", true).unwrap());
        assert_eq!(short, parse_coordinates(&position, "e1h1", false).unwrap());
        assert_eq!(short, parse_any(&position, "0-0").unwrap());
        assert_eq!(coordinates(&position, short, false), "e1g1");
        assert_eq!(coordinates(&position, short, true), "e1h1");
        assert_eq!(algebraic(&position, short), "O-O");
    }

    #[test]
    fn illegal_moves_name_the_rule() {
        for (fen, mv, reason) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e2e4", "no piece on e2"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e8e7", "the opponent's"),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
                "e1e3",
                "a king does not move from e1 to e3",
            ),
            (
                "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
                "e2c3",
                "leave its king in check",
            ),
            ("4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1", "a1a8", "stay so"),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "is promoted: add"),
            (
                "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
                "a7a8k",
                "is not a move like e2e4 or e7e8q",
            ),
            (
                "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
                "e1e2q",
                "only a pawn that reaches the last rank",
            ),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "hello", "is not a move"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2k", "is not a move"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2qq", "is not a move"),
        ] {
            let position = fen::parse(fen).unwrap();
            let error = parse_coordinates(&position, mv, false)
                .unwrap_err()
                .to_string();
            assert!(error.contains(reason), "{mv}: {error}");
            assert!(parse_any(&position, mv).is_err());
        }
        for (mv, side) in [("O-O", "king's"), ("0-0-0+", "queen's")] {
            let error = parse_any(&ChessPosition::start(), mv).unwrap_err();
            let expected =
                format!("{mv} is not legal: castling on the {side} side is not possible now");
            assert_eq!(error.to_string(), expected);
        }
    }
}
