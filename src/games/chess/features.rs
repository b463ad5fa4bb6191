//! What the evaluation counts, White's minus Black's, by index of a weight.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::weights::at;

/// Receives counts of features.
pub trait Counts {
    /// Adds `count` to the feature with this index.
    fn add(&mut self, index: usize, count: i32);
}

/// Counts all features of a board.
pub fn count(board: &Board, counts: &mut impl Counts) {
    let scene = Scene::new(board);
    for color in Color::ALL {
        let mut side = SideCounts {
            scene: &scene,
            color,
            sign: if color == Color::White { 1 } else { -1 },
            counts,
        };
        side.pieces();
        side.pawns();
        side.king();
        side.threats();
        side.bare_king();
    }
    let sign = if board.side_to_move() == Color::White {
        1
    } else {
        -1
    };
    counts.add(at::TEMPO, sign);
}

/// Bit boards used by several features.
struct Scene<'a> {
    board: &'a Board,
    pawns: [BitBoard; 2],
    pawn_attacks: [BitBoard; 2],
    /// Squares attacked by anything.
    attacks: [BitBoard; 2],
    minor_attacks: [BitBoard; 2],
    /// Squares around each king, and the rank in front of these.
    king_zone: [BitBoard; 2],
    /// Pieces attacking each king's zone, weighted; see [`Scene::add_piece`].
    danger: [usize; 2],
    /// Moves of each piece.
    mobility: [u8; Square::NUM],
}

const LEFT: u64 = !0x0101_0101_0101_0101;
const RIGHT: u64 = !0x8080_8080_8080_8080;

/// Squares attacked by pawns.
fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    BitBoard(match color {
        Color::White => (pawns.0 & LEFT) << 7 | (pawns.0 & RIGHT) << 9,
        Color::Black => (pawns.0 & LEFT) >> 9 | (pawns.0 & RIGHT) >> 7,
    })
}

/// The squares one rank ahead.
fn ahead(squares: BitBoard, color: Color) -> BitBoard {
    BitBoard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// All squares further ahead on the same files, these excluded.
fn all_ahead(squares: BitBoard, color: Color) -> BitBoard {
    let mut filled = ahead(squares, color).0;
    for step in [8, 16, 32] {
        filled |= match color {
            Color::White => filled << step,
            Color::Black => filled >> step,
        };
    }
    BitBoard(filled)
}

/// The squares to the left and right.
fn beside(place: BitBoard) -> BitBoard {
    BitBoard((place.0 & LEFT) >> 1 | (place.0 & RIGHT) << 1)
}

/// Squares between two squares as a king walks.
fn distance(from: Square, to: Square) -> i32 {
    let files = (from.file() as i32 - to.file() as i32).abs();
    let ranks = (from.rank() as i32 - to.rank() as i32).abs();
    files.max(ranks)
}

impl<'a> Scene<'a> {
    fn new(board: &'a Board) -> Scene<'a> {
        let pawns = Color::ALL.map(|color| board.colored_pieces(color, Piece::Pawn));
        let attacks = Color::ALL.map(|color| pawn_attacks(pawns[color as usize], color));
        let kings = Color::ALL.map(|color| board.king(color));
        let zone = |color: Color| {
            let around = get_king_moves(kings[color as usize]);
            around | ahead(around, color)
        };
        let mut scene = Scene {
            board,
            pawns,
            pawn_attacks: attacks,
            attacks: Color::ALL
                .map(|color| attacks[color as usize] | get_king_moves(kings[color as usize])),
            minor_attacks: [BitBoard::EMPTY; 2],
            king_zone: Color::ALL.map(zone),
            danger: [0; 2],
            mobility: [0; Square::NUM],
        };
        for color in Color::ALL {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                for square in board.colored_pieces(color, piece) {
                    scene.add_piece(piece, color, square);
                }
            }
        }
        scene
    }

    fn add_piece(&mut self, piece: Piece, color: Color, square: Square) {
        let occupied = self.board.occupied();
        // Pieces of the same kind on the same line support each other.
        let own_queens = self.board.colored_pieces(color, Piece::Queen);
        let reached = match piece {
            Piece::Knight => get_knight_moves(square),
            Piece::Bishop => get_bishop_moves(square, occupied - own_queens),
            Piece::Rook => {
                let rooks = self.board.colored_pieces(color, Piece::Rook);
                get_rook_moves(square, occupied - own_queens - rooks)
            }
            _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
        };
        let (own, other) = (color as usize, !color as usize);
        self.attacks[own] |= reached;
        if matches!(piece, Piece::Knight | Piece::Bishop) {
            self.minor_attacks[own] |= reached;
        }
        let free = reached - self.board.colors(color) - self.pawn_attacks[other];
        self.mobility[square as usize] = free.len() as u8;
        let near_king = reached & self.king_zone[other];
        if !near_king.is_empty() {
            let weight = match piece {
                Piece::Queen => 5,
                Piece::Rook => 3,
                _ => 2,
            };
            self.danger[other] += weight + near_king.len() as usize;
        }
    }
}

/// Counts the features of one side.
struct SideCounts<'a, C> {
    scene: &'a Scene<'a>,
    color: Color,
    sign: i32,
    counts: &'a mut C,
}

