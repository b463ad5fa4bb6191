//! Random keys from which position hashes are built by exclusive or (Zobrist, 1970).
//!
//! 128 bits wide, so that equal hashes can be taken for equal positions: superko is exact in
//! practice. The tables are constants made by splitmix64 (Vigna, 2015).

use super::color::Color;
use super::point::{POINTS, Point};

const fn splitmix64(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// `N` keys, which differ by seed.
pub(crate) const fn table<const N: usize>(seed: u64) -> [u128; N] {
    let mut keys = [0; N];
    let mut state = seed;
    let mut i = 0;
    while i < N {
        let (next, high) = splitmix64(state);
        let (next, low) = splitmix64(next);
        state = next;
        keys[i] = (high as u128) << 64 | low as u128;
        i += 1;
    }
    keys
}

static STONES: [[u128; POINTS]; 2] = [table(1), table(2)];
static MARKS: [u128; POINTS] = table(3);
static NUMBERS: [u128; 256] = table(4);

/// The key of a stone.
pub(crate) fn stone(point: Point, color: Color) -> u128 {
    STONES[color as usize][point.raw()]
}

/// The key of a point singled out by the rules (a ko).
pub(crate) fn mark(point: Point) -> u128 {
    MARKS[point.raw()]
}

/// A key for a small number that is part of a position's identity. `kind` keeps apart numbers of
/// different meaning.
pub(crate) fn number(kind: u8, value: u64) -> u128 {
    let (_, high) = splitmix64(value ^ (NUMBERS[kind as usize] as u64));
    let (_, low) = splitmix64(value ^ (NUMBERS[kind as usize] >> 64) as u64);
    (high as u128) << 64 | low as u128
}
