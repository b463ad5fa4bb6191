//! The evaluation of a student's thesis (Pospíšil 2007): one flat list of weights, made to be crossed by a
//! genetic algorithm. Apart from values of pieces it knows who protects and who attacks whom.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::exchange::piece_value;
use super::position::ChessPosition;
use super::squares::few;
use crate::games::weighted::{Features, WeightGroup, Weighted, groups_from_json, groups_to_json};
use crate::minimax::{Score, StaticEval};

/// Kinds of pieces.
const KINDS: usize = Piece::NUM;
/// Pairs of kinds.
const PAIRS: usize = KINDS * KINDS;

/// Names and numbers of weights, in order. Tables of pairs have a row for each kind of piece that protects or attacks,
/// pawn to king, with the kinds that are protected or attacked.
const GROUPS: [(&str, usize); 11] = [
    ("value", KINDS - 1),
    ("protect", PAIRS),
    ("threat_moving", PAIRS),
    ("threat_waiting", PAIRS),
    ("pawn_rank", 6),
    ("bishop_free", 1),
    ("rook_free", 1),
    ("king_room", 1),
    ("king_line", 1),
    ("safe_color", 1),
    ("check", 1),
];

const PROTECT: usize = KINDS - 1;
const MOVING: usize = PROTECT + PAIRS;
const WAITING: usize = MOVING + PAIRS;
const PAWN_RANK: usize = WAITING + PAIRS;
const BISHOP_FREE: usize = PAWN_RANK + 6;
const ROOK_FREE: usize = BISHOP_FREE + 1;
const KING_ROOM: usize = ROOK_FREE + 1;
const KING_LINE: usize = KING_ROOM + 1;
const SAFE_COLOR: usize = KING_LINE + 1;
const CHECK: usize = SAFE_COLOR + 1;
const COUNT: usize = CHECK + 1;

/// Largest weight in hundredths, so that no sum of them is taken for a mate.
const LARGEST: i32 = 3_000;

/// The evaluation with its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thesis {
    weights: [i32; COUNT],
}

/// Set by hand as a start for the genetic algorithm: a threat is worth a tenth of what the victim is worth more
/// than the attacker if the attacker moves, a fiftieth if it does not; a pawn protects a pawn for 5, a queen for 1,
/// and larger pieces protect for less.
impl Default for Thesis {
    fn default() -> Thesis {
        let mut weights = [0; COUNT];
        let value = |piece| match piece {
            Piece::King => 0,
            piece => piece_value(piece),
        };
        for (by, protector) in Piece::ALL.into_iter().enumerate() {
            for (of, piece) in Piece::ALL.into_iter().enumerate() {
                let pair = KINDS * by + of;
                if piece != Piece::King {
                    let protected = [5, 4, 4, 2, 1][of];
                    weights[PROTECT + pair] = (protected - [0, 1, 1, 2, 3, 2][by]).max(0);
                }
                let gain = match protector {
                    Piece::King => value(piece) / 4,
                    attacker => value(piece) - value(attacker),
                };
                weights[MOVING + pair] = gain.max(0) / 10;
                weights[WAITING + pair] = gain.max(0) / 50;
            }
            if protector != Piece::King {
                weights[by] = value(protector);
            }
        }
        weights[PAWN_RANK..BISHOP_FREE].copy_from_slice(&[0, 5, 10, 20, 40, 80]);
        weights[BISHOP_FREE] = 3;
        weights[ROOK_FREE] = 3;
        weights[KING_ROOM] = 4;
        weights[KING_LINE] = -2;
        weights[SAFE_COLOR] = 2;
        weights[CHECK] = 10;
        Thesis { weights }
    }
}

/// Calls `add` with each feature's index and count, positive for White.
fn count(board: &Board, mut add: impl FnMut(usize, i32)) {
    for color in [Color::White, Color::Black] {
        let sign = if color == Color::White { 1 } else { -1 };
        count_side(board, color, &mut |index, count| add(index, sign * count));
    }
    if !board.checkers().is_empty() {
        let by_white = board.side_to_move() == Color::Black;
        add(CHECK, if by_white { 1 } else { -1 });
    }
}

fn count_side(board: &Board, color: Color, add: &mut impl FnMut(usize, i32)) {
    let (own, others) = (board.colors(color), board.colors(!color));
    let threats = match board.side_to_move() == color {
        true => MOVING,
        false => WAITING,
    };
    for (by, piece) in Piece::ALL.into_iter().enumerate() {
        for square in board.colored_pieces(color, piece) {
            if piece != Piece::King {
                add(by, 1);
            }
            let attacks = attacks(board, color, piece, square);
            for (of, other) in Piece::ALL.into_iter().enumerate() {
                let met = attacks & board.pieces(other);
                add(PROTECT + KINDS * by + of, few(met & own));
                add(threats + KINDS * by + of, few(met & others));
            }
            let free = few(attacks & !board.occupied());
            match piece {
                Piece::Pawn => {
                    let rank = square.relative_to(color).rank() as usize;
                    add(PAWN_RANK + rank - 1, 1);
                }
                Piece::Bishop => add(BISHOP_FREE, free),
                Piece::Rook => add(ROOK_FREE, free),
                Piece::King => {
                    add(KING_ROOM, free);
                    let lines = lines(board, square);
                    add(KING_LINE, few(lines & !board.occupied()));
                }
                Piece::Knight | Piece::Queen => {}
            }
        }
    }
    for squares in [BitBoard::LIGHT_SQUARES, BitBoard::DARK_SQUARES] {
        let attackers = board.pieces(Piece::Queen) | board.pieces(Piece::Bishop) & squares;
        if (attackers & others).is_empty() {
            add(SAFE_COLOR, few(own & squares));
        }
    }
}

