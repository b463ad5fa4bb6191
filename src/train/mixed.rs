//! Products for convolutions with operands in f32, bf16 or int16.

use crate::nn::cpu::simd::{Kernels, Left, Packed, Pair, Rows, RowsMut, padded};

use super::matrix::{Matrix, Transpose};
use super::real::{self, Channels, Compute, Precision, Shifted};
use super::winograd;

/// The matrices of a convolution, stacked.
#[derive(Debug)]
pub enum Weights {
    /// In f32.
    F32(Packed<f32>),
    /// In bf16, by pairs of rows; an odd last row of a matrix is paired with zeros.
    Bf16(Packed<Pair>),
    /// A 3x3 kernel in int16, transformed for Winograd's algorithm.
    Int16(winograd::Weights),
}

impl Weights {
    pub fn new(compute: Compute, matrices: real::Matrices<f32>) -> Weights {
        let (count, depth, columns) = (matrices.count(), matrices.depth(), matrices.columns());
        let shape = compute.kernels.shape();
        if compute.precision == Precision::Int16 && matrices.kernel == (3, 3) {
            return Weights::Int16(winograd::Weights::new(compute.kernels, matrices));
        }
        if !compute.rounds_to_bf16() {
            let value = |k: usize, c: usize| matrices.value(k / depth, k % depth, c);
            return Weights::F32(Packed::from_values(shape, count * depth, columns, value));
        }
        let pairs = depth.div_ceil(2);
        let pair = |k: usize, column: usize| {
            let (matrix, row) = (k / pairs, k % pairs * 2);
            let second = match row + 1 < depth {
                true => matrices.value(matrix, row + 1, column),
                false => 0.0,
            };
            Pair::of(matrices.value(matrix, row, column), second)
        };
        Weights::Bf16(Packed::from_values(shape, count * pairs, columns, pair))
    }
}

/// Memory for rounded operands.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Pairs of channels, or pairs of consecutive rows that begin with an even or odd row.
    left: Vec<Pair>,
    right: Vec<Pair>,
    runs: Vec<usize>,
    product: Vec<f32>,
    tiles: winograd::Scratch,
}

/// See [`super::real::Real::convolve`].
pub fn convolve(
    kernels: Kernels,
    a: Shifted<f32>,
    weights: &Weights,
    (values, stride): (&mut [f32], usize),
    add: bool,
    scratch: &mut Scratch,
) {
    let (all, c) = (a.all, RowsMut { values, stride });
    scratch.runs.clear();
    match weights {
        Weights::Int16(weights) => {
            weights.convolve(a, (c.values, c.stride), add, &mut scratch.tiles);
        }
        Weights::F32(weights) => {
            scratch
                .runs
                .extend(a.first.iter().map(|row| row * all.stride));
            let left = Left {
                values: all.values,
                runs: &scratch.runs,
                stride: all.stride,
                rows: a.count,
            };
            kernels.multiply_along(left, weights, c, add);
        }
        Weights::Bf16(weights) => {
            let stride = all.stride / 2;
            scratch.runs.extend(a.first.iter().map(|row| row * stride));
            pairs_of_channels(kernels, all, &mut scratch.left);
            let left = Left {
                values: &scratch.left,
                runs: &scratch.runs,
                stride,
                rows: a.count,
            };
            kernels.multiply_along(left, weights, c, add);
        }
    }
}

fn pairs_of_channels(kernels: Kernels, from: Channels<f32>, to: &mut Vec<Pair>) {
    to.resize(from.values.len() / 2, Pair::default());
    kernels.pairs_along(from.values, to);
    if from.channels % 2 == 1 {
        // Values in the padding could be infinite.
        for row in to.chunks_exact_mut(from.stride / 2) {
            row[from.channels / 2] = row[from.channels / 2].first();
        }
    }
}