impl<C: Counts> SideCounts<'_, C> {
    fn add(&mut self, index: usize, count: i32) {
        self.counts.add(index, self.sign * count);
    }

    fn own(&self, piece: Piece) -> BitBoard {
        self.scene.board.colored_pieces(self.color, piece)
    }

    /// Material, squares, mobility, bishop pair, files of rooks.
    fn pieces(&mut self) {
        for piece in Piece::ALL {
            for square in self.own(piece) {
                if piece != Piece::King {
                    self.add(at::MATERIAL + piece as usize, 1);
                }
                let relative = square.relative_to(self.color);
                let file = (relative.file() as usize).min(7 - relative.file() as usize);
                let index = relative.rank() as usize * 4 + file;
                self.add(at::SQUARES + 32 * piece as usize + index, 1);
                let moves = usize::from(self.scene.mobility[square as usize]);
                match piece {
                    Piece::Knight => self.add(at::KNIGHT_MOBILITY + moves.min(8), 1),
                    Piece::Bishop => self.add(at::BISHOP_MOBILITY + moves.min(13), 1),
                    Piece::Rook => {
                        self.add(at::ROOK_MOBILITY + moves.min(14), 1);
                        self.rook_file(square);
                    }
                    Piece::Queen => self.add(at::QUEEN_MOBILITY + moves.min(27), 1),
                    Piece::Pawn | Piece::King => {}
                }
            }
        }
        if self.own(Piece::Bishop).len() >= 2 {
            self.add(at::BISHOP_PAIR, 1);
        }
    }

    fn rook_file(&mut self, square: Square) {
        let file = square.file().bitboard();
        let has_own = !(file & self.scene.pawns[self.color as usize]).is_empty();
        let has_other = !(file & self.scene.pawns[!self.color as usize]).is_empty();
        match (has_own, has_other) {
            (false, false) => self.add(at::ROOK_OPEN_FILE, 1),
            (false, true) => self.add(at::ROOK_HALF_OPEN_FILE, 1),
            _ => {}
        }
    }

    fn pawns(&mut self) {
        let own = self.scene.pawns[self.color as usize];
        let other = self.scene.pawns[!self.color as usize];
        for square in own {
            let place = square.bitboard();
            let files = square.file().adjacent();
            let beside = beside(place);
            // Ranks from the second to the seventh.
            let rank = (square.relative_to(self.color).rank() as usize).clamp(1, 6) - 1;
            let front = all_ahead(place, self.color);
            let fronts = front | all_ahead(beside, self.color);
            if !(front & own).is_empty() {
                self.add(at::DOUBLED, 1);
            } else if (fronts & other).is_empty() {
                self.passed(square, rank);
            }
            let is_defended = self.scene.pawn_attacks[self.color as usize].has(square);
            if is_defended || !(beside & own).is_empty() {
                self.add(at::CONNECTED + rank, 1);
            } else if (files & own).is_empty() {
                self.add(at::ISOLATED, 1);
            } else if self.is_backward(place, files) {
                self.add(at::BACKWARD, 1);
            }
        }
    }

    /// No pawn beside or behind can defend it, and the square ahead is attacked by a pawn.
    fn is_backward(&self, place: BitBoard, files: BitBoard) -> bool {
        let own = self.scene.pawns[self.color as usize];
        let stop = ahead(place, self.color);
        let helpers = files & (own - all_ahead(beside(place), self.color));
        helpers.is_empty() && !(stop & self.scene.pawn_attacks[!self.color as usize]).is_empty()
    }

    fn passed(&mut self, square: Square, rank: usize) {
        self.add(at::PASSED + rank, 1);
        let stop = ahead(square.bitboard(), self.color);
        let hindered = self.scene.board.occupied() | self.scene.attacks[!self.color as usize];
        if (stop & hindered).is_empty() {
            self.add(at::PASSED_FREE + rank, 1);
        }
        if rank >= 2
            && let Some(stop) = stop.next_square()
        {
            let kings = [self.color, !self.color].map(|color| self.scene.board.king(color));
            self.add(at::PASSED_OWN_KING, distance(kings[0], stop));
            self.add(at::PASSED_ENEMY_KING, distance(kings[1], stop));
        }
    }

    /// Pawns in front of the king, open files, attackers.
    fn king(&mut self) {
        let king = self.scene.board.king(self.color);
        let own = self.scene.pawns[self.color as usize];
        let place = king.bitboard();
        let row = place | beside(place);
        let near = ahead(row, self.color);
        self.add(at::SHELTER_NEAR, (near & own).len() as i32);
        self.add(
            at::SHELTER_FAR,
            (ahead(near, self.color) & own).len() as i32,
        );
        let files = row.into_iter().map(|square| square.file().bitboard());
        let open = files.filter(|file| (*file & own).is_empty()).count();
        self.add(at::KING_OPEN_FILE, open as i32);
        let danger = self.scene.danger[self.color as usize];
        self.add(at::KING_DANGER + danger.min(31), 1);
    }

    /// Attacks on pieces by lesser ones, and pieces attacked without defence.
    fn threats(&mut self) {
        let board = self.scene.board;
        let theirs = |piece| board.colored_pieces(!self.color, piece);
        let by_pawns = self.scene.pawn_attacks[self.color as usize];
        let minors = theirs(Piece::Knight) | theirs(Piece::Bishop);
        let majors = theirs(Piece::Rook) | theirs(Piece::Queen);
        let attacked = [minors, theirs(Piece::Rook), theirs(Piece::Queen)];
        for (index, pieces) in attacked.into_iter().enumerate() {
            self.add(at::PAWN_ATTACKS + index, (by_pawns & pieces).len() as i32);
        }
        let by_minors = self.scene.minor_attacks[self.color as usize] & majors;
        self.add(at::MINOR_ATTACKS_MAJOR, by_minors.len() as i32);
        let own = board.colors(self.color) - self.own(Piece::King);
        let hit = own & self.scene.attacks[!self.color as usize];
        let hanging = hit - self.scene.attacks[self.color as usize];
        self.add(at::UNDEFENDED, hanging.len() as i32);
    }

    /// Driving a bare king to the edge; with bishop and knight into a corner of the bishop's color.
    fn bare_king(&mut self) {
        let board = self.scene.board;
        if board.colors(!self.color).len() > 1 || board.colors(self.color).len() == 1 {
            return;
        }
        let (king, bare) = (board.king(self.color), board.king(!self.color));
        let from_centre = |index: usize| (if index < 4 { 3 - index } else { index - 4 }) as i32;
        let edge = from_centre(bare.file() as usize) + from_centre(bare.rank() as usize);
        self.add(at::BARE_KING_EDGE, edge);
        self.add(at::BARE_KING_NEAR, 7 - distance(king, bare));
        let bishops = self.own(Piece::Bishop);
        if board.colors(self.color).len() == 3
            && bishops.len() == 1
            && self.own(Piece::Knight).len() == 1
        {
            let corners = match bishops.is_subset(BitBoard::DARK_SQUARES) {
                true => [Square::A1, Square::H8],
                false => [Square::A8, Square::H1],
            };
            let nearest = corners.map(|corner| distance(bare, corner));
            self.add(at::BARE_KING_CORNER, 7 - nearest[0].min(nearest[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use cozy_chess::{File, Rank};

    use super::*;

    #[test]
    fn pawn_attacks_do_not_run_around_the_board() {
        for color in Color::ALL {
            for square in Square::ALL {
                for target in Square::ALL {
                    let found = pawn_attacks(square.bitboard(), color).has(target);
                    assert_eq!(
                        found,
                        cozy_chess::get_pawn_attacks(square, color).has(target)
                    );
                }
            }
        }
    }

    #[test]
    fn squares_ahead() {
        let ahead = all_ahead(Square::C5.bitboard(), Color::White);
        assert_eq!(
            ahead,
            File::C.bitboard()
                & (Rank::Sixth.bitboard() | Rank::Seventh.bitboard() | Rank::Eighth.bitboard())
        );
        assert_eq!(
            all_ahead(Square::C1.bitboard(), Color::Black),
            BitBoard::EMPTY
        );
    }
}
