//! Matrix products for training: of floats or bf16 pairs, with an inner index that covers several
//! runs of the left operand.
//!
//! A convolution is one product: its inner index covers all channels of one neighbour after
//! another, and each sum stays in its register until it is complete. The gradient of weights is one
//! product for each neighbour, whose inner index is the cell.

use std::marker::PhantomData;

use super::bf16::{Halves, Pair};
use super::packed::panels;
use super::size::of_size;
use super::vector::Simd;

/// A product as its kernel sees it. Operands are floats or pairs.
#[derive(Clone, Copy, Debug)]
pub struct Product<A> {
    /// The first row's operands.
    pub a: *const A,
    /// Start of each run, in operands from there.
    pub runs: *const usize,
    /// Number of runs.
    pub run_count: usize,
    /// Stride of rows if the inner index is contiguous, else of inner steps.
    pub a_stride: usize,
    /// Steps of each run.
    pub depth: usize,
    /// Right operands, one run after another.
    pub b: *const A,
    /// Stride of steps, or 0 if packed in panels.
    pub b_stride: usize,
    /// The first row's results.
    pub c: *mut f32,
    /// Stride of rows, in values.
    pub c_stride: usize,
    /// Distance between the results of consecutive runs, in values, where each run is a separate
    /// product.
    pub c_run: usize,
    /// Rows of results.
    pub rows: usize,
    /// Columns of results, a multiple of 16.
    pub columns: usize,
    /// Whether to add to existing results.
    pub add: bool,
}

impl<A> Product<A> {
    /// The product of a single run, where each is a separate product.
    ///
    /// # Safety
    ///
    /// There are more than `run` runs.
    pub unsafe fn of_run(self, index: usize) -> Product<A> {
        Product {
            runs: self.runs.add(index),
            run_count: 1,
            c: self.c.add(index * self.c_run),
            ..self
        }
    }
}

/// Type of operands.
pub trait Operand<S: Simd>: Copy {
    /// A register of operands.
    type Register: Copy;

    /// One value in all lanes.
    unsafe fn splat(from: *const Self::Value) -> Self::Register;
    /// `LANES` of them.
    unsafe fn load(from: *const Self::Value) -> Self::Register;
    /// `sum + a * b`.
    unsafe fn add_product(sum: S::F, a: Self::Register, b: Self::Register) -> S::F;
    /// In memory.
    type Value: Copy;
}

/// Floats.
#[derive(Clone, Copy)]
pub struct Floats;

impl<S: Simd> Operand<S> for Floats {
    type Register = S::F;
    type Value = f32;

    #[inline(always)]
    unsafe fn splat(from: *const f32) -> S::F {
        S::splat(*from)
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> S::F {
        S::load(from)
    }

    #[inline(always)]
    unsafe fn add_product(sum: S::F, a: S::F, b: S::F) -> S::F {
        S::mul_add(a, b, sum)
    }
}

/// Pairs.
#[derive(Clone, Copy)]
pub struct Pairs<H>(PhantomData<H>);

impl<S: Simd, H: Halves<S>> Operand<S> for Pairs<H> {
    type Register = S::I;
    type Value = Pair;

    #[inline(always)]
    unsafe fn splat(from: *const Pair) -> S::I {
        S::splat_pair(from.cast())
    }

    #[inline(always)]
    unsafe fn load(from: *const Pair) -> S::I {
        S::load_pairs(from.cast())
    }

    #[inline(always)]
    unsafe fn add_product(sum: S::F, a: S::I, b: S::I) -> S::F {
        H::add_dot(sum, a, b)
    }
}

/// The sum of all runs' products. The inner index is contiguous (`ALONG`), or the row in memory.
///
/// # Safety
///
/// Needs the instruction set, and as many operands and results behind the pointers as the product
/// says.
#[inline(always)]
pub unsafe fn multiply<S: Simd, O: Operand<S>, const ALONG: bool>(product: Product<O::Value>) {
    let (mut column, mut panel) = (0, product.b);
    for vectors in panels(product.columns / S::LANES, S::PANEL) {
        let width = vectors * S::LANES;
        let packed = product.b_stride == 0;
        let b_stride = if packed { width } else { product.b_stride };
        let count = product.rows.div_ceil(S::ROWS[vectors]);
        for index in 0..count {
            let row = product.rows * index / count;
            let rows = product.rows * (index + 1) / count - row;
            let block = Block {
                product,
                row,
                column,
                panel,
                b_stride,
            };
            of_size!(S, rows, vectors, <R, V> run::<S, O, ALONG, R, V>(&block));
        }
        column += width;
        panel = panel.add(if packed {
            width * product.depth * product.run_count
        } else {
            width
        });
    }
}

/// A separate product of each run, with the row as inner index.
///
/// # Safety
///
/// As [`multiply`].
#[inline(always)]
pub unsafe fn multiply_each<S: Simd, O: Operand<S>>(product: Product<O::Value>) {
    for index in 0..product.run_count {
        multiply::<S, O, false>(product.of_run(index));
    }
}

/// Position of a block of results in a product.
struct Block<A> {
    product: Product<A>,
    row: usize,
    column: usize,
    panel: *const A,
    b_stride: usize,
}

/// Computes a block of `R` rows and `V` registers of columns.
#[inline(always)]
unsafe fn run<S: Simd, O: Operand<S>, const ALONG: bool, const R: usize, const V: usize>(
    block: &Block<O::Value>,
) {
    let Product {
        a,
        a_stride,
        c_stride,
        ..
    } = block.product;
    let (row_stride, step) = if ALONG { (a_stride, 1) } else { (1, a_stride) };
    let a = a.add(block.row * row_stride);
    let mut sums = [[S::splat(0.0); V]; R];
    let mut b = block.panel;
    for index in 0..block.product.run_count {
        let a = a.add(*block.product.runs.add(index));
        let rows: [_; R] = std::array::from_fn(|r| a.add(r * row_stride));
        for k in 0..block.product.depth {
            let column: [_; V] = std::array::from_fn(|v| O::load(b.add(v * S::LANES)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let a = O::splat(rows[r].add(k * step));
                for v in 0..V {
                    sums[v] = O::add_product(sums[v], a, column[v]);
                }
            }
            b = b.add(block.b_stride);
        }
    }
    let c = block.product.c.add(block.row * c_stride + block.column);
    for (r, sums) in sums.iter().enumerate() {
        for (v, &sum) in sums.iter().enumerate() {
            let c = c.add(r * c_stride + v * S::LANES);
            let old = if block.product.add {
                S::load(c)
            } else {
                S::splat(0.0)
            };
            S::store(c, S::add(old, sum));
        }
    }
}
