//! Matrix products: blocks of results stay in registers during the inner loop.

use std::marker::PhantomData;

use super::packed::{Packed, panels};
use super::size::of_size;
use super::vector::Simd;

/// `rows` rows of operands and results; the inner index is that of the packed matrix.
#[derive(Clone, Copy)]
pub struct Span<A> {
    /// The first row's operands.
    pub a: *const A,
    /// Stride of rows, in values.
    pub a_stride: usize,
    /// The first row's results.
    pub c: *mut f32,
    /// Stride of rows, in values.
    pub c_stride: usize,
    /// Number of rows.
    pub rows: usize,
    /// What is prefetched after the packed matrix; null for what lies behind it.
    pub next: *const u8,
}

/// `c = a * b`, or `c += a * b`.
///
/// # Safety
///
/// Needs the instruction set, and as many operands and results behind the pointers as the span and
/// the matrix say.
#[inline(always)]
pub unsafe fn gemm_f32<S: Simd>(span: Span<f32>, b: &Packed<f32>, add: bool) {
    blocks::<S, _>(
        span,
        b,
        &Floats::<S> {
            add,
            simd: PhantomData,
        },
    );
}

/// `c = (a * b) * row_scale * b's column scale`.
///
/// # Safety
///
/// As [`gemm_f32`], with as many scales as rows; `a_stride` is even, and rows are padded with a
/// zero if the inner length is odd.
#[inline(always)]
pub unsafe fn gemm_i16<S: Simd>(span: Span<i16>, row_scales: *const f32, b: &Packed<i16>) {
    let columns = b.scales().as_ptr();
    blocks::<S, _>(
        span,
        b,
        &Integers::<S> {
            row_scales,
            columns,
            simd: PhantomData,
        },
    );
}

/// Position of a block of results in a matrix product.
struct Block<A> {
    span: Span<A>,
    /// Steps of the inner index.
    depth: usize,
    /// First row.
    row: usize,
    /// First column.
    column: usize,
    /// The panel's packed operands.
    panel: *const A,
    ahead: Ahead,
}

/// A part of the next panel, which a block prefetches in the course of its steps. So the blocks of a panel share
/// the next one evenly: large layers stream their weights from the outer caches, and would wait for them in
/// the first block of each panel.
#[derive(Clone, Copy)]
struct Ahead {
    from: *const u8,
    /// Bytes for each step.
    bytes: usize,
}

impl Ahead {
    /// Prefetches the part for a step, of which a panel's operands take so many bytes: as many as a single block
    /// would have to.
    #[inline(always)]
    unsafe fn prefetch<S: Simd>(&mut self, step_bytes: usize) {
        for line in (0..step_bytes).step_by(64) {
            S::prefetch(self.from.wrapping_add(line));
        }
        self.from = self.from.wrapping_add(self.bytes);
    }
}

/// Computes a block of `R` rows and `V` registers of columns.
trait Micro<A> {
    unsafe fn run<const R: usize, const V: usize>(&self, block: &Block<A>);
}

/// Splits a product into blocks, with rows as evenly as possible. Divisions are made once a panel: within a block
/// they would delay its first step.
#[inline(always)]
unsafe fn blocks<S: Simd, A: bytemuck::Pod>(span: Span<A>, b: &Packed<A>, micro: &impl Micro<A>) {
    if span.rows == 0 {
        return;
    }
    let (mut column, mut panel) = (0, b.values().as_ptr());
    for vectors in panels(b.columns() / S::LANES, S::PANEL) {
        let count = span.rows.div_ceil(S::ROWS[vectors]);
        let width = vectors * S::LANES;
        let bytes = width * b.values_per_column() * size_of::<A>();
        let (rows, more) = (span.rows / count, span.rows % count);
        let is_last = column + width == b.columns();
        let next = match is_last && !span.next.is_null() {
            true => span.next,
            false => panel.cast::<u8>().wrapping_add(bytes),
        };
        let share = bytes / count;
        let mut ahead = Ahead {
            from: next,
            bytes: (4 * width).div_ceil(count),
        };
        let mut row = 0;
        for index in 0..count {
            let rows = rows + usize::from(index < more);
            let block = Block {
                span,
                depth: b.depth(),
                row,
                column,
                panel,
                ahead,
            };
            of_size!(S, rows, vectors, <R, V> micro.run::<R, V>(&block));
            row += rows;
            ahead.from = ahead.from.wrapping_add(share);
        }
        column += width;
        panel = panel.add(width * b.values_per_column());
    }
}

struct Floats<S> {
    add: bool,
    simd: PhantomData<S>,
}

impl<S: Simd> Micro<f32> for Floats<S> {
    #[inline(always)]
    unsafe fn run<const R: usize, const V: usize>(&self, block: &Block<f32>) {
        let Span {
            a,
            a_stride,
            c,
            c_stride,
            ..
        } = block.span;
        let rows: [_; R] = std::array::from_fn(|r| a.add((block.row + r) * a_stride));
        let c = c.add(block.row * c_stride + block.column);
        let mut sums = [[S::splat(0.0); V]; R];
        let (mut b, mut ahead) = (block.panel, block.ahead);
        for k in 0..block.depth {
            let column: [S::F; V] = std::array::from_fn(|v| S::load(b.add(v * S::LANES)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let a = S::splat(*rows[r].add(k));
                for v in 0..V {
                    sums[v] = S::mul_add(a, column[v], sums[v]);
                }
            }
            ahead.prefetch::<S>(4 * V * S::LANES);
            b = b.add(V * S::LANES);
        }
        for (r, sums) in sums.iter().enumerate() {
            for (v, &sum) in sums.iter().enumerate() {
                let c = c.add(r * c_stride + v * S::LANES);
                S::store(
                    c,
                    if self.add {
                        S::add(S::load(c), sum)
                    } else {
                        sum
                    },
                );
            }
        }
    }
}

struct Integers<S> {
    row_scales: *const f32,
    columns: *const f32,
    simd: PhantomData<S>,
}

impl<S: Simd> Micro<i16> for Integers<S> {
    #[inline(always)]
    unsafe fn run<const R: usize, const V: usize>(&self, block: &Block<i16>) {
        let Span {
            a,
            a_stride,
            c,
            c_stride,
            ..
        } = block.span;
        let rows: [_; R] = std::array::from_fn(|r| a.add((block.row + r) * a_stride));
        let c = c.add(block.row * c_stride + block.column);
        let mut sums = [[S::zero_i(); V]; R];
        let (mut b, mut ahead) = (block.panel, block.ahead);
        for pair in 0..block.depth.div_ceil(2) {
            let column: [S::I; V] = std::array::from_fn(|v| S::load_pairs(b.add(2 * v * S::LANES)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let a = S::splat_pair(rows[r].add(2 * pair));
                for v in 0..V {
                    sums[v] = S::add_dot(sums[v], a, column[v]);
                }
            }
            ahead.prefetch::<S>(4 * V * S::LANES);
            b = b.add(2 * V * S::LANES);
        }
        for (r, sums) in sums.iter().enumerate() {
            let row_scale = S::splat(*self.row_scales.add(block.row + r));
            for (v, &sum) in sums.iter().enumerate() {
                let offset = v * S::LANES;
                let scale = S::mul(row_scale, S::load(self.columns.add(block.column + offset)));
                S::store(c.add(r * c_stride + offset), S::mul(S::to_f(sum), scale));
            }
        }
    }
}
