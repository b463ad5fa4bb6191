//! Number types of the trainer.
//!
//! Training uses f32 and the kernels of [`crate::nn::cpu::simd`]; operands of convolutions may be
//! rounded to bf16 or int16. Gradient checks run the same layers in f64 with plain loops: finite
//! differences in f32 would be too coarse.

use std::fmt::Debug;
use std::ops::{Add, Div, Neg, Sub};

use crate::nn::cpu::simd::{COLUMN_STEP, Kernels, Term};
use crate::nn::regions::Number;

use super::cells::Grid;
use super::matrix::{Matrix, Transpose};
use super::mixed::{self, Weights};

/// Format of the operands of convolutions. Sums are f32, or integers for int16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// No rounding.
    #[default]
    F32,
    /// To 8 digits of the 24 of f32: faster on machines that have instructions for it.
    Bf16,
    /// 3x3 kernels, forward and backward, in 16-bit integers with Winograd's algorithm; other
    /// kernels in bf16 on machines that have instructions for it.
    Int16,
}

impl Precision {
    /// Name in options and settings.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
            Precision::Int16 => "int16",
        }
    }

    /// The fastest format of the machine.
    pub fn auto(kernels: Kernels) -> Precision {
        if kernels.has_bf16_tiles() {
            Precision::Bf16
        } else {
            Precision::Int16
        }
    }
}

/// How to compute.
#[derive(Clone, Copy, Debug)]
pub struct Compute {
    pub kernels: Kernels,
    /// Format of operands; ignored by f64.
    pub precision: Precision,
}

impl Compute {
    /// Whether operands outside Winograd's algorithm are bf16.
    pub fn rounds_to_bf16(&self) -> bool {
        match self.precision {
            Precision::F32 => false,
            Precision::Bf16 => true,
            Precision::Int16 => self.kernels.has_bf16(),
        }
    }

    pub fn exact(kernels: Kernels) -> Compute {
        Compute {
            kernels,
            precision: Precision::F32,
        }
    }
}

/// A floating-point type.
pub trait Real:
    Number
    + Default
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The packed matrices of a convolution.
    type Weights: Debug + Send + Sync;
    /// Memory for rounded operands.
    type Scratch: Debug + Default + Send;

    /// From f64, rounded to nearest.
    fn of(value: f64) -> Self;

    /// To f64, exactly.
    fn to_f64(self) -> f64;

    fn exp(self) -> Self;

    /// Packs matrices.
    fn weights(compute: Compute, matrices: Matrices<Self>) -> Self::Weights;

    /// `c = sum of a[shift] * matrix` over all shifts and their matrices, or `c += ...`; rows of
    /// `c` are `stride` apart with room for columns up to a multiple of 16.
    fn convolve(
        compute: Compute,
        a: Shifted<Self>,
        weights: &Self::Weights,
        c: (&mut [Self], usize),
        add: bool,
        scratch: &mut Self::Scratch,
    );

    /// For each shift, the product of `a[shift]`, transposed, and `b`, which is added to a matrix of
    /// `sums`, these being `[shift][channel of a][channel of b]`.
    fn correlate(
        compute: Compute,
        a: Shifted<Self>,
        b: Channels<Self>,
        sums: &mut [Self],
        scratch: &mut Self::Scratch,
    );

    /// The product of two matrices, which gives `c` its sides.
    fn multiply(
        kernels: Kernels,
        a: &Matrix<Self>,
        b: &Matrix<Self>,
        transpose: Transpose,
        c: &mut Matrix<Self>,
    );

    /// Replaces each of the first `len` values by `e^(value - greatest)`, and returns their sum;
    /// the rest of the row is padding.
    fn exponentials(_: Kernels, row: &mut [Self], len: usize) -> Self {
        let row = &mut row[..len];
        let greatest = row.iter().copied().reduce(|a, b| if b > a { b } else { a });
        let mut sum = Self::default();
        for value in row {
            *value = (*value - greatest.unwrap_or_default()).exp();
            sum += *value;
        }
        sum
    }

    /// `sums += sum of values[start..] * factor` over all terms, in the length of `sums`.
    fn add_terms(_: Kernels, sums: &mut [Self], values: &[Self], terms: &[Term]) {
        for term in terms {
            let values = &values[term.start as usize..];
            super::layers::add_multiple(sums, values, Self::of(term.factor as f64));
        }
    }
}

/// Matrices of equal size, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Matrices<'a, T> {
    /// `[ky][kx][input][output]`.
    pub values: &'a [T],
    /// Height and width of the kernel.
    pub kernel: (usize, usize),
    pub inputs: usize,
    pub outputs: usize,
    /// Whether rows are outputs, as the backward pass needs them.
    pub is_transposed: bool,
}

impl<T: Copy> Matrices<'_, T> {
    /// Number of matrices.
    pub fn count(&self) -> usize {
        self.kernel.0 * self.kernel.1
    }

    pub fn depth(&self) -> usize {
        if self.is_transposed {
            self.outputs
        } else {
            self.inputs
        }
    }

    pub fn columns(&self) -> usize {
        if self.is_transposed {
            self.inputs
        } else {
            self.outputs
        }
    }

    /// A value of one of the matrices, as they are multiplied.
    pub fn value(&self, matrix: usize, row: usize, column: usize) -> T {
        let (input, output) = match self.is_transposed {
            true => (column, row),
            false => (row, column),
        };
        self.values[(matrix * self.inputs + input) * self.outputs + output]
    }
}

