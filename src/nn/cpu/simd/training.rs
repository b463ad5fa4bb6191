//! The kernels of training: a table for each instruction set, and safe entry points.

use super::bf16::{self, Emulated, Pair};
use super::isa::Isa;
use super::packed::{COLUMN_STEP, Packed};
use super::runs::{self, Floats, Pairs, Product};
use super::{Kernels, RowsMut};

/// The functions of an instruction set. All of them need it, and what their originals require.
#[derive(Debug)]
pub struct Table {
    /// Whether there are bf16 instructions.
    pub has_bf16: bool,
    /// Whether there are tile instructions.
    pub has_bf16_tiles: bool,
    along_f32: unsafe fn(Product<f32>),
    across_f32: unsafe fn(Product<f32>),
    along_bf16: unsafe fn(Product<Pair>),
    across_bf16: unsafe fn(Product<Pair>),
    pairs_along: unsafe fn(*const f32, usize, *mut Pair),
    pairs_across: unsafe fn((*const f32, *const f32), usize, *mut Pair),
}

/// The table of an instruction set, if the program is compiled for its architecture.
pub fn table_of(isa: Isa) -> &'static Table {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx => &tiles::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni if std::arch::is_x86_feature_detected!("avx512bf16") => &avx512_bf16::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni | Isa::Avx512 => &avx512::TABLE,
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni | Isa::Avx2 => &avx2::TABLE,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => &neon::TABLE,
        _ => &portable::TABLE,
    }
}

