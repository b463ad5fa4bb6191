//! Patterns of men: a value for each way in which the men of both sides can stand on a block of eight squares, four rows
//! high and two squares wide. Blocks overlap: there is one at every second row and at every column.
//!
//! What a pattern is worth to White the same pattern turned by half a turn is worth to Black, so that only half of the
//! values are free.

use super::board::Squares;
use super::position::DraughtsPosition;

/// The sets of values, named after the variants that they are tuned by, with the squares of a row.
/// [`Variant::patterns`](super::variant::Variant::patterns) says which variant uses which.
const SETS: [(&str, usize); 4] = [
    ("international", 5),
    ("russian", 4),
    ("czech", 4),
    ("english", 4),
];
/// States of four squares of two rows.
const QUARTER: usize = 81;
/// States of a block.
const STATES: usize = QUARTER * QUARTER;
/// The four squares of a set of two rows, a bit each, as digits to the base 3.
const DIGITS: [u8; 16] = [0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31, 36, 37, 39, 40];

/// The values of all sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns([Set; SETS.len()]);

/// Values for boards of a size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set {
    /// The free values, in hundredths of a man.
    free: Vec<i16>,
    /// The value of each state of each block, for White.
    table: Vec<i16>,
}

impl Patterns {
    /// Names of the sets with their numbers of values.
    pub fn groups() -> impl Iterator<Item = (&'static str, usize)> {
        let size = |width| (last_block(width) / 2 + 1) * STATES;
        SETS.into_iter()
            .map(move |(name, width)| (name, size(width)))
    }

    /// The values of all sets.
    pub fn values(&self) -> impl Iterator<Item = i16> {
        self.0.iter().flat_map(|set| set.free.iter().copied())
    }

    /// From as many values as [`Patterns::values`] gives.
    pub fn of_values(mut values: impl Iterator<Item = i16>) -> Patterns {
        let mut sizes = Patterns::groups().map(|group| group.1);
        Patterns(SETS.map(|(_, width)| {
            let size = sizes.next().unwrap_or_default();
            Set::new(width, values.by_ref().take(size).collect())
        }))
    }

    /// What the men are worth to White beyond their number, in hundredths of a man.
    pub fn white(&self, position: &DraughtsPosition) -> i32 {
        let (set, mut sum) = (&self.0[position.variant().patterns], 0);
        each_state(position, |block, state| {
            sum += i32::from(set.table[block * STATES + state]);
        });
        sum
    }

    /// The indices of the values of a position's patterns among all values, and with which sign they count for White.
    pub fn features(position: &DraughtsPosition) -> Vec<(usize, f32)> {
        let mut found = Vec::new();
        let set = position.variant().patterns;
        let first: usize = Patterns::groups().take(set).map(|group| group.1).sum();
        let last = last_block(SETS[set].1);
        each_state(position, |block, state| {
            if let Some((index, sign)) = place(block, state, last) {
                found.push((first + index, sign));
            }
        });
        found
    }
}

impl Set {
    fn new(width: usize, free: Vec<i16>) -> Set {
        let last = last_block(width);
        let value = |block, state| {
            let place = place(block, state, last);
            place.map_or(0, |(index, sign)| free[index] * sign as i16)
        };
        let all = (0..=last).flat_map(|block| (0..STATES).map(move |state| (block, state)));
        Set {
            table: all.map(|(block, state)| value(block, state)).collect(),
            free,
        }
    }
}

/// The number of the last block.
fn last_block(width: usize) -> usize {
    (width - 1) * (width - 1) - 1
}

/// The index of the value of a block's state, and its sign; none if it is worth the same to both sides.
fn place(block: usize, state: usize, last: usize) -> Option<(usize, f32)> {
    let (its, turned) = ((block, state), (last - block, turned(state)));
    let (block, state) = its.min(turned);
    let sign = if its < turned { 1.0 } else { -1.0 };
    (its != turned).then_some((block * STATES + state, sign))
}