/// Rows of channels in memory.
#[derive(Clone, Copy, Debug)]
pub struct Channels<'a, T> {
    /// Begins with the first row's first channel.
    pub values: &'a [T],
    /// Distance between rows, a multiple of 16.
    pub stride: usize,
    /// Number of channels.
    pub channels: usize,
}

/// A matrix of rows that is read several times, each time from another row on.
#[derive(Clone, Copy, Debug)]
pub struct Shifted<'a, T> {
    pub all: Channels<'a, T>,
    /// The first row of each reading.
    pub first: &'a [usize],
    /// Rows per reading.
    pub count: usize,
    /// Layout of the boards.
    pub grid: Grid,
}

impl Real for f32 {
    type Weights = Weights;
    type Scratch = mixed::Scratch;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn to_f64(self) -> f64 {
        self as f64
    }

    fn exp(self) -> f32 {
        f32::exp(self)
    }

    fn weights(compute: Compute, matrices: Matrices<f32>) -> Weights {
        Weights::new(compute, matrices)
    }

    fn convolve(
        compute: Compute,
        a: Shifted<f32>,
        weights: &Weights,
        c: (&mut [f32], usize),
        add: bool,
        scratch: &mut mixed::Scratch,
    ) {
        mixed::convolve(compute.kernels, a, weights, c, add, scratch);
    }

    fn correlate(
        compute: Compute,
        a: Shifted<f32>,
        b: Channels<f32>,
        sums: &mut [f32],
        scratch: &mut mixed::Scratch,
    ) {
        mixed::correlate(compute, a, b, sums, scratch);
    }

    fn multiply(
        kernels: Kernels,
        a: &Matrix<f32>,
        b: &Matrix<f32>,
        transpose: Transpose,
        c: &mut Matrix<f32>,
    ) {
        mixed::multiply(kernels, a, b, transpose, c);
    }

    fn exponentials(kernels: Kernels, row: &mut [f32], len: usize) -> f32 {
        kernels.exponentials(row, len)
    }

    fn add_terms(kernels: Kernels, sums: &mut [f32], values: &[f32], terms: &[Term]) {
        let whole = sums.len() / COLUMN_STEP * COLUMN_STEP;
        let (sums, last) = sums.split_at_mut(whole);
        kernels.add_terms(sums, values, terms);
        for term in terms {
            let values = &values[term.start as usize + whole..];
            super::layers::add_multiple(last, values, term.factor);
        }
    }
}

#[derive(Clone, Debug)]
pub struct Plain {
    columns: usize,
    matrices: Vec<Vec<f64>>,
}

impl Real for f64 {
    type Weights = Plain;
    type Scratch = ();

    fn of(value: f64) -> f64 {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn exp(self) -> f64 {
        f64::exp(self)
    }

    fn weights(_: Compute, all: Matrices<f64>) -> Plain {
        let row = |matrix, row| (0..all.columns()).map(move |c| all.value(matrix, row, c));
        let matrix = |index| (0..all.depth()).flat_map(|k| row(index, k)).collect();
        Plain {
            columns: all.columns(),
            matrices: (0..all.count()).map(matrix).collect(),
        }
    }

    fn convolve(
        _: Compute,
        a: Shifted<f64>,
        weights: &Plain,
        (values, stride): (&mut [f64], usize),
        add: bool,
        _: &mut (),
    ) {
        for row in 0..a.count {
            let sums = &mut values[row * stride..][..weights.columns];
            if !add {
                sums.fill(0.0);
            }
            for (first, matrix) in a.first.iter().zip(&weights.matrices) {
                let factors = &a.all.values[(first + row) * a.all.stride..];
                for (factor, right) in factors.iter().zip(matrix.chunks_exact(weights.columns)) {
                    super::layers::add_multiple(sums, right, *factor);
                }
            }
        }
    }

    fn correlate(_: Compute, a: Shifted<f64>, b: Channels<f64>, sums: &mut [f64], _: &mut ()) {
        let matrices = sums.chunks_exact_mut(a.all.channels * b.channels);
        for (first, sums) in a.first.iter().zip(matrices) {
            for row in 0..a.count {
                let factors = &a.all.values[(first + row) * a.all.stride..];
                let values = &b.values[row * b.stride..];
                for (sums, factor) in sums.chunks_exact_mut(b.channels).zip(factors) {
                    super::layers::add_multiple(sums, values, *factor);
                }
            }
        }
    }

    fn multiply(
        _: Kernels,
        a: &Matrix<f64>,
        b: &Matrix<f64>,
        transpose: Transpose,
        c: &mut Matrix<f64>,
    ) {
        let value = |matrix: &Matrix<f64>, transpose, row, column| {
            let (row, column) = if transpose {
                (column, row)
            } else {
                (row, column)
            };
            matrix.values[row * matrix.stride() + column]
        };
        let (first, second) = (
            transpose == Transpose::First,
            transpose == Transpose::Second,
        );
        let (rows, depth) = if first {
            (a.columns, a.rows)
        } else {
            (a.rows, a.columns)
        };
        c.resize(rows, if second { b.rows } else { b.columns });
        for (row, results) in c.rows_mut().enumerate() {
            for (column, result) in results.iter_mut().enumerate() {
                let terms =
                    (0..depth).map(|k| value(a, first, row, k) * value(b, second, k, column));
                *result = terms.sum();
            }
        }
    }
}
