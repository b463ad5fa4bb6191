//! Transposition of pairs, for products whose inner index is the row in memory.

use std::arch::x86_64::*;

use super::super::bf16::Pair;
use super::super::vector::Simd;
use super::Vectors;
use super::tiles::{TILE, Tile};

/// The left operand, transposed.
pub struct Transposed {
    tiles: Vec<Tile>,
    rows: usize,
    /// Stride of rows, in pairs.
    pub stride: usize,
}

impl Transposed {
    /// Room for rows of this many steps; the number of rows is a multiple of 16.
    pub fn new(rows: usize, steps: usize) -> Transposed {
        let stride = steps.next_multiple_of(TILE);
        let tiles = vec![Tile([0; TILE * TILE]); rows / TILE * (stride / TILE)];
        Transposed {
            tiles,
            rows,
            stride,
        }
    }

    /// All rows, from this step on.
    pub fn from(&self, step: usize) -> *const Pair {
        self.tiles.as_ptr().cast::<Pair>().wrapping_add(step)
    }

    /// Copies `count` steps with this stride in memory.
    ///
    /// # Safety
    ///
    /// Needs AVX-512 and memory for the steps; `count` must not exceed the room.
    #[inline(always)]
    pub unsafe fn fill(&mut self, (from, stride): (*const Pair, usize), steps: usize) {
        let to = self.tiles.as_mut_ptr().cast::<Pair>();
        for row in (0..self.rows).step_by(TILE) {
            for step in (0..steps).step_by(TILE) {
                let from = from.add(step * stride + row);
                let to = to.add(row * self.stride + step);
                transpose((from, stride), (to, self.stride), TILE.min(steps - step));
            }
        }
    }
}

/// Transposes 16 rows of pairs; all but the first `count` are 0. Both sides have strides.
#[inline(always)]
unsafe fn transpose(from: (*const Pair, usize), to: (*mut Pair, usize), count: usize) {
    let rows: [__m512i; TILE] = std::array::from_fn(|row| match row < count {
        true => Vectors::load_pairs(from.0.add(row * from.1).cast()),
        false => Vectors::zero_i(),
    });
    // Blocks of two, four and more rows, in each of the four parts of a register.
    let twos: [__m512i; TILE] = std::array::from_fn(|i| match i % 2 {
        0 => _mm512_unpacklo_epi32(rows[i], rows[i + 1]),
        _ => _mm512_unpackhi_epi32(rows[i - 1], rows[i]),
    });
    let fours: [__m512i; TILE] = std::array::from_fn(|i| {
        let first = i / 4 * 4 + i % 4 / 2;
        match i % 2 {
            0 => _mm512_unpacklo_epi64(twos[first], twos[first + 2]),
            _ => _mm512_unpackhi_epi64(twos[first], twos[first + 2]),
        }
    });
    // `fours[4 * g + j]` has column `4 * part + j` of the rows `4 * g` and up.
    for j in 0..4 {
        let [a, b, c, d] = [0, 4, 8, 12].map(|group| fours[group + j]);
        let (ab, cd) = (shuffle::<0x44>(a, b), shuffle::<0x44>(c, d));
        let (ab_high, cd_high) = (shuffle::<0xee>(a, b), shuffle::<0xee>(c, d));
        let columns = [
            shuffle::<0x88>(ab, cd),
            shuffle::<0xdd>(ab, cd),
            shuffle::<0x88>(ab_high, cd_high),
            shuffle::<0xdd>(ab_high, cd_high),
        ];
        for (part, column) in columns.into_iter().enumerate() {
            _mm512_storeu_si512(to.0.add((4 * part + j) * to.1).cast(), column);
        }
    }
}

/// Interleaves two parts of each.
#[inline(always)]
unsafe fn shuffle<const PARTS: i32>(a: __m512i, b: __m512i) -> __m512i {
    _mm512_shuffle_i32x4::<PARTS>(a, b)
}
