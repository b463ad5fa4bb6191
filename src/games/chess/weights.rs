//! The weights of the evaluation, by name. Each is a pair in hundredths of a pawn, for the middle
//! game and for the end game. The built-in ones are tuned by games (`weights/README.md`).

use std::sync::LazyLock;

use anyhow::Result;
use cozy_chess::{Piece, Square};
use serde::Deserialize;

use crate::games::weighted::{groups_from_json, groups_to_json};

/// A weight in the middle game and in the end game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Pair(pub i16, pub i16);

/// A group of weights: its name and number of weights.
pub type Group = (&'static str, usize);

/// All groups, in the order of their weights.
pub const GROUPS: [Group; 33] = [
    ("material", 5),
    ("pawn_square", 32),
    ("knight_square", 32),
    ("bishop_square", 32),
    ("rook_square", 32),
    ("queen_square", 32),
    ("king_square", 32),
    ("knight_mobility", 9),
    ("bishop_mobility", 14),
    ("rook_mobility", 15),
    ("queen_mobility", 28),
    ("bishop_pair", 1),
    ("rook_open_file", 1),
    ("rook_half_open_file", 1),
    ("passed", 6),
    ("passed_free", 6),
    ("passed_own_king", 1),
    ("passed_enemy_king", 1),
    ("connected", 6),
    ("isolated", 1),
    ("doubled", 1),
    ("backward", 1),
    ("shelter_near", 1),
    ("shelter_far", 1),
    ("king_open_file", 1),
    ("king_danger", 32),
    ("pawn_attacks", 3),
    ("minor_attacks_major", 1),
    ("undefended", 1),
    ("tempo", 1),
    ("bare_king_edge", 1),
    ("bare_king_near", 1),
    ("bare_king_corner", 1),
];

/// Index of the first weight of a group, which must exist.
const fn first(name: &str) -> usize {
    let (mut index, mut start) = (0, 0);
    while index < GROUPS.len() {
        let group = GROUPS[index];
        if is_equal(group.0.as_bytes(), name.as_bytes()) {
            return start;
        }
        start += group.1;
        index += 1;
    }
    panic!("no group has this name")
}

const fn is_equal(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() && left[index] == right[index] {
        index += 1;
    }
    index == left.len() && index == right.len()
}

/// Largest weight in hundredths, so that no sum of them is taken for a mate.
const LARGEST: i32 = 3_000;

/// Number of weights.
pub const COUNT: usize = {
    let (mut index, mut count) = (0, 0);
    while index < GROUPS.len() {
        count += GROUPS[index].1;
        index += 1;
    }
    count
};

/// First weights of the groups.
pub(super) mod at {
    use super::first;

    pub const MATERIAL: usize = first("material");
    /// By piece, 32 each.
    pub const SQUARES: usize = first("pawn_square");
    pub const KNIGHT_MOBILITY: usize = first("knight_mobility");
    pub const BISHOP_MOBILITY: usize = first("bishop_mobility");
    pub const ROOK_MOBILITY: usize = first("rook_mobility");
    pub const QUEEN_MOBILITY: usize = first("queen_mobility");
    pub const BISHOP_PAIR: usize = first("bishop_pair");
    pub const ROOK_OPEN_FILE: usize = first("rook_open_file");
    pub const ROOK_HALF_OPEN_FILE: usize = first("rook_half_open_file");
    pub const PASSED: usize = first("passed");
    pub const PASSED_FREE: usize = first("passed_free");
    pub const PASSED_OWN_KING: usize = first("passed_own_king");
    pub const PASSED_ENEMY_KING: usize = first("passed_enemy_king");
    pub const CONNECTED: usize = first("connected");
    pub const ISOLATED: usize = first("isolated");
    pub const DOUBLED: usize = first("doubled");
    pub const BACKWARD: usize = first("backward");
    pub const SHELTER_NEAR: usize = first("shelter_near");
    pub const SHELTER_FAR: usize = first("shelter_far");
    pub const KING_OPEN_FILE: usize = first("king_open_file");
    pub const KING_DANGER: usize = first("king_danger");
    pub const PAWN_ATTACKS: usize = first("pawn_attacks");
    pub const MINOR_ATTACKS_MAJOR: usize = first("minor_attacks_major");
    pub const UNDEFENDED: usize = first("undefended");
    pub const TEMPO: usize = first("tempo");
    pub const BARE_KING_EDGE: usize = first("bare_king_edge");
    pub const BARE_KING_NEAR: usize = first("bare_king_near");
    pub const BARE_KING_CORNER: usize = first("bare_king_corner");
}

/// Index of the weight of a piece on a square, as its side sees it; the files are mirrored.
pub fn square_index(piece: Piece, relative: Square) -> usize {
    let file = (relative.file() as usize).min(7 - relative.file() as usize);
    at::SQUARES + 32 * piece as usize + relative.rank() as usize * 4 + file
}

/// The weights of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    pairs: Vec<Pair>,
    /// The same as sums, see [`Sum`].
    sums: Vec<Sum>,
    /// Material and square of each piece on each square, as its side sees it.
    squares: Vec<Sum>,
}

