//! Row-wise functions of transformers: norms, softmax, gates.

use super::finish::{Act, Silu};
use super::integers::ROW_LENGTH;
use super::packed::padded;
use super::vector::{Simd, exp_of_negative};

/// `to = from / sqrt(squares / channels + epsilon)` with the row's sum of squares. The padding, up
/// to a multiple of 16, must be zero.
///
/// # Safety
///
/// Needs the instruction set and both rows with their padding.
#[inline(always)]
pub unsafe fn rms_norm<S: Simd>(from: *const f32, channels: usize, epsilon: f32, to: *mut f32) {
    let len = padded(channels);
    let mut squares = S::splat(0.0);
    for i in (0..len).step_by(S::LANES) {
        let values = S::load(from.add(i));
        squares = S::mul_add(values, values, squares);
    }
    let squares = S::sum(squares);
    // NaN if the sum overflows: without the second term the row would become zeros.
    let factor = 1.0 / (squares / channels as f32 + epsilon).sqrt() + 0.0 * squares;
    let factor = S::splat(factor);
    for i in (0..len).step_by(S::LANES) {
        S::store(to.add(i), S::mul(S::load(from.add(i)), factor));
    }
}

/// Replaces each value by `e^(value - greatest)`, and returns their sum. Values between `len` and
/// the next multiple of 16 become nearly zero.
///
/// # Safety
///
/// Needs the instruction set and the row with its padding.
#[inline(always)]
pub unsafe fn exponentials<S: Simd>(row: *mut f32, len: usize) -> f32 {
    let (sum, _) = exponentials_and_sums::<S>(row, len);
    sum
}

/// The same; returns their sum and that of their squares.
#[inline(always)]
unsafe fn exponentials_and_sums<S: Simd>(row: *mut f32, len: usize) -> (f32, f32) {
    for i in len..padded(len) {
        *row.add(i) = f32::MIN;
    }
    let greatest = S::splat(greatest::<S>(row, padded(len)));
    let (mut sums, mut squares) = (S::splat(0.0), S::splat(0.0));
    for i in (0..padded(len)).step_by(S::LANES) {
        let value = exp_of_negative::<S>(S::sub(S::load(row.add(i)), greatest));
        sums = S::add(sums, value);
        squares = S::mul_add(value, value, squares);
        S::store(row.add(i), value);
    }
    (S::sum(sums), S::sum(squares))
}

/// The maximum of a multiple of 16 values, in as many registers at once as hide the latency of an instruction.
#[inline(always)]
unsafe fn greatest<S: Simd>(row: *const f32, len: usize) -> f32 {
    let mut greatest = [S::splat(f32::MIN); 4];
    for i in (0..len).step_by(16) {
        for (part, greatest) in greatest.iter_mut().enumerate().take(16 / S::LANES) {
            *greatest = S::max(*greatest, S::load(row.add(i + part * S::LANES)));
        }
    }
    let [a, b, c, d] = greatest;
    S::greatest(S::max(S::max(a, b), S::max(c, d)))
}

/// Rounds `e^value` to integers as [`round`] does, those of the padding to 0, and returns the scale
/// that makes their sum 1. The row is overwritten.
///
/// # Safety
///
/// Needs the instruction set and both rows with their padding.
#[inline(always)]
pub unsafe fn shares<S: Simd>(row: *mut f32, len: usize, to: *mut i16) -> f32 {
    let (sum, squares) = exponentials_and_sums::<S>(row, len);
    let factor = ROW_LENGTH / squares.sqrt();
    let factors = S::splat(factor);
    for i in (0..padded(len)).step_by(16) {
        S::store_products(to.add(i), row.add(i), factors);
    }
    1.0 / (factor * sum)
}

/// `to = silu(inner) * gate`, of a multiple of 16 values.
///
/// # Safety
///
/// Needs the instruction set and as many values behind all pointers.
#[inline(always)]
pub unsafe fn gated<S: Simd>(inner: *const f32, gate: *const f32, len: usize, to: *mut f32) {
    for i in (0..len).step_by(S::LANES) {
        let inner = Silu::of::<S>(S::load(inner.add(i)));
        S::store(to.add(i), S::mul(inner, S::load(gate.add(i))));
    }
}

/// The sum of squares of a multiple of 16 values.
///
/// # Safety
///
/// Needs the instruction set and the values.
#[inline(always)]
unsafe fn squares<S: Simd>(row: *const f32, len: usize) -> f32 {
    let mut sums = S::splat(0.0);
    for i in (0..len).step_by(S::LANES) {
        let values = S::load(row.add(i));
        sums = S::mul_add(values, values, sums);
    }
    S::sum(sums)
}

/// Rows rounded together, to hide the latency of square roots.
pub const ROUNDED_TOGETHER: usize = 48;

/// Destination of rounded rows.
#[derive(Clone, Copy)]
pub struct Rounded {
    /// The integers of row 0.
    pub integers: *mut i16,
    /// Stride of rows, in integers.
    pub stride: usize,
    /// The scale of row 0, which restores the values.
    pub scales: *mut f32,
    /// The numbers of the rows.
    pub rows: *const usize,
}

/// Rounds up to [`ROUNDED_TOGETHER`] rows of `len` floats with this stride to integers.
///
/// # Safety
///
/// Needs the instruction set, as many values behind the pointers, and a multiple of 16 as length.
#[inline(always)]
pub unsafe fn round<S: Simd>(
    (from, stride): (*const f32, usize),
    count: usize,
    len: usize,
    to: Rounded,
) {
    let mut factors = [0.0; ROUNDED_TOGETHER];
    let mut scales = [0.0; ROUNDED_TOGETHER];
    for (row, factor) in factors.iter_mut().enumerate().take(count) {
        *factor = squares::<S>(from.add(row * stride), len);
    }
    for row in (0..count).step_by(S::LANES) {
        // Zero rows stay zero, and NaN stays NaN.
        let squares = S::max(S::splat(f32::MIN_POSITIVE), S::load(&factors[row]));
        let factor = S::div(S::splat(ROW_LENGTH), S::sqrt(squares));
        S::store(&mut factors[row], factor);
        S::store(&mut scales[row], S::div(S::splat(1.0), factor));
    }
    for (row, factor) in factors.into_iter().enumerate().take(count) {
        let (from, number) = (from.add(row * stride), *to.rows.add(row));
        let integers = to.integers.add(number * to.stride);
        *to.scales.add(number) = scales[row];
        let factor = S::splat(factor);
        for i in (0..len).step_by(16) {
            S::store_products(integers.add(i), from.add(i), factor);
        }
    }
}
