//! Inner loops, compiled for each instruction set and chosen at run time.
//!
//! The algorithms are written once over [`vector::Simd`]. [`Kernels`] is a function table of one
//! instruction set; its methods are safe: they check the machine's instructions and the lengths of
//! slices, and are the only entry points. Channels come in multiples of 16 everywhere.

// Nearly every function here consists of calls that need an instruction set or memory behind a
// pointer, as its caller guarantees; inner `unsafe` blocks would add no information.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bf16;
mod finish;
mod gemm;
mod integers;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed;
mod peak;
mod portable;
mod rows;
mod runs;
mod size;
mod sparse;
mod table;
mod training;
mod vector;
mod winograd;

pub use bf16::Pair;
pub use finish::{Finish, Layout, Output, Points, ResidualMode, Stack};
pub use integers::MAX_INTEGER_DEPTH;
pub use isa::Isa;
pub use packed::{COLUMN_STEP, Packed, Shape, padded};
pub use sparse::Term;
pub use training::{Left, Operand};
pub use winograd::{PATCH, PLACES, Tiles, transformed};

use std::time::Instant;

use super::aligned::Aligned;
use gemm::Span;
use table::Table;

/// The inner loops of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    table: &'static Table,
    training: &'static training::Table,
}

/// Rows of a matrix in memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    /// Begins with the first value.
    pub values: &'a [T],
    /// Stride of rows, in values.
    pub stride: usize,
    /// Number of rows.
    pub count: usize,
}

impl<T> Rows<'_, T> {
    fn check(&self, len: usize) {
        let fits = |count: usize| (count - 1) * self.stride + len <= self.values.len();
        assert!(self.count == 0 || fits(self.count), "rows end too early");
    }
}

/// Rows of results in memory.
#[derive(Debug)]
pub struct RowsMut<'a> {
    /// Begins with the first value.
    pub values: &'a mut [f32],
    /// Stride of rows, in values.
    pub stride: usize,
}

/// The right operand of a product.
#[derive(Clone, Copy, Debug)]
pub struct Right<'a, T> {
    /// The matrix.
    pub matrix: &'a Packed<T>,
    /// The matrix of the following product, if it is known: its beginning is prefetched.
    pub next: Option<&'a Packed<T>>,
}

impl<'a, T> From<&'a Packed<T>> for Right<'a, T> {
    fn from(matrix: &'a Packed<T>) -> Right<'a, T> {
        Right { matrix, next: None }
    }
}

impl<T: bytemuck::Pod> Right<'_, T> {
    /// Where the next matrix begins, or null.
    fn ahead(&self) -> *const u8 {
        self.next
            .map_or(std::ptr::null(), |next| next.values().as_ptr().cast())
    }
}

impl Kernels {
    /// Those of an instruction set.
    ///
    /// # Panics
    ///
    /// Panics if the machine does not have it.
    pub fn new(isa: Isa) -> Kernels {
        assert!(isa.is_available(), "this machine has no {isa}");
        Kernels {
            table: table::of(isa),
            training: training::table_of(isa),
        }
    }

    /// Panel widths for packing.
    pub fn shape(&self) -> Shape {
        self.table.shape
    }

