//! Products of bf16 pairs by Intel's AMX: tile registers of 16 rows of 64 bytes, and an instruction
//! that multiplies two of them, about ten times as fast as vectors.
//!
//! Pairs lie in memory as the instruction needs them: a tile of the left operand has 16 rows of
//! results with pairs of the inner index side by side, one of the right operand has the pairs below
//! each other. Whatever does not fill tiles is left to vectors.

mod tiles;
mod transposed;

#[cfg(target_os = "linux")]
use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::avx512::Avx512;
use super::bf16::{Instructions, Pair};
use super::packed::panels;
use super::runs::{self, Pairs, Product};
use super::vector::Simd;
use tiles::{Results, Square, Strided, TILE, Tile, release, set_shapes, square};
use transposed::Transposed;

type Vectors = Avx512<true>;

/// Whether the machine has bf16 tiles and the system permits their use. (Rust cannot detect them
/// yet.)
pub fn is_available() -> bool {
    static IS_AVAILABLE: OnceLock<bool> = OnceLock::new();
    *IS_AVAILABLE.get_or_init(|| has_tiles() && may_use_tiles())
}

fn has_tiles() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    const TILES_OF_BF16: u32 = 1 << 22 | 1 << 24;
    /// State components of tiles in the system's context.
    const STATE: u64 = 0b11 << 17;
    #[target_feature(enable = "xsave")]
    fn system_keeps() -> u64 {
        // SAFETY: only called where OSXSAVE says that the instruction is available.
        unsafe { _xgetbv(0) }
    }
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & OSXSAVE == 0 {
        return false;
    }
    let has_instructions = __cpuid_count(7, 0).edx & TILES_OF_BF16 == TILES_OF_BF16;
    // SAFETY: OSXSAVE is set, as just seen.
    has_instructions && unsafe { system_keeps() } & STATE == STATE
}

/// Linux reserves the memory for context switches only for processes that request it.
#[cfg(target_os = "linux")]
fn may_use_tiles() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const REQUEST_PERMISSION: i64 = 0x1023;
    const TILE_DATA: i64 = 18;
    let mut result = ARCH_PRCTL;
    // SAFETY: the call changes nothing but this permission, whatever it answers.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            out("rcx") _,
            out("r11") _,
        );
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn may_use_tiles() -> bool {
    false
}

/// As [`runs::multiply`] along rows.
///
/// # Safety
///
/// Needs tiles and AVX-512 with bf16, and as many operands and results behind the pointers as the
/// product says.
#[inline(always)]
pub unsafe fn along(product: Product<Pair>) {
    let chunks = product.depth.div_ceil(TILE);
    let rows = product.rows / TILE * TILE;
    if rows == 0 || product.depth == 0 || !product.depth.is_multiple_of(chunks) {
        return runs::multiply::<Vectors, Pairs<Instructions>, true>(product);
    }
    let width = product.depth / chunks;
    let runs = std::slice::from_raw_parts(product.runs, product.run_count);
    let offsets: SmallVec<[usize; 128]> = runs
        .iter()
        .flat_map(|run| (0..chunks).map(move |chunk| run + chunk * width))
        .collect();
    let left = Left {
        values: product.a,
        stride: product.a_stride,
        block: TILE * product.a_stride,
        offsets: &offsets,
        width,
    };
    multiply(Product { rows, ..product }, left);
    runs::multiply::<Vectors, Pairs<Instructions>, true>(Product {
        a: product.a.add(rows * product.a_stride),
        c: product.c.add(rows * product.c_stride),
        rows: product.rows - rows,
        ..product
    });
}

/// Steps of the inner index multiplied at a time, such that the operands stay in the inner caches
/// between runs.
const STEPS: usize = 256;

