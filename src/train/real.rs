//! The numbers that the trainer computes with.
//!
//! Training is done in f32 by the kernels of [`crate::nn::cpu::simd`]. The same layers computed in
//! f64 by plain loops are what their gradients are checked with: finite differences in f32 would
//! be too coarse.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::nn::cpu::simd::{Kernels, Packed, Rows, RowsMut};

/// A kind of floating-point number.
pub trait Real:
    Copy
    + Default
    + Debug
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// The right operand of a matrix product, as its kernels want it.
    type Right: Debug + Send + Sync;

    /// The nearest number.
    fn of(value: f64) -> Self;

    /// The same number.
    fn to_f64(self) -> f64;

    /// e to this power.
    fn exp(self) -> Self;

    /// Prepares a right operand.
    fn right(kernels: Kernels, matrix: Matrix<Self>) -> Self::Right;

    /// `c = a * b`, or `c += a * b`, rows of `c` being `stride` apart with room for columns up to a
    /// multiple of 16.
    fn multiply(
        kernels: Kernels,
        a: Rows<Self>,
        b: &Self::Right,
        c: (&mut [Self], usize),
        add: bool,
    );
}

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    /// From the first value on.
    pub values: &'a [T],
    /// Number of rows.
    pub depth: usize,
    /// Number of columns.
    pub columns: usize,
    /// From row to row, or from column to column, in values.
    pub stride: usize,
    /// Whether the values of a column lie side by side, not those of a row.
    pub is_transposed: bool,
}

impl Real for f32 {
    type Right = Packed<f32>;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn to_f64(self) -> f64 {
        self as f64
    }

    fn exp(self) -> f32 {
        f32::exp(self)
    }

    fn right(kernels: Kernels, matrix: Matrix<f32>) -> Packed<f32> {
        let pack = match matrix.is_transposed {
            true => Packed::of_columns,
            false => Packed::of_rows,
        };
        let (depth, columns) = (matrix.depth, matrix.columns);
        pack(
            kernels.shape(),
            depth,
            columns,
            matrix.values,
            matrix.stride,
        )
    }

    fn multiply(
        kernels: Kernels,
        a: Rows<f32>,
        b: &Packed<f32>,
        c: (&mut [f32], usize),
        add: bool,
    ) {
        let (values, stride) = c;
        kernels.gemm(a, b, RowsMut { values, stride }, add);
    }
}

/// A matrix row by row.
#[derive(Clone, Debug)]
pub struct Plain {
    columns: usize,
    values: Vec<f64>,
}

impl Real for f64 {
    type Right = Plain;

    fn of(value: f64) -> f64 {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn exp(self) -> f64 {
        f64::exp(self)
    }

    fn right(_: Kernels, matrix: Matrix<f64>) -> Plain {
        let value = |row: usize, column: usize| match matrix.is_transposed {
            true => matrix.values[column * matrix.stride + row],
            false => matrix.values[row * matrix.stride + column],
        };
        let row = |row| (0..matrix.columns).map(move |column| value(row, column));
        Plain {
            columns: matrix.columns,
            values: (0..matrix.depth).flat_map(row).collect(),
        }
    }

    fn multiply(_: Kernels, a: Rows<f64>, b: &Plain, c: (&mut [f64], usize), add: bool) {
        let (values, stride) = c;
        for row in 0..a.count {
            let sums = &mut values[row * stride..][..b.columns];
            if !add {
                sums.fill(0.0);
            }
            for (factor, right) in a.values[row * a.stride..]
                .iter()
                .zip(b.values.chunks_exact(b.columns))
            {
                for (sum, value) in sums.iter_mut().zip(right) {
                    *sum += factor * value;
                }
            }
        }
    }
}