/// A sum for the middle game and one for the end game in one number: the latter counts 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(i64);

impl Sum {
    fn new(pair: Pair) -> Sum {
        Sum((i64::from(pair.1) << 32) + i64::from(pair.0))
    }

    /// Adds a multiple of another one.
    #[inline(always)]
    pub fn add(&mut self, other: Sum, count: i32) {
        self.0 += other.0 * i64::from(count);
    }

    /// Middle game and end game.
    pub fn parts(self) -> (i32, i32) {
        let middle = self.0 as i32;
        (middle, ((self.0 - i64::from(middle)) >> 32) as i32)
    }
}

/// The weights that come with the program.
const BUILT_IN: &str = include_str!("../../../weights/chess.json");

static DEFAULT: LazyLock<Weights> = LazyLock::new(|| {
    let mut pairs = vec![Pair::default(); COUNT];
    // A test reads the file.
    groups_from_json(BUILT_IN, &GROUPS, &mut pairs).unwrap_or_default();
    Weights::new(pairs)
});

impl Default for Weights {
    fn default() -> Weights {
        DEFAULT.clone()
    }
}

impl Weights {
    /// From as many pairs as there are weights.
    fn new(pairs: Vec<Pair>) -> Weights {
        let sums: Vec<Sum> = pairs.iter().copied().map(Sum::new).collect();
        let square = |piece: Piece, square| {
            let mut sum = sums[square_index(piece, square)];
            if piece != Piece::King {
                sum.add(sums[at::MATERIAL + piece as usize], 1);
            }
            sum
        };
        let squares = Piece::ALL
            .into_iter()
            .flat_map(|piece| Square::ALL.map(|at| square(piece, at)));
        Weights {
            squares: squares.collect(),
            sums,
            pairs,
        }
    }

    /// The weight with this index, which is below [`COUNT`].
    #[inline(always)]
    pub fn get(&self, index: usize) -> Sum {
        self.sums[index]
    }

    /// Material and square of a piece, as its side sees it.
    #[inline(always)]
    pub fn piece(&self, piece: Piece, relative: Square) -> Sum {
        self.squares[Square::NUM * piece as usize + relative as usize]
    }

    /// Middle game and end game of each weight in turn.
    pub fn numbers(&self) -> Vec<i32> {
        let pairs = self.pairs.iter();
        pairs
            .flat_map(|pair| [pair.0.into(), pair.1.into()])
            .collect()
    }

    /// From [`Weights::numbers`]; those that are too large become the largest.
    pub fn of_numbers(numbers: &[i32]) -> Weights {
        let weight = |number: i32| number.clamp(-LARGEST, LARGEST) as i16;
        let pair = |pair: &[i32]| Pair(weight(pair[0]), weight(pair[1]));
        Weights::new(numbers.chunks_exact(2).map(pair).collect())
    }

    /// The weights as a JSON object: for each group a list of pairs.
    pub fn to_json(&self) -> String {
        let pairs = self.pairs.iter();
        groups_to_json(&GROUPS, pairs.map(|it| format!("[{}, {}]", it.0, it.1)))
    }

    /// Reads what [`Weights::to_json`] writes. Groups that are missing keep their built-in values.
    pub fn from_json(text: &str) -> Result<Weights> {
        let mut pairs = Weights::default().pairs;
        groups_from_json(text, &GROUPS, &mut pairs)?;
        Ok(Weights::new(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_weights_are_whole() {
        let mut pairs = vec![Pair(i16::MAX, i16::MAX); COUNT];
        groups_from_json(BUILT_IN, &GROUPS, &mut pairs).unwrap();
        assert_eq!(pairs, Weights::default().pairs);
        let mut numbers = pairs.iter().flat_map(|pair| [pair.0, pair.1]);
        assert!(numbers.all(|number| i32::from(number).abs() <= LARGEST));
    }

    #[test]
    fn weights_survive_a_file() {
        let mut pairs = Weights::default().pairs;
        pairs[at::PASSED + 2] = Pair(-7, 1234);
        let weights = Weights::new(pairs);
        assert_eq!(Weights::from_json(&weights.to_json()).unwrap(), weights);
        assert_eq!(weights.pairs.len(), COUNT);
    }

    #[test]
    fn sums_come_apart_again() {
        let mut sum = Sum::default();
        sum.add(Sum::new(Pair(-3000, 2999)), 40);
        sum.add(Sum::new(Pair(1, -3)), -7);
        assert_eq!(sum.parts(), (-120_007, 119_981));
        sum.add(Sum::new(Pair(3000, -3000)), 50);
        assert_eq!(sum.parts(), (29_993, -30_019));
    }

    #[test]
    fn errors_name_the_group() {
        let message = |text| format!("{:#}", Weights::from_json(text).unwrap_err());
        assert!(message("{\"elephants\": []}").contains("no weights 'elephants'"));
        assert!(message("{\"tempo\": []}").contains("'tempo' has 0 weights instead of 1"));
        assert!(message("[").contains("JSON object"));
    }
}
