//! Chess positions as the search sees them.

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square, get_pawn_attacks,
};

use super::exchange::{first_gain, keeps, kind_on, value_on};
use crate::minimax::{Position, Score, Verdict, Wanted};
use crate::search::game::Side;

/// A position without its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChessPosition {
    /// The board of the rules crate.
    pub board: Board,
}

impl ChessPosition {
    /// The initial position.
    pub fn start() -> ChessPosition {
        ChessPosition {
            board: Board::default(),
        }
    }

    /// Whether neither side can ever mate: bare kings, a single knight, or bishops of one square
    /// color only.
    pub fn is_dead(&self) -> bool {
        let board = &self.board;
        let strong =
            board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
        if !strong.is_empty() {
            return false;
        }
        let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
        match (knights.len(), bishops.len()) {
            (0, 0) | (1, 0) => true,
            (0, _) => {
                bishops.is_subset(BitBoard::DARK_SQUARES)
                    || bishops.is_disjoint(BitBoard::DARK_SQUARES)
            }
            _ => false,
        }
    }

    /// Whether castling is not that of the usual initial position: a king that may castle is not on the e
    /// file, or a rook not in its corner.
    pub fn is_960(&self) -> bool {
        [Color::White, Color::Black].into_iter().any(|color| {
            let rights = self.board.castle_rights(color);
            let (short, long) = (rights.short, rights.long);
            let is_unusual = short.is_some_and(|file| file != File::H)
                || long.is_some_and(|file| file != File::A);
            let may_castle = short.is_some() || long.is_some();
            is_unusual || may_castle && self.board.king(color).file() != File::E
        })
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// Whether a capture in passing is legal.
    fn has_en_passant(&self) -> bool {
        let board = &self.board;
        let Some(file) = board.en_passant() else {
            return false;
        };
        let color = board.side_to_move();
        let target = Square::new(file, Rank::Sixth.relative_to(color));
        let pawns = get_pawn_attacks(target, !color) & board.colored_pieces(color, Piece::Pawn);
        pawns.into_iter().any(|from| {
            board.is_legal(Move {
                from,
                to: target,
                promotion: None,
            })
        })
    }
}

/// Appends moves of a piece.
#[inline]
fn append(moves: PieceMoves, list: &mut Vec<Move>) {
    let last = Rank::First.bitboard() | Rank::Eighth.bitboard();
    if moves.piece == Piece::Pawn && !(moves.to & last).is_empty() {
        list.extend(moves);
        return;
    }
    list.reserve(Square::NUM);
    list.extend(moves.to.into_iter().map(|to| Move {
        from: moves.from,
        to,
        promotion: None,
    }));
}

impl Position for ChessPosition {
    type Move = Move;
    const SHAPES: usize = Piece::NUM * Square::NUM;

    #[inline]
    fn to_move(&self) -> Side {
        match self.board.side_to_move() {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        match self.has_en_passant() {
            true => self.board.hash(),
            false => self.board.hash_without_ep(),
        }
    }

    fn moves(&self, wanted: Wanted, list: &mut Vec<Move>) {
        let board = &self.board;
        if wanted == Wanted::All {
            board.generate_moves(|moves| {
                append(moves, list);
                false
            });
            return;
        }
        let color = board.side_to_move();
        let taken = board.colors(!color);
        let last = Rank::Eighth.relative_to(color).bitboard();
        let passed = board.en_passant().map_or(BitBoard::EMPTY, |file| {
            Square::new(file, Rank::Sixth.relative_to(color)).bitboard()
        });
        board.generate_moves(|mut moves| {
            moves.to &= match moves.piece {
                Piece::Pawn => taken | last | passed,
                _ => taken,
            };
            match moves.piece {
                Piece::Pawn => {
                    list.extend(moves.into_iter().filter(|mv| first_gain(board, *mv) > 0));
                }
                _ => append(moves, list),
            }
            false
        });
    }

    fn has_moves(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        self.board.play_unchecked(mv);
    }

    fn verdict(&self, is_stuck: bool) -> Option<Verdict> {
        let is_clock_out = self.board.halfmove_clock() >= 100;
        // Mate counts even with the hundredth ply.
        let is_mate = self.is_check() && (is_stuck || is_clock_out && !self.has_moves());
        if is_mate {
            return Some(Verdict::Lost);
        }
        (is_stuck || is_clock_out || self.is_dead()).then_some(Verdict::Drawn)
    }

    #[inline]
    fn is_settled(&self) -> bool {
        !self.is_check()
    }

    fn reversible(&self) -> u32 {
        u32::from(self.board.halfmove_clock())
    }

    /// Not with pawns alone, where having to move is often a disadvantage.
    fn pass(&self) -> Option<ChessPosition> {
        let own = self.board.colors(self.board.side_to_move());
        let light = self.board.pieces(Piece::Pawn) | self.board.pieces(Piece::King);
        if (own - light).is_empty() {
            return None;
        }
        let mut board = self.board.null_move()?;
        // Positions before it cannot be repeated by playing on.
        board.set_halfmove_clock(0);
        Some(ChessPosition { board })
    }

    #[inline]
    fn gain(&self, mv: Move) -> Score {
        first_gain(&self.board, mv)
    }

    /// The most valuable victim first, then the least valuable attacker.
    #[inline]
    fn urgency(&self, mv: Move) -> i32 {
        let attacker = value_on(&self.board, mv.from);
        10 * first_gain(&self.board, mv) - attacker.min(1_000) / 10
    }

    fn keeps(&self, mv: Move, margin: Score) -> bool {
        keeps(&self.board, mv, margin)
    }

    #[inline]
    fn code(&self, mv: Move) -> u16 {
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        // The crate's pawns are 0; no legal move has equal squares, so that no code is 0.
        mv.from as u16 | (mv.to as u16) << 6 | promotion << 12
    }

    #[inline]
    fn shape(&self, mv: Move) -> usize {
        kind_on(&self.board, mv.from) * Square::NUM + mv.to as usize
    }
}
