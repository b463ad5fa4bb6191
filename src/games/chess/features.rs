//! What the evaluation counts, White's minus Black's, by index of a weight.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::squares::{ahead, beside, distance, few, pawn_attacks, whole_files};
use super::weights::{at, square_index};

/// Receives counts of features.
pub trait Counts {
    /// Adds `count` to the feature with this index.
    fn add(&mut self, index: usize, count: i32);

    /// Adds `count` to the material of a piece and to its square, as its side sees it.
    fn add_piece(&mut self, piece: Piece, relative: Square, count: i32) {
        if piece != Piece::King {
            self.add(at::MATERIAL + piece as usize, count);
        }
        self.add(square_index(piece, relative), count);
    }
}

/// Counts all features of a board.
pub fn count(board: &Board, counts: &mut impl Counts) {
    let mut scene = Scene::new(board);
    side::<_, true>(board, &mut scene, counts).pieces();
    side::<_, false>(board, &mut scene, counts).pieces();
    side::<_, true>(board, &mut scene, counts).others();
    side::<_, false>(board, &mut scene, counts).others();
    let sign = match board.side_to_move() {
        Color::White => 1,
        Color::Black => -1,
    };
    counts.add(at::TEMPO, sign);
}

/// Bit boards used by several features, of White and Black.
struct Scene {
    kings: [Square; 2],
    pawns: [BitBoard; 2],
    pawn_attacks: [BitBoard; 2],
    pawn_files: [BitBoard; 2],
    /// Squares attacked by anything.
    attacks: [BitBoard; 2],
    minor_attacks: [BitBoard; 2],
    /// Squares around each king, and the rank in front of these.
    king_zone: [BitBoard; 2],
    /// Pieces attacking each king's zone, weighted; see [`Side::reach`].
    danger: [usize; 2],
}

impl Scene {
    fn new(board: &Board) -> Scene {
        let colors = [Color::White, Color::Black];
        let pawns = colors.map(|color| board.colored_pieces(color, Piece::Pawn));
        let kings = colors.map(|color| board.king(color));
        let around = kings.map(get_king_moves);
        let pawn_attacks = [pawn_attacks(pawns[0], true), pawn_attacks(pawns[1], false)];
        Scene {
            kings,
            pawns,
            pawn_attacks,
            pawn_files: pawns.map(whole_files),
            attacks: [pawn_attacks[0] | around[0], pawn_attacks[1] | around[1]],
            minor_attacks: [BitBoard::EMPTY; 2],
            king_zone: [
                around[0] | ahead(around[0], true),
                around[1] | ahead(around[1], false),
            ],
            danger: [0; 2],
        }
    }
}

/// Counts the features of one side: first those of the pieces of both sides, then the others.
pub(super) struct Side<'a, C, const WHITE: bool> {
    board: &'a Board,
    scene: &'a mut Scene,
    counts: &'a mut C,
}

fn side<'a, C: Counts, const WHITE: bool>(
    board: &'a Board,
    scene: &'a mut Scene,
    counts: &'a mut C,
) -> Side<'a, C, WHITE> {
    Side {
        board,
        scene,
        counts,
    }
}

