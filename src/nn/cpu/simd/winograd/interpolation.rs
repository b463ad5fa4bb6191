//! The matrices of F(4x4, 3x3): for the interpolation points `a` and infinity,
//!
//! * `G` transforms kernels: a row for each point, `1, a, a^2` divided by the product of the
//!   distances to the other points, and `0, 0, 1` for infinity;
//! * `B^T` transforms inputs: a row for each point, the coefficients of the product of `x - b` over
//!   the other points `b`; over all of them for infinity;
//! * `A^T` transforms products back: a column for each point, `1, a, a^2` and so on; for infinity
//!   only the last is 1.
//!
//! (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016, with other points.)
//!
//! Only the last result needs the point at infinity, and only infinity the last input: without them the same
//! matrices are those of F(3x3, 3x3).

use std::ops::{Add, Mul};

use crate::nn::cpu::simd::vector::Simd;

/// Points besides 0 and infinity are these two, whose product is 1, and their negatives. The
/// rounding error is a third of that with the common 1 and 2: the values of a transformed tile
/// differ less in size.
const NEAR: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// See [`NEAR`].
const FAR: f64 = std::f64::consts::SQRT_2;

/// Points, which are as many as the inputs on a side of a tile.
pub const PATCH: usize = 6;
/// Results on a side of a tile.
pub const RESULTS: usize = 4;

/// `G kernel G^T` of many kernels `[ky][kx][kernel]` at once, for one row of a transformed tile.
pub fn transformed<T: Copy + Add<Output = T> + Mul<Output = T>>(
    line: usize,
    kernels: &[T],
    number: impl Fn(f64) -> T,
) -> impl Iterator<Item = Vec<T>> {
    let matrix = of_kernels().map(|row| row.map(&number));
    let half = sum_of(matrix[line], kernels);
    matrix.into_iter().map(move |row| sum_of(row, &half))
}

/// The matrix G.
fn of_kernels() -> [[f64; 3]; PATCH] {
    let points = [0.0, NEAR, -NEAR, FAR, -FAR];
    let mut rows = [[0.0, 0.0, 1.0]; PATCH];
    for (row, point) in rows.iter_mut().zip(points) {
        let others = points.iter().filter(|&&other| other != point);
        let distances: f64 = others.map(|other| point - other).product();
        *row = [1.0, point, point * point].map(|power| power / distances);
    }
    rows
}

/// A row of G times three slices of equal length.
fn sum_of<T: Copy + Add<Output = T> + Mul<Output = T>>([a, b, c]: [T; 3], parts: &[T]) -> Vec<T> {
    let (first, others) = parts.split_at(parts.len() / 3);
    let (second, third) = others.split_at(first.len());
    let values = first.iter().zip(second).zip(third);
    let sum = |((&x, &y), &z)| a * x + b * y + c * z;
    values.map(sum).collect()
}

/// `B^T d`
///
/// # Safety
///
/// Needs the instruction set.
#[inline(always)]
pub unsafe fn of_inputs<S: Simd>(d: [S::F; PATCH]) -> [S::F; PATCH] {
    let (near, far) = (factor::<S>(NEAR), factor::<S>(FAR));
    let (near_square, far_square) = (factor::<S>(-NEAR * NEAR), factor::<S>(-FAR * FAR));
    let sum = factor::<S>(NEAR * NEAR + FAR * FAR);
    // d[low + 2] - square * d[low]
    let at = |square: S::F, low: usize| S::mul_add(square, d[low], d[low + 2]);
    let (near_even, near_odd) = (at(far_square, 2), S::mul(near, at(far_square, 1)));
    let (far_even, far_odd) = (at(near_square, 2), S::mul(far, at(near_square, 1)));
    let outer = |low: usize| S::sub(S::add(d[low], d[low + 4]), S::mul(sum, d[low + 2]));
    [
        outer(0),
        S::add(near_even, near_odd),
        S::sub(near_even, near_odd),
        S::add(far_even, far_odd),
        S::sub(far_even, far_odd),
        outer(1),
    ]
}

/// `A^T m`
///
/// # Safety
///
/// Needs the instruction set.
#[inline(always)]
pub unsafe fn of_products<S: Simd>(m: [S::F; PATCH]) -> [S::F; RESULTS] {
    let (near, far) = (S::add(m[1], m[2]), S::add(m[3], m[4]));
    let near_odd = S::mul(factor::<S>(NEAR), S::sub(m[1], m[2]));
    let far_odd = S::mul(factor::<S>(FAR), S::sub(m[3], m[4]));
    let (near_square, far_square) = (factor::<S>(NEAR * NEAR), factor::<S>(FAR * FAR));
    [
        S::add(S::add(m[0], near), far),
        S::add(near_odd, far_odd),
        S::mul_add(far_square, far, S::mul(near_square, near)),
        S::mul_add(far_square, far_odd, S::mul_add(near_square, near_odd, m[5])),
    ]
}

#[inline(always)]
unsafe fn factor<S: Simd>(value: f64) -> S::F {
    S::splat(value as f32)
}
