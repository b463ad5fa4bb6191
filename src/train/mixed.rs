//! Products of convolutions in f32, with operands in f32 or in bf16.

use crate::nn::cpu::simd::{Kernels, Left, Packed, Pair, RowsMut, padded};

use super::real::{Channels, Compute, Matrices, Precision, Shifted};

/// The matrices of a convolution below each other.
#[derive(Debug)]
pub enum Weights {
    /// As they are.
    F32(Packed<f32>),
    /// Rounded; pairs of rows, the last one of a matrix with a row of zeros if their number is odd.
    Bf16(Packed<Pair>),
}

impl Weights {
    /// Packs them.
    pub fn new(compute: Compute, matrices: Matrices<f32>) -> Weights {
        let (count, depth, columns) = (matrices.count(), matrices.depth(), matrices.columns());
        let shape = compute.kernels.shape();
        match compute.precision {
            Precision::F32 => {
                let value = |k: usize, c: usize| matrices.value(k / depth, k % depth, c);
                Weights::F32(Packed::from_values(shape, count * depth, columns, value))
            }
            Precision::Bf16 => {
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
    }
}

/// Memory for rounded operands.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Pairs of channels, or of a row and the next, from even rows on.
    left: Vec<Pair>,
    /// The same from odd rows on.
    left_odd: Vec<Pair>,
    right: Vec<Pair>,
    runs: Vec<usize>,
    product: Vec<f32>,
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
        // Whatever stands beside the last channel could be infinite.
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
    let kernels = compute.kernels;
    let (width, size) = (padded(b.channels), a.all.channels * b.channels);
    if compute.precision == Precision::Bf16 {
        let rows = a.all.values.len() / a.all.stride;
        if a.first.iter().any(|first| first % 2 == 0) {
            pairs_of_rows(kernels, a.all, 0, rows, &mut scratch.left);
        }
        if a.first.iter().any(|first| first % 2 == 1) {
            pairs_of_rows(kernels, a.all, 1, rows - 1, &mut scratch.left_odd);
        }
        pairs_of_rows(kernels, b, 0, a.count, &mut scratch.right);
    }
    scratch.product.resize(a.all.channels * width, 0.0);
    for (first, sums) in a.first.iter().zip(sums.chunks_exact_mut(size)) {
        let fits = width == b.channels;
        let (values, add) = match fits {
            true => (&mut *sums, true),
            false => (&mut scratch.product[..], false),
        };
        let c = RowsMut {
            values,
            stride: width,
        };
        let (stride, rows) = (a.all.stride, a.all.channels);
        match compute.precision {
            Precision::F32 => {
                let left = Left {
                    values: a.all.values,
                    runs: &[first * stride],
                    stride,
                    rows,
                };
                kernels.multiply_across(left, a.count, (b.values, width, b.stride), c, add);
            }
            Precision::Bf16 => {
                let left = Left {
                    values: [&scratch.left, &scratch.left_odd][first % 2],
                    runs: &[first / 2 * stride],
                    stride,
                    rows,
                };
                let right = (&scratch.right[..], width, b.stride);
                kernels.multiply_across(left, a.count.div_ceil(2), right, c, add);
            }
        }
        if !fits {
            let rows = sums.chunks_exact_mut(b.channels);
            for (sums, values) in rows.zip(scratch.product.chunks_exact(width)) {
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