/// As [`runs::multiply_each`].
///
/// # Safety
///
/// As [`along`].
#[inline(always)]
pub unsafe fn across(product: Product<Pair>) {
    let (rows, depth) = (product.rows / TILE * TILE, product.depth / TILE * TILE);
    let runs = std::slice::from_raw_parts(product.runs, product.run_count);
    let first = runs.iter().copied().min().unwrap_or(0);
    let stride = product.a_stride;
    let in_rows = runs.iter().all(|run| (run - first).is_multiple_of(stride));
    if rows == 0 || depth == 0 || !in_rows {
        return runs::multiply_each::<Vectors, Pairs<Instructions>>(product);
    }
    let ahead = runs.iter().max().map_or(0, |last| (last - first) / stride);
    let mut columns_of_a = Transposed::new(rows, STEPS.min(depth) + ahead);
    for start in (0..depth).step_by(STEPS) {
        let steps = STEPS.min(depth - start);
        let offsets: SmallVec<[usize; STEPS / TILE]> = (0..steps).step_by(TILE).collect();
        let from = product.a.add(first + start * stride);
        columns_of_a.fill((from, stride), steps + ahead);
        for (index, run) in runs.iter().enumerate() {
            let left = Left {
                values: columns_of_a.from((run - first) / stride),
                stride: columns_of_a.stride,
                block: TILE * columns_of_a.stride,
                offsets: &offsets,
                width: TILE,
            };
            let part = Product {
                b: product.b.add(start * product.b_stride),
                rows,
                add: product.add || start > 0,
                ..product.of_run(index)
            };
            multiply(part, left);
        }
    }
    runs::multiply_each::<Vectors, Pairs<Instructions>>(Product {
        a: product.a.add(depth * stride),
        b: product.b.add(depth * product.b_stride),
        depth: product.depth - depth,
        rows,
        add: true,
        ..product
    });
    runs::multiply_each::<Vectors, Pairs<Instructions>>(Product {
        a: product.a.add(rows),
        c: product.c.add(rows * product.c_stride),
        rows: product.rows - rows,
        ..product
    });
}

/// Layout of left-operand tiles.
#[derive(Clone, Copy)]
struct Left<'a> {
    values: *const Pair,
    /// Stride of rows.
    stride: usize,
    /// Distance between the first rows of consecutive tiles.
    block: usize,
    /// Offsets of the tiles in a row.
    offsets: &'a [usize],
    /// Pairs per tile row.
    width: usize,
}

/// Sixteen columns of the right operand.
#[derive(Clone, Copy)]
struct Column {
    /// Columns of results.
    first: usize,
    b: *const Pair,
    /// Stride of steps.
    stride: usize,
}

/// All columns, a multiple of 16.
#[inline(always)]
unsafe fn columns(product: Product<Pair>) -> SmallVec<[Column; 16]> {
    let packed = product.b_stride == 0;
    let (mut columns, mut first, mut panel) = (SmallVec::new(), 0, product.b);
    for vectors in panels(product.columns / TILE, Vectors::PANEL) {
        let width = vectors * TILE;
        columns.extend((0..width).step_by(TILE).map(|column| Column {
            first: first + column,
            b: panel.add(column),
            stride: if packed { width } else { product.b_stride },
        }));
        first += width;
        panel = panel.add(if packed {
            width * product.depth * product.run_count
        } else {
            width
        });
    }
    columns
}

/// All rows of results that fill tiles, in blocks of 2x2 tiles; at the edges some are computed
/// twice.
#[inline(always)]
unsafe fn multiply(product: Product<Pair>, left: Left) {
    let zeros = Tile([0; TILE * TILE]);
    let mut waste = Tile([0; TILE * TILE]);
    let waste = &raw mut waste;
    set_shapes(left.width);
    let columns = columns(product);
    let alike = columns.chunk_by(|a, b| a.stride == b.stride);
    for pair in alike.flat_map(|columns| columns.chunks(2)) {
        let (column, next) = (pair[0], pair.get(1));
        for row in (0..product.rows).step_by(2 * TILE) {
            let has_lower = row + TILE < product.rows;
            let a = left.values.add(row / TILE * left.block);
            let c = product.c.add(row * product.c_stride);
            let lower = product.c_stride * TILE;
            let (first, second) = (column.first, next.map(|next| next.first));
            let places = [
                Some(first),
                second,
                has_lower.then_some(lower + first),
                second.filter(|_| has_lower).map(|second| lower + second),
            ];
            let from = |place: Option<usize>| match place {
                Some(place) if product.add => Strided::new(c.add(place), product.c_stride),
                _ => Strided::new((&raw const zeros).cast_mut().cast(), 0),
            };
            let to = |place: Option<usize>| match place {
                Some(place) => Strided::new(c.add(place), product.c_stride),
                None => Strided::new(waste.cast(), TILE),
            };
            square(Square {
                a: [a, if has_lower { a.add(left.block) } else { a }],
                a_stride: left.stride * size_of::<Pair>(),
                offsets: left.offsets,
                b: [column.b, next.unwrap_or(&column).b],
                b_stride: column.stride * size_of::<Pair>(),
                b_step: left.width * column.stride * size_of::<Pair>(),
                results: Results {
                    from: places.map(from),
                    to: places.map(to),
                },
            });
        }
    }
    release();
}
