//! Hashes of positions as KataGo reports them, so that clients which store analyses by hash find those of
//! either program: Zobrist hashes of size, stones, ko and player to move. Their keys are drawn from
//! KataGo's random generator (its `core/rand.cpp` and `game/board.cpp`).

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::go::point::MAX_SIZE;
use crate::go::{BoardSize, Color, Point, Position, Symmetry};

/// The seed of the keys of players, stones and kos: KataGo's text after the first word of its
/// MD5 sum.
const STONES: &str = "|3325535574|Board::initHash()";

/// The same for the keys of board sizes.
const SIZES: &str = "|2514659587|Board::initHash() for ZOBRIST_SIZE hashes";

/// Points of KataGo's array for the largest board, which has a border of one.
const POINTS: usize = (MAX_SIZE + 1) * (MAX_SIZE + 2) + 1;

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

/// The hash of a position, and the smallest hash of its images under the symmetries, which is the same
/// for all of them. Neither depends on rules, komi or moves before.
pub(super) fn hashes(position: &Position) -> (u128, u128) {
    let of_image = |symmetry| KEYS.hash(position, symmetry);
    let own = of_image(Symmetry::IDENTITY);
    (own, Symmetry::all().map(of_image).fold(own, u128::min))
}

struct Keys {
    players: [u128; 2],
    /// Of black and white stones.
    stones: Vec<[u128; 2]>,
    kos: Vec<u128>,
    widths: Vec<u128>,
    heights: Vec<u128>,
}

impl Keys {
    fn new() -> Keys {
        let mut generator = Generator::new(STONES);
        // Keys of no player, both players and the border, then of three phases of the game.
        let [_, black, white, ..] = [(); 7].map(|()| generator.key());
        let mut keys = Keys {
            players: [black, white],
            stones: Vec::new(),
            kos: Vec::new(),
            widths: Vec::new(),
            heights: Vec::new(),
        };
        for _ in 0..POINTS {
            // Stones of each color, each followed by the key of a blocked ko.
            let [black, _, white, _, ko] = [(); 5].map(|()| generator.key());
            keys.stones.push([black, white]);
            keys.kos.push(ko);
        }
        let mut generator = Generator::new(SIZES);
        for _ in 0..=MAX_SIZE {
            keys.widths.push(generator.key());
            keys.heights.push(generator.key());
        }
        keys
    }

    /// The hash of the image of a position.
    fn hash(&self, position: &Position, symmetry: Symmetry) -> u128 {
        let from = position.size();
        let size = symmetry.size(from);
        let place = |point: Point| place(symmetry.point(from, point), size);
        let mut hash = self.widths[size.width()] ^ self.heights[size.height()];
        for color in Color::BOTH {
            for point in position.board().stones_of(color).iter() {
                hash ^= self.stones[place(point)][color as usize];
            }
        }
        if let Some(ko) = position.ko() {
            hash ^= self.kos[place(ko)];
        }
        hash ^ self.players[position.to_move() as usize]
    }
}

/// KataGo's index of a point: rows from the top, with a border of one.
fn place(point: Point, size: BoardSize) -> usize {
    let row = size.height() - 1 - point.row();
    (row + 1) * (size.width() + 1) + point.column() + 1
}

/// KataGo's random generator: the sum of xorshift1024* (Vigna) and a PCG of 64 bits (O'Neill).
struct Generator {
    shifted: [u64; 16],
    index: usize,
    state: u64,
}

impl Generator {
    /// A seed is stretched by hashing it after a counter that runs in steps of 37.
    fn new(seed: &str) -> Generator {
        let hashed = |counter| Sha256::digest(format!("{counter}{seed}"));
        let words = (0..).step_by(37).flat_map(|counter: u32| {
            let hash: [u8; 32] = hashed(counter).into();
            hash.as_chunks()
                .0
                .iter()
                .map(|word| u64::from_be_bytes(*word))
                .collect::<Vec<_>>()
        });
        let mut words = words.filter(|&word| word != 0);
        let mut next = || words.next().unwrap_or_default();
        Generator {
            shifted: [(); 16].map(|()| next()),
            index: 0,
            state: next(),
        }
    }

    fn key(&mut self) -> u128 {
        let parts = [(); 4].map(|()| u128::from(self.next()));
        parts.iter().rev().fold(0, |key, part| key << 32 | part)
    }

    fn next(&mut self) -> u32 {
        self.next_permuted().wrapping_add(self.next_shifted())
    }

    fn next_shifted(&mut self) -> u32 {
        let first = self.shifted[self.index];
        self.index = (self.index + 1) % self.shifted.len();
        let second = self.shifted[self.index];
        let second = second ^ second << 31;
        let mixed = first ^ first >> 30 ^ second ^ second >> 11;
        self.shifted[self.index] = mixed;
        (mixed.wrapping_mul(1_181_783_497_276_652_981) >> 32) as u32
    }

    fn next_permuted(&mut self) -> u32 {
        let next = self.state.wrapping_mul(6_364_136_223_846_793_005);
        self.state = next.wrapping_add(1_442_695_040_888_963_407);
        let mixed = ((self.state >> 18 ^ self.state) >> 27) as u32;
        mixed.rotate_right((self.state >> 59) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Komi, Move, Rules};

    /// A position after moves of alternating colors.
    fn position(width: usize, height: usize, first: Color, moves: &str) -> Position {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(15));
        let mut color = first;
        for mv in moves.split_whitespace() {
            let mv: Move = mv.parse().unwrap();
            position.play_reported(color, mv).unwrap();
            color = !color;
        }
        position
    }

    /// The expected values are in KataGo's own test results (1.17: `basic.txt`, `symmetry.txt`).
    #[test]
    fn hashes_are_those_of_katago() {
        let cases = [
            (
                position(7, 7, Color::White, "C5 C6"),
                0x290A_C1DB_3934_9793_CE09_682A_F7CA_6A6E,
                0x142D_62B9_0272_7ED7_A147_F452_2410_9E72,
            ),
            (
                position(19, 19, Color::Black, "D4"),
                0xF311_E6CD_DDBB_BFD4_1259_8613_901B_8E82,
                0x0446_3BE4_82B5_2BD7_08FC_9C24_7BE1_C910,
            ),
        ];
        for (position, this, symmetric) in cases {
            assert_eq!(hashes(&position), (this, symmetric));
        }
    }

    #[test]
    fn images_share_symmetric_hash_and_ko_counts() {
        let first = position(9, 5, Color::Black, "C2 E3");
        let second = position(5, 9, Color::Black, "B3 C5");
        assert_eq!(hashes(&first).1, hashes(&second).1);
        assert_ne!(hashes(&first).0, hashes(&second).0);
        let ko = "C3 D3 B2 E2 C1 D1 D2 C2";
        let taken = position(9, 9, Color::Black, ko);
        assert!(taken.ko().is_some());
        let mut resumed = taken.clone();
        resumed.play(Move::Pass);
        resumed.play(Move::Pass);
        assert_ne!(hashes(&taken).0, hashes(&resumed).0);
    }
}