fn attacks(board: &Board, color: Color, piece: Piece, square: Square) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(square, color),
        Piece::Knight => get_knight_moves(square),
        Piece::Bishop => get_bishop_moves(square, board.occupied()),
        Piece::Rook => get_rook_moves(square, board.occupied()),
        Piece::Queen => lines(board, square),
        Piece::King => get_king_moves(square),
    }
}

/// Squares along open lines.
fn lines(board: &Board, square: Square) -> BitBoard {
    get_bishop_moves(square, board.occupied()) | get_rook_moves(square, board.occupied())
}

impl Thesis {
    /// Whether weights of this name belong to it.
    pub(super) fn knows(name: &str) -> bool {
        GROUPS.iter().any(|(group, _)| *group == name)
    }

    /// Hundredths of a pawn from White's point of view.
    pub fn white(&self, board: &Board) -> Score {
        let mut sum = 0;
        count(board, |index, count| sum += self.weights[index] * count);
        sum
    }
}

impl StaticEval<ChessPosition> for Thesis {
    fn evaluate(&self, position: &ChessPosition) -> Score {
        let score = self.white(&position.board);
        match position.board.side_to_move() {
            Color::White => score,
            Color::Black => -score,
        }
    }
}

impl Weighted<ChessPosition> for Thesis {
    fn groups(&self) -> Vec<WeightGroup> {
        let group = |&(name, size): &(&str, usize)| WeightGroup::new(name, size);
        GROUPS.iter().map(group).collect()
    }

    fn weights(&self) -> Vec<i32> {
        self.weights.to_vec()
    }

    fn with_weights(&self, weights: &[i32]) -> Thesis {
        let mut thesis = self.clone();
        for (weight, new) in thesis.weights.iter_mut().zip(weights) {
            *weight = (*new).clamp(-LARGEST, LARGEST);
        }
        thesis
    }

    fn to_json(&self) -> String {
        groups_to_json(&GROUPS, self.weights.iter().map(i32::to_string))
    }

    fn from_json(text: &str) -> Result<Thesis> {
        let mut thesis = Thesis::default();
        groups_from_json(text, &GROUPS, &mut thesis.weights)?;
        let too_large = |weight: &&i32| !(-LARGEST..=LARGEST).contains(*weight);
        match thesis.weights.iter().find(too_large) {
            Some(weight) => bail!("{weight} is too large: weights are -{LARGEST} to {LARGEST}"),
            None => Ok(thesis),
        }
    }

    fn features(&self, position: &ChessPosition) -> Features {
        let mut counts: BTreeMap<usize, i32> = BTreeMap::new();
        count(&position.board, |index, count| {
            *counts.entry(index).or_default() += count;
        });
        let counts = counts.into_iter().filter(|(_, count)| *count != 0);
        Features {
            counts: counts.map(|(index, count)| (index, count as f32)).collect(),
            constant: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fen;
    use super::*;

    const POSITIONS: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/8/8/8/4q3/4KBN1 w - - 0 1",
    ];

    #[test]
    fn features_times_weights_are_the_evaluation() {
        let thesis = Thesis::default();
        let weights: Vec<f64> = thesis.weights().into_iter().map(f64::from).collect();
        let sizes = thesis.groups().into_iter().map(|group| group.size);
        assert_eq!(weights.len(), sizes.sum::<usize>());
        for text in POSITIONS {
            let position = fen::parse(text).unwrap();
            let value = thesis.features(&position).value(&weights);
            assert_eq!(value, f64::from(thesis.white(&position.board)), "{text}");
        }
    }

    /// Counted by hand: White's pawn on e4 attacks the knight on d5, which attacks nothing.
    #[test]
    fn a_pawn_attacks_a_knight() {
        let position = fen::parse("4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1").unwrap();
        let counts: BTreeMap<usize, f32> = Thesis::default()
            .features(&position)
            .counts
            .into_iter()
            .collect();
        let (pawn, knight) = (Piece::Pawn as usize, Piece::Knight as usize);
        assert_eq!(counts[&pawn], 1.0);
        assert_eq!(counts[&knight], -1.0);
        assert_eq!(counts[&(MOVING + KINDS * pawn + knight)], 1.0);
        assert_eq!(counts.get(&(WAITING + KINDS * knight + pawn)), None);
        assert_eq!(counts[&(PAWN_RANK + 2)], 1.0);
        // Nobody has a queen or bishop: all pieces of both are safe, two each.
        assert_eq!(counts.get(&SAFE_COLOR), None);
        assert_eq!(counts.get(&CHECK), None);
    }

    #[test]
    fn weights_are_written_and_read() {
        let thesis = Thesis::default();
        assert_eq!(Thesis::from_json(&thesis.to_json()).unwrap(), thesis);
        assert_eq!(thesis.with_weights(&thesis.weights()), thesis);
        for text in [
            "{\"check\": [1, 2]}",
            "{\"check\": [5000]}",
            "{\"tempo\": [1]}",
            "[]",
        ] {
            assert!(Thesis::from_json(text).is_err(), "{text}");
        }
    }
}
