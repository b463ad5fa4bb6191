//! Random keys from which position hashes are built by exclusive or (Zobrist, 1970).
//!
//! 128 bits wide, so that equal hashes can be taken for equal positions: superko is exact in
//! practice. The tables are constants.

use super::color::Color;
use super::point::{POINTS, Point};
use crate::splitmix::{scramble, splitmix};

/// `N` keys, which differ by seed.
pub(crate) const fn table<const N: usize>(seed: u64) -> [u128; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        let place = 2 * i as u64 + 1;
        keys[i] = wide(splitmix(seed, place), splitmix(seed, place + 1));
        i += 1;
    }
    keys
}

const fn wide(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
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
    let key = NUMBERS[kind as usize];
    wide(
        scramble(value ^ key as u64),
        scramble(value ^ (key >> 64) as u64),
    )
}
