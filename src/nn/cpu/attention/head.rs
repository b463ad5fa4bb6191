//! One attention head on one board.

use super::super::memory::Work;
use super::super::simd::{Kernels, Packed, Rows, RowsMut, padded};
use super::super::weights::Arithmetic;

/// Number of queries processed together, so that their attention weights stay in the cache.
const CHUNK: usize = 36;

/// Inputs of a head, from its first channel on. All rows have the same stride.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// Queries, scaled.
    pub queries: Rows<'a, f32>,
    /// Keys.
    pub keys: Rows<'a, f32>,
    /// Values.
    pub values: Rows<'a, f32>,
    /// Channels of queries and keys.
    pub key_width: usize,
    /// Channels of values.
    pub value_width: usize,
}

impl Head<'_> {
    /// Writes the attention output: weighted means of the values. Padding columns are written too.
    ///
    /// Integers need keys of whole registers; other heads use floats.
    pub fn attend(
        &self,
        arithmetic: Arithmetic,
        attended: &mut [f32],
        stride: usize,
        work: &mut Work,
    ) {
        let kernels = arithmetic.kernels;
        if arithmetic.is_integer && padded(self.key_width) == self.key_width {
            self.attend_with_integers(kernels, attended, stride, work);
        } else {
            self.attend_with_floats(kernels, attended, stride, work);
        }
    }

    fn attend_with_floats(
        &self,
        kernels: Kernels,
        attended: &mut [f32],
        attended_stride: usize,
        work: &mut Work,
    ) {
        let (shape, area) = (kernels.shape(), self.keys.count);
        let (keys, values) = (self.keys, self.values);
        let keys = Packed::of_columns(shape, self.key_width, area, keys.values, keys.stride);
        let values = Packed::of_rows(shape, area, self.value_width, values.values, values.stride);
        let stride = padded(area);
        let weights = &mut work.products;
        weights.grow(CHUNK * stride);
        for first in (0..area).step_by(CHUNK) {
            let queries = part(self.queries, first);
            kernels.gemm(queries, &keys, rows_mut(weights, stride), false);
            let products = weights.chunks_exact_mut(stride).take(queries.count);
            let mut sums = [0.0; CHUNK];
            for (row, sum) in products.zip(&mut sums) {
                *sum = kernels.exponentials(row, area);
            }
            let attended = &mut attended[first * attended_stride..];
            let weights = rows(weights, stride, queries.count);
            kernels.gemm(weights, &values, rows_mut(attended, attended_stride), false);
            for (row, sum) in attended
                .chunks_mut(attended_stride)
                .zip(&sums[..queries.count])
            {
                let row = &mut row[..self.value_width];
                row.iter_mut().for_each(|value| *value /= sum);
            }
        }
    }

    fn attend_with_integers(
        &self,
        kernels: Kernels,
        attended: &mut [f32],
        attended_stride: usize,
        work: &mut Work,
    ) {
        let (shape, area, width) = (kernels.shape(), self.keys.count, self.key_width);
        let stride = padded(area);
        work.scales.grow(area.max(CHUNK));
        work.integers
            .grow((area * width).max(CHUNK * (stride + width)));
        work.products.grow(CHUNK * stride);
        let (integers, scales) = (&mut work.integers, &mut work.scales);
        kernels.round_rows(self.keys, width, integers, scales);
        let keys = Packed::of_integer_columns(shape, width, rows(integers, width, area), scales);
        let values = Packed::of_rounded_rows(shape, self.value_width, self.values);
        let (weights, queries) = integers.split_at_mut(CHUNK * stride);
        for first in (0..area).step_by(CHUNK) {
            let from = part(self.queries, first);
            kernels.round_rows(from, width, queries, scales);
            let rounded = rows(queries, width, from.count);
            let products = rows_mut(&mut work.products, stride);
            kernels.gemm_integers(rounded, scales, &keys, products);
            let rows_of_products = work.products.chunks_exact_mut(stride).take(from.count);
            let rows_of_shares = weights.chunks_exact_mut(stride);
            for ((products, weights), scale) in
                rows_of_products.zip(rows_of_shares).zip(&mut **scales)
            {
                *scale = kernels.shares(products, area, weights);
            }
            let attended = rows_mut(&mut attended[first * attended_stride..], attended_stride);
            kernels.gemm_integers(rows(weights, stride, from.count), scales, &values, attended);
        }
    }
}

/// Up to [`CHUNK`] rows from `first` on.
fn part(all: Rows<f32>, first: usize) -> Rows<f32> {
    Rows {
        values: &all.values[first * all.stride..],
        stride: all.stride,
        count: CHUNK.min(all.count - first),
    }
}

fn rows<T>(values: &[T], stride: usize, count: usize) -> Rows<'_, T> {
    Rows {
        values,
        stride,
        count,
    }
}

fn rows_mut(values: &mut [f32], stride: usize) -> RowsMut<'_> {
    RowsMut { values, stride }
}