    /// `c = a * b`, or `c += a * b`. Rows of `c` have room for the padded columns of `b`.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn gemm<'a>(&self, a: Rows<f32>, right: impl Into<Right<'a, f32>>, c: RowsMut, add: bool) {
        let right = right.into();
        let b = right.matrix;
        a.check(b.depth());
        Rows {
            values: &*c.values,
            stride: c.stride,
            count: a.count,
        }
        .check(b.columns());
        let span = Span {
            a: a.values.as_ptr(),
            a_stride: a.stride,
            c: c.values.as_mut_ptr(),
            c_stride: c.stride,
            rows: a.count,
            next: right.ahead(),
        };
        // SAFETY: the machine has the instructions, and both slices have been measured.
        unsafe { (self.table.gemm_f32)(span, b, add) }
    }

    /// `c = a * b` of integers with a scale for each row of `a`. If `b` has an odd number of rows,
    /// those of `a` end with an extra zero.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn gemm_integers<'a>(
        &self,
        a: Rows<i16>,
        scales: &[f32],
        right: impl Into<Right<'a, i16>>,
        c: RowsMut,
    ) {
        let right = right.into();
        let b = right.matrix;
        a.check(b.depth().next_multiple_of(2));
        Rows {
            values: &*c.values,
            stride: c.stride,
            count: a.count,
        }
        .check(b.columns());
        assert!(scales.len() >= a.count, "a scale for each row");
        assert!(b.scales().len() >= b.columns(), "a scale for each column");
        let span = Span {
            a: a.values.as_ptr(),
            a_stride: a.stride,
            c: c.values.as_mut_ptr(),
            c_stride: c.stride,
            rows: a.count,
            next: right.ahead(),
        };
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { (self.table.gemm_i16)(span, scales.as_ptr(), b) }
    }

    /// Rounds rows of `len` floats to integers, which lie `len` apart, with a scale for each.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short, or if `len` is no multiple of 16.
    pub fn round_rows(&self, from: Rows<f32>, len: usize, to: &mut [i16], scales: &mut [f32]) {
        from.check(len);
        assert!(len.is_multiple_of(COLUMN_STEP));
        assert!(to.len() >= from.count * len && scales.len() >= from.count);
        let numbers: [usize; rows::ROUNDED_TOGETHER] = std::array::from_fn(|number| number);
        for first in (0..from.count).step_by(rows::ROUNDED_TOGETHER) {
            let count = rows::ROUNDED_TOGETHER.min(from.count - first);
            let values = &from.values[first * from.stride..];
            let rounded = rows::Rounded {
                integers: to[first * len..].as_mut_ptr(),
                stride: len,
                scales: scales[first..].as_mut_ptr(),
                rows: numbers.as_ptr(),
            };
            let from = (values.as_ptr(), from.stride);
            // SAFETY: the machine has the instructions, and all slices have been measured.
            unsafe { (self.table.round_rows)(from, count, len, rounded) }
        }
    }

    /// Transforms the padded cells of one board for a convolution: `[cell][channel]` to
    /// `[place][tile][channel]`.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn winograd_input(&self, board: &[f32], channels: usize, tiles: Tiles, to: &mut [f32]) {
        check_tiles(board, channels, tiles, to.len());
        // SAFETY: the machine has the instructions, and both slices have been measured.
        unsafe { (self.table.input_f32)(board.as_ptr(), channels, tiles, to.as_mut_ptr()) }
    }

    /// The same in integers, with a scale for each `[place][tile]`. `floats` has room for one
    /// transformed tile.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn winograd_input_integers(
        &self,
        board: &[f32],
        channels: usize,
        tiles: Tiles,
        to: (&mut [i16], &mut [f32]),
        floats: &mut [f32],
    ) {
        let (to, scales) = to;
        check_tiles(board, channels, tiles, to.len());
        assert!(scales.len() >= tiles.rows());
        assert!(floats.len() >= PLACES * channels);
        let (to, scales, floats) = (to.as_mut_ptr(), scales.as_mut_ptr(), floats.as_mut_ptr());
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { (self.table.input_i16)(board.as_ptr(), channels, tiles, to, scales, floats) }
    }

    /// Transforms the products `[place][tile][channel]` of one board back and applies the epilogue.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn winograd_output(
        &self,
        products: &[f32],
        channels: usize,
        tiles: Tiles,
        mut finish: Finish,
    ) {
        assert!(products.len() >= tiles.rows() * channels);
        let (finish, activation) = finish.raw(channels, tiles.width, tiles.height);
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { (self.table.output)(products.as_ptr(), channels, tiles, finish, activation) }
    }

    /// Applies the epilogue to results `[point][channel]` of a board of this height.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn finish(
        &self,
        results: &[f32],
        channels: usize,
        points: Points,
        height: usize,
        mut finish: Finish,
    ) {
        assert!(results.len() >= points.count * channels);
        assert!(points.first + points.count <= points.width * height);
        let (finish, activation) = finish.raw(channels, points.width, height);
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { (self.table.finish_points)(results.as_ptr(), points, finish, activation) }
    }

    /// RMS norm of rows of `channels` channels, both sides with this stride; `epsilon` is added to
    /// the mean square. Padding channels must be zero.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn rms_norm(&self, from: Rows<f32>, channels: usize, epsilon: f32, to: &mut [f32]) {
        let padded = padded(channels);
        from.check(padded);
        for index in 0..from.count {
            let start = index * from.stride;
            let (from, to) = (&from.values[start..][..padded], &mut to[start..][..padded]);
            // SAFETY: the machine has the instructions, and both slices have their padding.
            unsafe { (self.table.rms_norm)(from.as_ptr(), channels, epsilon, to.as_mut_ptr()) };
        }
    }

    /// Replaces each of the first `len` values by `e^(value - greatest)`, and returns their sum.
    /// The padding, up to a multiple of 16, is overwritten.
    ///
    /// # Panics
    ///
    /// Panics if the padding is missing.
    pub fn exponentials(&self, row: &mut [f32], len: usize) -> f32 {
        assert!(row.len() >= padded(len));
        // SAFETY: the machine has the instructions, and the row has its padding.
        unsafe { (self.table.exponentials)(row.as_mut_ptr(), len) }
    }

    /// Rounds `e^value` of the first `len` values to integers, followed by zeros up to a multiple
    /// of 16, and returns the scale that makes their sum 1. The row is overwritten.
    ///
    /// # Panics
    ///
    /// Panics if the padding is missing.
    pub fn shares(&self, row: &mut [f32], len: usize, to: &mut [i16]) -> f32 {
        assert!(row.len() >= padded(len) && to.len() >= padded(len));
        // SAFETY: the machine has the instructions, and both rows have their padding.
        unsafe { (self.table.shares)(row.as_mut_ptr(), len, to.as_mut_ptr()) }
    }

    /// `to = silu(inner) * gate`.
    ///
    /// # Panics
    ///
    /// Panics if the lengths differ or are no multiples of 16.
    pub fn gated(&self, inner: &[f32], gate: &[f32], to: &mut [f32]) {
        let len = to.len();
        assert!(inner.len() == len && gate.len() == len && len.is_multiple_of(COLUMN_STEP));
        // SAFETY: the machine has the instructions, and all slices are equally long.
        unsafe { (self.table.gated)(inner.as_ptr(), gate.as_ptr(), len, to.as_mut_ptr()) }
    }

    /// `to += sum of from[start..] * factor` over all terms.
    ///
    /// # Panics
    ///
    /// Panics if a term begins too late, or if the number of values is no multiple of 16.
    pub fn add_terms(&self, to: &mut [f32], from: &[f32], terms: &[Term]) {
        assert!(to.len().is_multiple_of(COLUMN_STEP));
        let last = terms.iter().map(|term| term.start).max();
        let end = last.map_or(0, |start| start as usize + to.len());
        assert!(end <= from.len(), "a term begins too late");
        // SAFETY: the machine has the instructions, and all terms lie within the values.
        unsafe { (self.table.add_terms)(to, from.as_ptr(), terms) }
    }

    /// Peak multiply-adds per second of one core, of floats or of 16-bit integers, measured within
    /// milliseconds.
    pub fn peak(&self, of_integers: bool) -> f64 {
        const ROUNDS: usize = 200_000;
        let (mut floats, mut integers) = (Aligned::default(), Aligned::default());
        floats.grow(peak::OPERANDS * COLUMN_STEP);
        floats.fill(0.5);
        integers.grow(2 * peak::OPERANDS * COLUMN_STEP);
        integers.fill(3);
        let once = || {
            let start = Instant::now();
            // SAFETY: the machine has the instructions, and no register is longer than a step.
            std::hint::black_box(unsafe {
                if of_integers {
                    (self.table.peak_integers)(ROUNDS, integers.as_ptr())
                } else {
                    (self.table.peak_floats)(ROUNDS, floats.as_ptr())
                }
            });
            start.elapsed().as_secs_f64()
        };
        let best = (0..20).map(|_| once()).fold(f64::INFINITY, f64::min);
        let of_round = self.table.operations * if of_integers { 2 } else { 1 };
        (ROUNDS * of_round) as f64 / best
    }
}

fn check_tiles(board: &[f32], channels: usize, tiles: Tiles, room: usize) {
    assert!(channels.is_multiple_of(COLUMN_STEP));
    assert!(board.len() >= tiles.padded_cells() * channels);
    assert!(room >= tiles.rows() * channels);
}