/// The state of a block after half a turn with colors exchanged: digits 1 and 2 swapped, in the opposite order.
fn turned(mut state: usize) -> usize {
    let mut turned = 0;
    for _ in 0..8 {
        turned = 3 * turned + (3 - state % 3) % 3;
        state /= 3;
    }
    turned
}

/// Calls a function with each block and its state.
fn each_state(position: &DraughtsPosition, tell: impl FnMut(usize, usize)) {
    let men = [true, false].map(|is_white| position.pieces(is_white) & !position.kings());
    match position.variant().side {
        10 => each_state_of::<5>(men, tell),
        _ => each_state_of::<4>(men, tell),
    }
}

/// The same for rows of so many squares. Two rows follow each other without a gap, then comes a bit of no square.
#[inline(always)]
fn each_state_of<const WIDTH: usize>(men: [Squares; 2], mut tell: impl FnMut(usize, usize)) {
    let mut above = [0; WIDTH];
    for pair in 0..WIDTH {
        let mut here = [0; WIDTH];
        let rows = men.map(|men| men >> (pair * (2 * WIDTH + 1)));
        for column in 0..WIDTH - 1 {
            let [white, black] = rows.map(|rows| {
                let squares = rows >> column & 3 | (rows >> (column + WIDTH) & 3) << 2;
                usize::from(DIGITS[squares as usize])
            });
            here[column] = white + 2 * black;
            if pair > 0 {
                let block = (pair - 1) * (WIDTH - 1) + column;
                tell(block, above[column] + QUARTER * here[column]);
            }
        }
        above = here;
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::parse_position;
    use super::super::variant::Variant;
    use super::*;

    /// Random values from -128 to 127.
    fn random(mut number: u64) -> Patterns {
        Patterns::of_values(std::iter::repeat_with(|| {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (number >> 56) as i16 - 128
        }))
    }

    #[test]
    fn half_a_turn_of_a_state() {
        assert_eq!(turned(1), 2 * 3_usize.pow(7));
        assert_eq!(turned(5 * QUARTER + 7), {
            // 7 is 21, 5 is 12 to the base 3: the lowest digits first.
            let digits = [1, 2, 0, 0, 2, 1, 0, 0];
            let swapped = digits.map(|digit| (3 - digit) % 3);
            // The lowest digit becomes the highest.
            swapped.iter().fold(0, |sum, digit| 3 * sum + digit)
        });
        assert!((0..STATES).all(|state| turned(turned(state)) == state));
    }

    /// The position with colors exchanged, turned by half a turn, is worth the opposite.
    #[test]
    fn values_are_those_of_the_opponent_turned() {
        let patterns = random(7);
        let pairs = [
            (
                "international",
                "W:W31,37,42,K5:B7,12,20",
                "W:W44,39,31:B20,14,9,K46",
            ),
            ("russian", "W:W21,25,30:B2,10,11", "W:W31,23,22:B12,8,3"),
        ];
        for (name, text, opposite) in pairs {
            let variant = Variant::named(Some(name)).unwrap();
            let [white, black] = [text, opposite]
                .map(|text| patterns.white(&parse_position(variant, text).unwrap()));
            assert_eq!(white, -black);
            assert_ne!(white, 0);
        }
    }

    #[test]
    fn features_times_values_are_the_sum() {
        let patterns = random(3);
        let values: Vec<i16> = patterns.values().collect();
        for (name, text) in [
            ("international", "W:W31-36,42,K5:B7,12,20,24"),
            ("brazilian", "B:W21,25,30:B2,10,11"),
            ("italian", "B:W21,25,30:B2,10,11"),
        ] {
            let variant = Variant::named(Some(name)).unwrap();
            let position = parse_position(variant, text).unwrap();
            let features = Patterns::features(&position);
            let terms = features
                .iter()
                .map(|&(index, sign)| sign * f32::from(values[index]));
            assert_eq!(
                terms.sum::<f32>() as i32,
                patterns.white(&position),
                "{name}"
            );
            assert!(!features.is_empty(), "{name}");
        }
    }
}