/// Compiles all kernels for an instruction set.
macro_rules! compile {
    ($module:ident, $simd:ty, $halves:ty, $has_bf16:literal $(, $features:literal)?) => {
        mod $module {
            use super::*;

            type Simd = $simd;
            type Halves = $halves;

            pub static TABLE: Table = Table {
                has_bf16: $has_bf16,
                has_bf16_tiles: false,
                along_f32,
                across_f32,
                along_bf16,
                across_bf16,
                pairs_along,
                pairs_across,
            };

            $(#[target_feature(enable = $features)])?
            unsafe fn along_f32(product: Product<f32>) {
                runs::multiply::<Simd, Floats, true>(product);
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn across_f32(product: Product<f32>) {
                runs::multiply_each::<Simd, Floats>(product);
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn along_bf16(product: Product<Pair>) {
                runs::multiply::<Simd, Pairs<Halves>, true>(product);
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn across_bf16(product: Product<Pair>) {
                runs::multiply_each::<Simd, Pairs<Halves>>(product);
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn pairs_along(from: *const f32, len: usize, to: *mut Pair) {
                bf16::along::<Simd, Halves>(from, len, to);
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn pairs_across(from: (*const f32, *const f32), len: usize, to: *mut Pair) {
                bf16::across::<Simd, Halves>(from, len, to);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
compile!(
    avx512_bf16,
    crate::nn::cpu::simd::avx512::Avx512<true>,
    bf16::Instructions,
    true,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16,avx2,fma"
);
/// As with bf16 vectors, except for the products.
#[cfg(target_arch = "x86_64")]
mod tiles {
    use super::*;
    use crate::nn::cpu::simd::amx;

    pub static TABLE: Table = Table {
        has_bf16_tiles: true,
        along_bf16,
        across_bf16,
        ..avx512_bf16::TABLE
    };

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16,avx2,fma")]
    unsafe fn along_bf16(product: Product<Pair>) {
        amx::along(product);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16,avx2,fma")]
    unsafe fn across_bf16(product: Product<Pair>) {
        amx::across(product);
    }
}

#[cfg(target_arch = "x86_64")]
compile!(
    avx512,
    crate::nn::cpu::simd::avx512::Avx512<false>,
    Emulated,
    false,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(target_arch = "x86_64")]
compile!(
    avx2,
    crate::nn::cpu::simd::avx2::Avx2<false>,
    Emulated,
    false,
    "avx2,fma"
);
#[cfg(target_arch = "aarch64")]
compile!(
    neon,
    crate::nn::cpu::simd::neon::Neon,
    Emulated,
    false,
    "neon"
);
compile!(
    portable,
    crate::nn::cpu::simd::portable::Portable,
    Emulated,
    false
);

/// Operands of training.
pub trait Operand: bytemuck::Pod {
    /// Numbers of the inner index per operand.
    const NUMBERS: usize;
    #[doc(hidden)]
    fn kernel(table: &'static Table, along: bool) -> unsafe fn(Product<Self>);
}

impl Operand for f32 {
    const NUMBERS: usize = 1;

    fn kernel(table: &'static Table, along: bool) -> unsafe fn(Product<f32>) {
        if along {
            table.along_f32
        } else {
            table.across_f32
        }
    }
}

impl Operand for Pair {
    const NUMBERS: usize = 2;

    fn kernel(table: &'static Table, along: bool) -> unsafe fn(Product<Pair>) {
        if along {
            table.along_bf16
        } else {
            table.across_bf16
        }
    }
}

/// The left operand of a product: a matrix in memory with several runs.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a, A> {
    /// Begins with the first operand.
    pub values: &'a [A],
    /// Start of each run of the inner index.
    pub runs: &'a [usize],
    /// Stride of rows in memory.
    pub stride: usize,
    /// Rows of results.
    pub rows: usize,
}

impl Kernels {
    /// Whether the machine has bf16 instructions; without them bf16 is slower than f32.
    pub fn has_bf16(&self) -> bool {
        self.training.has_bf16
    }

    /// Whether the machine has bf16 tiles, which are several times as fast as vectors.
    pub fn has_bf16_tiles(&self) -> bool {
        self.training.has_bf16_tiles
    }

    /// `c = a * b`, or `c += a * b`, with the inner index along the rows of `a`: the runs together
    /// have the depth of `b`. Rows of `c` have room for the padded columns of `b`.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn multiply_along<A: Operand>(&self, a: Left<A>, b: &Packed<A>, c: RowsMut, add: bool) {
        let depth = b.depth() / a.runs.len().max(1);
        assert_eq!(depth * a.runs.len(), b.depth(), "runs of one length");
        let last = a.rows.saturating_sub(1) * a.stride + depth;
        self.multiply(a, (depth, last), (b.values(), 0, b.columns()), c, add);
    }

    /// For each run of `a` a product `c = a^T * b`, stored one after another,
    /// with `depth` rows of `a` and `b` as inner index. The number of columns of `b` is a multiple
    /// of 16, and `b` has this stride.
    ///
    /// # Panics
    ///
    /// Panics if a slice is too short.
    pub fn multiply_across<A: Operand>(
        &self,
        a: Left<A>,
        depth: usize,
        b: (&[A], usize, usize),
        c: RowsMut,
    ) {
        let (values, columns, stride) = b;
        assert!(columns <= stride && columns.is_multiple_of(COLUMN_STEP));
        assert!(depth == 0 || (depth - 1) * stride + columns <= values.len());
        let last = depth.saturating_sub(1) * a.stride + a.rows;
        self.multiply(a, (depth, last), (values, stride, columns), c, false);
    }

    fn multiply<A: Operand>(
        &self,
        a: Left<A>,
        (depth, last): (usize, usize),
        (b, b_stride, columns): (&[A], usize, usize),
        c: RowsMut,
        add: bool,
    ) {
        let furthest = a.runs.iter().max().map_or(0, |first| first + last);
        assert!(furthest <= a.values.len(), "left operands end too early");
        let is_sum = b_stride == 0;
        let c_run = a.rows * c.stride;
        let others = if is_sum {
            0
        } else {
            a.runs.len().saturating_sub(1)
        };
        let results = others * c_run + a.rows.saturating_sub(1) * c.stride + columns;
        assert!(
            a.rows == 0 || results <= c.values.len(),
            "no room for results"
        );
        let product = Product {
            a: a.values.as_ptr(),
            runs: a.runs.as_ptr(),
            run_count: a.runs.len(),
            a_stride: a.stride,
            depth,
            b: b.as_ptr(),
            b_stride,
            c: c.values.as_mut_ptr(),
            c_stride: c.stride,
            c_run,
            rows: a.rows,
            columns,
            add,
        };
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { A::kernel(self.training, is_sum)(product) }
    }

    /// Rounds values to pairs of neighbours.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is no multiple of 16, or not twice that of the pairs.
    pub fn pairs_along(&self, from: &[f32], to: &mut [Pair]) {
        assert!(from.len().is_multiple_of(COLUMN_STEP) && from.len() == 2 * to.len());
        // SAFETY: the machine has the instructions, and both slices have been measured.
        unsafe { (self.training.pairs_along)(from.as_ptr(), from.len(), to.as_mut_ptr()) }
    }

    /// Rounds values of two rows to pairs of those above each other.
    ///
    /// # Panics
    ///
    /// Panics if the lengths differ, or are no multiples of 16.
    pub fn pairs_across(&self, first: &[f32], second: &[f32], to: &mut [Pair]) {
        assert!(first.len() == second.len() && first.len() == to.len());
        assert!(first.len().is_multiple_of(COLUMN_STEP));
        let from = (first.as_ptr(), second.as_ptr());
        // SAFETY: the machine has the instructions, and all slices have been measured.
        unsafe { (self.training.pairs_across)(from, first.len(), to.as_mut_ptr()) }
    }
}
