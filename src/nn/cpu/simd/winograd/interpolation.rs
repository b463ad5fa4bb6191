//! Tile sizes, and their matrices: for the interpolation points `a` and infinity,
//!
//! * `G` transforms kernels: a row for each point, `1, a, a^2` divided by the product of the
//!   distances to the other points, and `0, 0, 1` for infinity;
//! * `B^T` transforms inputs: a row for each point, the coefficients of the product of `x - b` over
//!   the other points `b`; over all of them for infinity;
//! * `A^T` transforms products back: a column for each point, `1, a, a^2` and so on; for infinity
//!   only the last is 1.
//!
//! (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016, with other points.)

use std::ops::{Add, Mul};

use crate::nn::cpu::simd::vector::Simd;

/// Side of a tile of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileSide {
    /// F(3x3, 3x3)
    Three,
    /// F(4x4, 3x3)
    Four,
}

/// Points of F(4x4): besides 0 and infinity these two, whose product is 1, and their negatives. The
/// rounding error is a third of that with the common 1 and 2: the values of a transformed tile
/// differ less in size.
const NEAR: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// See [`NEAR`].
const FAR: f64 = std::f64::consts::SQRT_2;

/// The third point of F(3x3) besides 0, [`NEAR`], its negative and infinity. The rounding error is
/// two thirds of that with 1, -1 and 2, and a little less than that of F(4x4).
const LONE: f64 = 2.0;

impl TileSide {
    /// All sizes.
    pub const ALL: [TileSide; 2] = [TileSide::Four, TileSide::Three];

    /// Only this size.
    pub fn alone(self) -> &'static [TileSide] {
        match self {
            TileSide::Three => &[TileSide::Three],
            TileSide::Four => &[TileSide::Four],
        }
    }

    /// Side in points.
    pub fn results(self) -> usize {
        match self {
            TileSide::Three => 3,
            TileSide::Four => 4,
        }
    }

    /// Side of a tile's input.
    pub fn patch(self) -> usize {
        self.results() + 2
    }

    /// Values of a transformed tile.
    pub fn places(self) -> usize {
        self.patch() * self.patch()
    }

    /// `G kernel G^T` of many kernels `[ky][kx][kernel]` at once, for one row of a transformed
    /// tile.
    pub fn transformed<T: Copy + Add<Output = T> + Mul<Output = T>>(
        self,
        line: usize,
        kernels: &[T],
        number: impl Fn(f64) -> T,
    ) -> impl Iterator<Item = Vec<T>> {
        let matrix = self.of_kernels().into_iter();
        let matrix: Vec<[T; 3]> = matrix.map(|row| row.map(&number)).collect();
        let half = sum_of(matrix[line], kernels);
        matrix.into_iter().map(move |row| sum_of(row, &half))
    }

    /// The matrix G.
    fn of_kernels(self) -> Vec<[f64; 3]> {
        let points: &[f64] = match self {
            TileSide::Three => &[0.0, NEAR, -NEAR, LONE],
            TileSide::Four => &[0.0, NEAR, -NEAR, FAR, -FAR],
        };
        let row = |&point: &f64| {
            let others = points.iter().filter(|&&other| other != point);
            let distances: f64 = others.map(|other| point - other).product();
            [1.0, point, point * point].map(|power| power / distances)
        };
        let infinity = [0.0, 0.0, 1.0];
        points.iter().map(row).chain([infinity]).collect()
    }
}

/// A row of G times three slices of equal length.
fn sum_of<T: Copy + Add<Output = T> + Mul<Output = T>>([a, b, c]: [T; 3], parts: &[T]) -> Vec<T> {
    let (first, others) = parts.split_at(parts.len() / 3);
    let (second, third) = others.split_at(first.len());
    let values = first.iter().zip(second).zip(third);
    let sum = |((&x, &y), &z)| a * x + b * y + c * z;
    values.map(sum).collect()
}

/// The other two matrices of a tile size, applied to values with a stride.
pub trait Lines<const RESULTS: usize, const PATCH: usize> {
    /// `B^T d`
    ///
    /// # Safety
    ///
    /// Needs the instruction set.
    unsafe fn of_inputs<S: Simd>(d: [S::F; PATCH]) -> [S::F; PATCH];

    /// `A^T m`
    ///
    /// # Safety
    ///
    /// Needs the instruction set.
    unsafe fn of_products<S: Simd>(m: [S::F; PATCH]) -> [S::F; RESULTS];
}

/// Matrices of [`TileSide::Three`].
pub struct Three;

impl Lines<3, 5> for Three {
    #[inline(always)]
    unsafe fn of_inputs<S: Simd>(d: [S::F; 5]) -> [S::F; 5] {
        let (near, near_square) = (factor::<S>(NEAR), factor::<S>(-NEAR * NEAR));
        // times x - lone
        let lone = factor::<S>(-LONE);
        let e: [S::F; 4] = std::array::from_fn(|i| S::mul_add(lone, d[i], d[i + 1]));
        let odd = S::mul(near, e[1]);
        [
            S::mul_add(near_square, e[0], e[2]),
            S::add(e[2], odd),
            S::sub(e[2], odd),
            S::mul_add(near_square, d[1], d[3]),
            S::mul_add(near_square, e[1], e[3]),
        ]
    }

    #[inline(always)]
    unsafe fn of_products<S: Simd>(m: [S::F; 5]) -> [S::F; 3] {
        let near = S::add(m[1], m[2]);
        let near_odd = S::mul(factor::<S>(NEAR), S::sub(m[1], m[2]));
        let near_square = S::mul(factor::<S>(NEAR * NEAR), near);
        [
            S::add(S::add(m[0], near), m[3]),
            S::mul_add(factor::<S>(LONE), m[3], near_odd),
            S::mul_add(factor::<S>(LONE * LONE), m[3], S::add(near_square, m[4])),
        ]
    }
}

/// Matrices of [`TileSide::Four`].
pub struct Four;

impl Lines<4, 6> for Four {
    #[inline(always)]
    unsafe fn of_inputs<S: Simd>(d: [S::F; 6]) -> [S::F; 6] {
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

    #[inline(always)]
    unsafe fn of_products<S: Simd>(m: [S::F; 6]) -> [S::F; 4] {
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
}

#[inline(always)]
unsafe fn factor<S: Simd>(value: f64) -> S::F {
    S::splat(value as f32)
}
