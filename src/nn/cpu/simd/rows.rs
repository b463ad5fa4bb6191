//! Functions of single rows of channels: what transformers do besides multiplying matrices.

use super::finish::{Act, Silu};
use super::packed::{padded, row_scale};
use super::vector::{Simd, exp};

/// `to = from / sqrt(squares / channels + epsilon)` with the sum of squares of the row, whose
/// padding, up to a multiple of 16, is zero.
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
    let factor = S::splat(1.0 / (S::sum(squares) / channels as f32 + epsilon).sqrt());
    for i in (0..len).step_by(S::LANES) {
        S::store(to.add(i), S::mul(S::load(from.add(i)), factor));
    }
}

/// Replaces each value by `e^(value - greatest)`, and gives their sum. What lies between `len` and
/// the next multiple of 16 is overwritten.
///
/// # Safety
///
/// Needs the instruction set and the row with its padding.
#[inline(always)]
pub unsafe fn exponentials<S: Simd>(row: *mut f32, len: usize) -> f32 {
    let padded = len.next_multiple_of(S::LANES);
    for i in len..padded {
        *row.add(i) = f32::MIN;
    }
    let mut greatest = S::splat(f32::MIN);
    for i in (0..padded).step_by(S::LANES) {
        greatest = S::max(greatest, S::load(row.add(i)));
    }
    let greatest = S::splat(S::greatest(greatest));
    let mut sums = S::splat(0.0);
    for i in (0..padded).step_by(S::LANES) {
        let value = exp::<S>(S::sub(S::load(row.add(i)), greatest));
        sums = S::add(sums, value);
        S::store(row.add(i), value);
    }
    S::sum(sums)
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

/// `to += values * factor`, of a multiple of 16 values.
///
/// # Safety
///
/// Needs the instruction set and as many values behind both pointers.
#[inline(always)]
pub unsafe fn add_multiple<S: Simd>(to: *mut f32, values: *const f32, len: usize, factor: f32) {
    let factor = S::splat(factor);
    for i in (0..len).step_by(S::LANES) {
        let sum = S::mul_add(S::load(values.add(i)), factor, S::load(to.add(i)));
        S::store(to.add(i), sum);
    }
}

/// Rounds a row of floats to integers; gives the scale that makes them what they were.
///
/// # Safety
///
/// Needs the instruction set, and `len` values behind the pointers, a multiple of 16.
#[inline(always)]
pub unsafe fn round<S: Simd>(from: *const f32, len: usize, to: *mut i16) -> f32 {
    let mut squares = S::splat(0.0);
    for i in (0..len).step_by(S::LANES) {
        let values = S::load(from.add(i));
        squares = S::mul_add(values, values, squares);
    }
    let scale = row_scale(S::sum(squares));
    let factor = S::splat(scale);
    for i in (0..len).step_by(S::LANES) {
        S::store_i16(to.add(i), S::mul(S::load(from.add(i)), factor));
    }
    if scale > 0.0 { 1.0 / scale } else { 0.0 }
}