/// See [`super::real::Real::correlate`].
pub fn correlate(
    compute: Compute,
    a: Shifted<f32>,
    b: Channels<f32>,
    sums: &mut [f32],
    scratch: &mut Scratch,
) {
    let (kernels, stride) = (compute.kernels, a.all.stride);
    let (rows, width) = (a.all.channels, padded(b.channels));
    let Scratch {
        left,
        right,
        runs,
        product,
        ..
    } = scratch;
    let mut matrices = Matrices {
        sums,
        products: product,
        rows,
        columns: b.channels,
    };
    match compute.rounds_to_bf16() {
        false => {
            runs.clear();
            runs.extend(a.first.iter().map(|row| row * stride));
            let left = Left {
                values: a.all.values,
                runs,
                stride,
                rows,
            };
            let right = (b.values, width, b.stride);
            kernels.multiply_across(left, a.count, right, matrices.products(runs.len()));
            matrices.add(0..runs.len());
        }
        true => {
            pairs_of_rows(kernels, b, 0, a.count, right);
            let count = a.all.values.len() / stride;
            for odd in 0..2 {
                let alike = || (0..a.first.len()).filter(|&shift| a.first[shift] % 2 == odd);
                runs.clear();
                runs.extend(alike().map(|shift| a.first[shift] / 2 * stride));
                if runs.is_empty() {
                    continue;
                }
                pairs_of_rows(kernels, a.all, odd, count - odd, left);
                let left = Left {
                    values: left,
                    runs,
                    stride,
                    rows,
                };
                let (right, depth) = ((&right[..], width, b.stride), a.count.div_ceil(2));
                kernels.multiply_across(left, depth, right, matrices.products(runs.len()));
                matrices.add(alike());
            }
        }
    }
}

/// Destination of the products of a correlation.
struct Matrices<'a> {
    /// `[shift][row][column]`.
    sums: &'a mut [f32],
    /// The same with padded columns.
    products: &'a mut Vec<f32>,
    rows: usize,
    columns: usize,
}

impl Matrices<'_> {
    fn products(&mut self, count: usize) -> RowsMut<'_> {
        let stride = padded(self.columns);
        self.products.resize(count * self.rows * stride, 0.0);
        RowsMut {
            values: self.products,
            stride,
        }
    }

    /// Adds the products to the sums of these shifts.
    fn add(&mut self, shifts: impl Iterator<Item = usize>) {
        let (rows, columns, stride) = (self.rows, self.columns, padded(self.columns));
        let products = self.products.chunks_exact(rows * stride);
        for (shift, product) in shifts.zip(products) {
            let sums =
                self.sums[shift * rows * columns..][..rows * columns].chunks_exact_mut(columns);
            for (sums, values) in sums.zip(product.chunks_exact(stride)) {
                super::layers::add(sums, values);
            }
        }
    }
}

/// Pairs of each second row and the next one, of `count` rows from `first` on; a last row that is
/// left over is paired with zeros.
fn pairs_of_rows(
    kernels: Kernels,
    from: Channels<f32>,
    first: usize,
    count: usize,
    to: &mut Vec<Pair>,
) {
    let stride = from.stride;
    to.resize(count.div_ceil(2) * stride, Pair::default());
    let rows = from.values[first * stride..][..count * stride].chunks(2 * stride);
    let zeros = vec![0.0; stride];
    for (rows, to) in rows.zip(to.chunks_exact_mut(stride)) {
        let (row, next) = rows.split_at(stride);
        let next = if next.is_empty() { &zeros } else { next };
        kernels.pairs_across(row, next, to);
    }
}

/// See [`super::real::Real::multiply`]; always in f32.
pub fn multiply(
    kernels: Kernels,
    a: &Matrix<f32>,
    b: &Matrix<f32>,
    transpose: Transpose,
    c: &mut Matrix<f32>,
) {
    let shape = kernels.shape();
    let right = match transpose {
        Transpose::First => {
            c.resize(a.columns, b.columns);
            let left = Left {
                values: &a.values[..],
                runs: &[0],
                stride: a.stride(),
                rows: a.columns,
            };
            let (stride, right) = (c.stride(), (&b.values[..], b.stride(), b.stride()));
            let values = &mut c.values[..];
            kernels.multiply_across(left, a.rows, right, RowsMut { values, stride });
            return;
        }
        Transpose::None => {
            c.resize(a.rows, b.columns);
            Packed::of_rows(shape, b.rows, b.columns, &b.values, b.stride())
        }
        Transpose::Second => {
            c.resize(a.rows, b.rows);
            Packed::of_columns(shape, b.columns, b.rows, &b.values, b.stride())
        }
    };
    let left = Rows {
        values: &a.values[..],
        stride: a.stride(),
        count: a.rows,
    };
    let stride = c.stride();
    let values = &mut c.values[..];
    kernels.gemm(left, &right, RowsMut { values, stride }, false);
}