impl<C: Counts, const WHITE: bool> Side<'_, C, WHITE> {
    const SIGN: i32 = if WHITE { 1 } else { -1 };
    const COLOR: Color = if WHITE { Color::White } else { Color::Black };
    /// Index of this side in a scene, and that of the other.
    const OWN: usize = if WHITE { 0 } else { 1 };
    const OTHER: usize = 1 - Self::OWN;

    #[inline(always)]
    pub(super) fn add(&mut self, index: usize, count: i32) {
        self.counts.add(index, Self::SIGN * count);
    }

    fn own(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(Self::COLOR, piece)
    }

    fn theirs(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(!Self::COLOR, piece)
    }

    fn index(is_own: bool) -> usize {
        if is_own { Self::OWN } else { Self::OTHER }
    }

    pub(super) fn pawns_of(&self, own: bool) -> BitBoard {
        self.scene.pawns[Self::index(own)]
    }

    pub(super) fn pawn_attacks_of(&self, own: bool) -> BitBoard {
        self.scene.pawn_attacks[Self::index(own)]
    }

    pub(super) fn king_of(&self, own: bool) -> Square {
        self.scene.kings[Self::index(own)]
    }

    /// Squares that a pawn cannot safely go to.
    pub(super) fn hindered(&self) -> BitBoard {
        self.board.occupied() | self.scene.attacks[Self::OTHER]
    }

    /// A square as this side sees it.
    #[inline(always)]
    pub(super) fn relative(&self, square: Square) -> Square {
        square.relative_to(Self::COLOR)
    }

    #[inline(always)]
    fn add_piece(&mut self, piece: Piece, square: Square) {
        let relative = self.relative(square);
        self.counts.add_piece(piece, relative, Self::SIGN);
    }

    /// Material, squares, mobility, bishop pair, files of rooks.
    fn pieces(&mut self) {
        for piece in [Piece::Pawn, Piece::King] {
            for square in self.own(piece) {
                self.add_piece(piece, square);
            }
        }
        let occupied = self.board.occupied();
        let (rooks, queens) = (self.own(Piece::Rook), self.own(Piece::Queen));
        for square in self.own(Piece::Knight) {
            let moves = self.reach(Piece::Knight, square, get_knight_moves(square));
            self.add(at::KNIGHT_MOBILITY + moves.min(8), 1);
        }
        // Pieces of the same kind on the same line support each other.
        for square in self.own(Piece::Bishop) {
            let reached = get_bishop_moves(square, occupied - queens);
            let moves = self.reach(Piece::Bishop, square, reached);
            self.add(at::BISHOP_MOBILITY + moves.min(13), 1);
        }
        for square in rooks {
            let reached = get_rook_moves(square, occupied - queens - rooks);
            let moves = self.reach(Piece::Rook, square, reached);
            self.add(at::ROOK_MOBILITY + moves.min(14), 1);
            self.rook_file(square);
        }
        for square in queens {
            let reached = get_bishop_moves(square, occupied) | get_rook_moves(square, occupied);
            let moves = self.reach(Piece::Queen, square, reached);
            self.add(at::QUEEN_MOBILITY + moves.min(27), 1);
        }
        let bishops = self.own(Piece::Bishop).0;
        if bishops & bishops.wrapping_sub(1) != 0 {
            self.add(at::BISHOP_PAIR, 1);
        }
    }

    /// Counts a piece and notes the squares that it reaches; the number of those that are free.
    #[inline(always)]
    fn reach(&mut self, piece: Piece, square: Square, reached: BitBoard) -> usize {
        self.add_piece(piece, square);
        self.scene.attacks[Self::OWN] |= reached;
        if matches!(piece, Piece::Knight | Piece::Bishop) {
            self.scene.minor_attacks[Self::OWN] |= reached;
        }
        let near_king = reached & self.scene.king_zone[Self::OTHER];
        if !near_king.is_empty() {
            let weight = match piece {
                Piece::Queen => 5,
                Piece::Rook => 3,
                _ => 2,
            };
            self.scene.danger[Self::OTHER] += weight + near_king.len() as usize;
        }
        let free = reached - self.board.colors(Self::COLOR) - self.pawn_attacks_of(false);
        free.len() as usize
    }

    fn rook_file(&mut self, square: Square) {
        let [has_own, has_other] =
            [Self::OWN, Self::OTHER].map(|side| self.scene.pawn_files[side].has(square));
        match (has_own, has_other) {
            (false, false) => self.add(at::ROOK_OPEN_FILE, 1),
            (false, true) => self.add(at::ROOK_HALF_OPEN_FILE, 1),
            _ => {}
        }
    }

    /// What depends on both sides' pieces.
    fn others(&mut self) {
        self.pawns();
        self.king();
        self.threats();
        self.bare_king();
    }

    /// Pawns in front of the king, open files, attackers.
    fn king(&mut self) {
        let own = self.pawns_of(true);
        let place = self.king_of(true).bitboard();
        let row = place | beside(place);
        let near = ahead(row, WHITE);
        self.add(at::SHELTER_NEAR, few(near & own));
        self.add(at::SHELTER_FAR, few(ahead(near, WHITE) & own));
        let open = row - self.scene.pawn_files[Self::OWN];
        self.add(at::KING_OPEN_FILE, few(open));
        let danger = self.scene.danger[Self::OWN];
        self.add(at::KING_DANGER + danger.min(31), 1);
    }

    /// Attacks on pieces by lesser ones, and pieces attacked without defence.
    fn threats(&mut self) {
        let by_pawns = self.pawn_attacks_of(true);
        let minors = self.theirs(Piece::Knight) | self.theirs(Piece::Bishop);
        let attacked = [minors, self.theirs(Piece::Rook), self.theirs(Piece::Queen)];
        for (index, pieces) in attacked.into_iter().enumerate() {
            self.add(at::PAWN_ATTACKS + index, few(by_pawns & pieces));
        }
        let majors = self.theirs(Piece::Rook) | self.theirs(Piece::Queen);
        let by_minors = self.scene.minor_attacks[Self::OWN] & majors;
        self.add(at::MINOR_ATTACKS_MAJOR, few(by_minors));
        let own = self.board.colors(Self::COLOR) - self.own(Piece::King);
        let hit = own & self.scene.attacks[Self::OTHER];
        self.add(at::UNDEFENDED, few(hit - self.scene.attacks[Self::OWN]));
    }

    /// Driving a bare king to the edge; with bishop and knight into a corner of the bishop's color.
    fn bare_king(&mut self) {
        let (own, theirs) = (
            self.board.colors(Self::COLOR),
            self.board.colors(!Self::COLOR),
        );
        let (king, bare) = (self.king_of(true), self.king_of(false));
        if theirs != bare.bitboard() || own == king.bitboard() {
            return;
        }
        let from_centre = |index: usize| (if index < 4 { 3 - index } else { index - 4 }) as i32;
        let edge = from_centre(bare.file() as usize) + from_centre(bare.rank() as usize);
        self.add(at::BARE_KING_EDGE, edge);
        self.add(at::BARE_KING_NEAR, 7 - distance(king, bare));
        let bishops = self.own(Piece::Bishop);
        if own.len() == 3 && bishops.len() == 1 && self.own(Piece::Knight).len() == 1 {
            let corners = match bishops.is_subset(BitBoard::DARK_SQUARES) {
                true => [Square::A1, Square::H8],
                false => [Square::A8, Square::H1],
            };
            let nearest = corners.map(|corner| distance(bare, corner));
            self.add(at::BARE_KING_CORNER, 7 - nearest[0].min(nearest[1]));
        }
    }
}
