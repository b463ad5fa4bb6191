//! The right operand of a 16-bit integer matrix product: scaling before rounding such that no sum
//! overflows.

use super::super::aligned::Aligned;
use super::Rows;
use super::packed::{Packed, Shape, padded};

/// Euclidean lengths of a row of integer operands and of a column of weights: their product is
/// below 2^31, so by the Cauchy-Schwarz inequality no sum of products overflows, nor any part of
/// it. Rounding adds at most `sqrt(depth) / 2` to a length.
pub const ROW_LENGTH: f32 = 32_700.0;
const COLUMN_LENGTH: f32 = 65_400.0;

/// The largest depth for which that holds: `(32700 + 32) * (65400 + 32) < 2^31`.
pub const MAX_INTEGER_DEPTH: usize = 4096;

impl Packed<i16> {
    /// Rounds a matrix given by its values at (row, column) to integers, and packs it.
    ///
    /// # Panics
    ///
    /// Panics if the matrix has more than [`MAX_INTEGER_DEPTH`] rows.
    pub fn integers(
        shape: Shape,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Packed<i16> {
        assert!(depth <= MAX_INTEGER_DEPTH, "sums could overflow");
        let factors: Vec<f64> = (0..columns)
            .map(|c| column_factor((0..depth).map(|k| value(k, c))))
            .collect();
        let scales = factors.iter().map(|&factor| inverse(factor));
        let mut packed = Packed::with_scales(depth, columns, scales);
        for (column, width, start) in packed.places(shape).collect::<Vec<_>>() {
            for k in 0..depth {
                for (c, factor) in factors.iter().enumerate().skip(column).take(width) {
                    let index = start + (k / 2 * width + c - column) * 2 + k % 2;
                    packed.values[index] = (value(k, c) * factor).round() as i16;
                }
            }
        }
        packed
    }

    /// Packs a matrix given by its integer columns, each with the scale that restores its values.
    ///
    /// # Panics
    ///
    /// Panics if the number of rows, `depth`, is odd.
    pub fn of_integer_columns(
        shape: Shape,
        depth: usize,
        columns: Rows<i16>,
        scales: &[f32],
    ) -> Packed<i16> {
        assert!(depth.is_multiple_of(2), "integers come in pairs");
        let scales = scales[..columns.count].iter().copied();
        let mut packed = Packed::with_scales(depth, columns.count, scales);
        let places: Vec<_> = packed.places(shape).collect();
        let pairs: &mut [[i16; 2]] = bytemuck::cast_slice_mut(&mut packed.values);
        for (column, width, start) in places {
            for c in column..(column + width).min(columns.count) {
                let from = &columns.values[c * columns.stride..][..depth];
                let to = pairs[start / 2 + c - column..].iter_mut().step_by(width);
                for (to, from) in to.zip(from.as_chunks().0) {
                    *to = *from;
                }
            }
        }
        packed
    }

    /// Rounds a matrix with this many columns, given by its rows, to integers, and packs it.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MAX_INTEGER_DEPTH`] rows.
    pub fn of_rounded_rows(shape: Shape, columns: usize, rows: Rows<f32>) -> Packed<i16> {
        assert!(rows.count <= MAX_INTEGER_DEPTH, "sums could overflow");
        let row = |k: usize| &rows.values[k * rows.stride..][..columns];
        let (mut squares, mut greatest) = (vec![0.0; columns], vec![0.0_f32; columns]);
        for k in 0..rows.count {
            let sums = squares.iter_mut().zip(&mut greatest);
            for ((squares, greatest), &value) in sums.zip(row(k)) {
                *squares += value * value;
                *greatest = greatest.max(value.abs());
            }
        }
        let columns_sums = squares.iter().zip(&greatest);
        let factors: Vec<f64> = columns_sums
            .map(|(&squares, &greatest)| factor(squares as f64, greatest as f64))
            .collect();
        let scales = factors.iter().map(|&factor| inverse(factor));
        let mut packed = Packed::with_scales(rows.count, columns, scales);
        let factors: Vec<f32> = factors.iter().map(|&factor| factor as f32).collect();
        let nothing = vec![0.0; columns];
        let places: Vec<_> = packed.places(shape).collect();
        for (column, width, start) in places.into_iter().take_while(|place| place.0 < columns) {
            let pairs = packed.values[start..].chunks_exact_mut(2 * width);
            for (pair, to) in pairs.take(rows.count.div_ceil(2)).enumerate() {
                let first = &row(2 * pair)[column..];
                let is_single = 2 * pair + 1 == rows.count;
                let second = if is_single {
                    &nothing
                } else {
                    row(2 * pair + 1)
                };
                let from = first.iter().zip(&second[column..]).zip(&factors[column..]);
                for (to, ((a, b), factor)) in to.as_chunks_mut().0.iter_mut().zip(from) {
                    *to = [rounded(a * factor), rounded(b * factor)];
                }
            }
        }
        packed
    }

    /// A zero matrix with these scales for the first columns.
    fn with_scales(depth: usize, columns: usize, scales: impl Iterator<Item = f32>) -> Packed<i16> {
        let mut scales: Vec<f32> = scales.collect();
        scales.resize(padded(columns), 0.0);
        Packed {
            depth,
            columns: padded(columns),
            values: Aligned::zeroed(depth.next_multiple_of(2) * padded(columns)),
            scales,
        }
    }
}

/// Factor of a column before rounding.
fn column_factor(column: impl Iterator<Item = f64>) -> f64 {
    let (squares, greatest) = column.fold((0.0, 0.0), |(squares, greatest), value: f64| {
        (squares + value * value, value.abs().max(greatest))
    });
    factor(squares, greatest)
}

/// The same for a column with this sum of squares and maximum; 0 for a zero column, NaN if the sum
/// is not finite.
fn factor(squares: f64, greatest: f64) -> f64 {
    if squares < f64::MIN_POSITIVE {
        return 0.0;
    }
    if !squares.is_finite() {
        return f64::NAN;
    }
    (COLUMN_LENGTH as f64 / squares.sqrt()).min(i16::MAX as f64 / greatest)
}

/// The scale that restores a rounded column.
fn inverse(factor: f64) -> f32 {
    if factor == 0.0 {
        0.0
    } else {
        (1.0 / factor) as f32
    }
}

/// Rounds a value within the range of 16-bit integers, ties to even. Adding this constant shifts
/// out the fraction, which leaves the integer in the lowest bits.
#[inline(always)]
fn rounded(value: f32) -> i16 {
    (value + 12_582_912.0).to_bits() as i16
}
