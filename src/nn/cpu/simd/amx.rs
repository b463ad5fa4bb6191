//! Products of bf16 pairs by Intel's tiles ("AMX"): registers of 16 rows of 64 bytes each, and an
//! instruction that multiplies two of them, about ten times as fast as vectors.
//!
//! Pairs lie in memory as the instruction wants them: a tile of the left operand has 16 rows of
//! results with pairs of the inner index side by side, one of the right operand has the pairs below
//! each other. Whatever does not fill tiles is left to vectors.
//!
//! Rust has no functions for tiles yet, and detects none of them, hence the assembly. (Intel's
//! manual for software developers, volume 1, chapter 18.)

use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::avx512::Avx512;
use super::bf16::{Instructions, Pair};
use super::packed::panels;
use super::runs::{self, Pairs, Product};
use super::vector::Simd;

/// Rows of a tile, and pairs or floats in each of them.
const TILE: usize = 16;

type Vectors = Avx512<true>;

/// Whether the machine has tiles of bf16 and the system lets this program use them.
pub fn is_available() -> bool {
    static IS_AVAILABLE: OnceLock<bool> = OnceLock::new();
    *IS_AVAILABLE.get_or_init(|| has_tiles() && may_use_tiles())
}

fn has_tiles() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    const TILES_OF_BF16: u32 = 1 << 22 | 1 << 24;
    /// State of tiles' shapes and contents that the system keeps.
    const STATE: u64 = 0b11 << 17;
    #[target_feature(enable = "xsave")]
    fn system_keeps() -> u64 {
        // SAFETY: only called where OSXSAVE says that the system lets programs ask.
        unsafe { _xgetbv(0) }
    }
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & OSXSAVE == 0 {
        return false;
    }
    let has_instructions = __cpuid_count(7, 0).edx & TILES_OF_BF16 == TILES_OF_BF16;
    // SAFETY: OSXSAVE is set, as just seen.
    has_instructions && unsafe { system_keeps() } & STATE == STATE
}

/// Linux gives the memory that a switch of threads needs only to programs that ask for it.
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

/// How many steps of the inner index are multiplied at a time, such that the operands stay in the
/// inner caches from one run to the next.
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

/// Columns of the left operand, as rows.
struct Transposed {
    tiles: Vec<Tile>,
    rows: usize,
    /// From row to row, in pairs.
    stride: usize,
}

impl Transposed {
    /// Room for so many rows of so many steps; rows are a multiple of 16.
    fn new(rows: usize, steps: usize) -> Transposed {
        let stride = steps.next_multiple_of(TILE);
        let tiles = vec![Tile([0; TILE * TILE]); rows / TILE * (stride / TILE)];
        Transposed {
            tiles,
            rows,
            stride,
        }
    }

    /// All rows from this step on.
    fn from(&self, step: usize) -> *const Pair {
        self.tiles.as_ptr().cast::<Pair>().wrapping_add(step)
    }

    /// Copies so many steps, that far apart in memory.
    #[inline(always)]
    unsafe fn fill(&mut self, (from, stride): (*const Pair, usize), steps: usize) {
        let to = self.tiles.as_mut_ptr().cast::<Pair>();
        for row in (0..self.rows).step_by(TILE) {
            for step in (0..steps).step_by(TILE) {
                let from = from.add(step * stride + row);
                let to = to.add(row * self.stride + step);
                transpose((from, stride), (to, self.stride), TILE.min(steps - step));
            }
        }
    }
}

/// Pairs, or as many floats.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Tile([u32; TILE * TILE]);

/// Turns 16 rows of pairs to columns; all but the first `count` are 0. Both have their stride.
#[inline(always)]
unsafe fn transpose(from: (*const Pair, usize), to: (*mut Pair, usize), count: usize) {
    let rows: [__m512i; TILE] = std::array::from_fn(|row| match row < count {
        true => Vectors::load_pairs(from.0.add(row * from.1).cast()),
        false => Vectors::zero_i(),
    });
    // Rows of two, four and so on, in each of the four parts of a register.
    let twos: [__m512i; TILE] = std::array::from_fn(|i| match i % 2 {
        0 => _mm512_unpacklo_epi32(rows[i], rows[i + 1]),
        _ => _mm512_unpackhi_epi32(rows[i - 1], rows[i]),
    });
    let fours: [__m512i; TILE] = std::array::from_fn(|i| {
        let first = i / 4 * 4 + i % 4 / 2;
        match i % 2 {
            0 => _mm512_unpacklo_epi64(twos[first], twos[first + 2]),
            _ => _mm512_unpackhi_epi64(twos[first], twos[first + 2]),
        }
    });
    // `fours[4 * g + j]` has column `4 * part + j` of the rows `4 * g` and up.
    for j in 0..4 {
        let [a, b, c, d] = [0, 4, 8, 12].map(|group| fours[group + j]);
        let (ab, cd) = (shuffle::<0x44>(a, b), shuffle::<0x44>(c, d));
        let (ab_high, cd_high) = (shuffle::<0xee>(a, b), shuffle::<0xee>(c, d));
        let columns = [
            shuffle::<0x88>(ab, cd),
            shuffle::<0xdd>(ab, cd),
            shuffle::<0x88>(ab_high, cd_high),
            shuffle::<0xdd>(ab_high, cd_high),
        ];
        for (part, column) in columns.into_iter().enumerate() {
            _mm512_storeu_si512(to.0.add((4 * part + j) * to.1).cast(), column);
        }
    }
}

/// Two parts of each.
#[inline(always)]
unsafe fn shuffle<const PARTS: i32>(a: __m512i, b: __m512i) -> __m512i {
    _mm512_shuffle_i32x4::<PARTS>(a, b)
}

/// What becomes tiles of the left operand.
#[derive(Clone, Copy)]
struct Left<'a> {
    values: *const Pair,
    /// From row to row.
    stride: usize,
    /// From the first row of a tile to that of the next one.
    block: usize,
    /// Where the tiles of a row lie.
    offsets: &'a [usize],
    /// Pairs in each of their rows.
    width: usize,
}

/// Sixteen columns of the right operand.
#[derive(Clone, Copy)]
struct Column {
    /// Of results.
    first: usize,
    b: *const Pair,
    /// From step to step.
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

/// All results whose rows fill tiles: in squares of four tiles, of which some are computed in vain
/// at the edges.
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
    asm!("tilerelease", options(nostack, preserves_flags));
}

/// Sets the tiles 0 to 3 for results, 4 and 5 for left operands of so many pairs a row, 6 and 7 for
/// right ones.
#[inline(always)]
unsafe fn set_shapes(pairs: usize) {
    /// Bytes in a row, and rows, of each tile.
    #[repr(C, align(64))]
    struct Shapes {
        palette: u8,
        start: u8,
        reserved: [u8; 14],
        bytes: [u16; 16],
        rows: [u8; 16],
    }
    let mut shapes = Shapes {
        palette: 1,
        start: 0,
        reserved: [0; 14],
        bytes: [0; 16],
        rows: [0; 16],
    };
    shapes.bytes[..8].fill(64);
    shapes.rows[..8].fill(TILE as u8);
    shapes.bytes[4..6].fill((pairs * size_of::<Pair>()) as u16);
    shapes.rows[6..8].fill(pairs as u8);
    asm!("ldtilecfg [{}]", in(reg) &raw const shapes, options(nostack, preserves_flags, readonly));
}

/// A tile of results in memory; bytes from row to row.
#[repr(C)]
#[derive(Clone, Copy)]
struct Strided {
    first: *mut f32,
    stride: usize,
}

impl Strided {
    fn new(first: *mut f32, stride: usize) -> Strided {
        let stride = stride * size_of::<f32>();
        Strided { first, stride }
    }
}

/// Four tiles of results, row by row, and their operands; strides in bytes.
struct Square<'a> {
    a: [*const Pair; 2],
    a_stride: usize,
    /// Where the tiles of `a` lie one after another, in pairs.
    offsets: &'a [usize],
    b: [*const Pair; 2],
    b_stride: usize,
    /// From one tile of `b` to the next.
    b_step: usize,
    results: Results,
}

/// Four tiles before and after.
#[repr(C)]
struct Results {
    from: [Strided; 4],
    to: [Strided; 4],
}

/// `to = from + a * b`.
#[inline(always)]
unsafe fn square(square: Square) {
    asm!(
        "mov {t}, [{results}]",
        "mov {u}, [{results} + 8]",
        "tileloadd tmm0, [{t} + {u}*1]",
        "mov {t}, [{results} + 16]",
        "mov {u}, [{results} + 24]",
        "tileloadd tmm1, [{t} + {u}*1]",
        "mov {t}, [{results} + 32]",
        "mov {u}, [{results} + 40]",
        "tileloadd tmm2, [{t} + {u}*1]",
        "mov {t}, [{results} + 48]",
        "mov {u}, [{results} + 56]",
        "tileloadd tmm3, [{t} + {u}*1]",
        "2:",
        "mov {t}, [{offset}]",
        "lea {u}, [{a0} + {t}*4]",
        "tileloadd tmm4, [{u} + {a_stride}*1]",
        "lea {u}, [{a1} + {t}*4]",
        "tileloadd tmm6, [{b0} + {b_stride}*1]",
        "tileloadd tmm7, [{b1} + {b_stride}*1]",
        "tdpbf16ps tmm0, tmm4, tmm6",
        "tileloadd tmm5, [{u} + {a_stride}*1]",
        "tdpbf16ps tmm1, tmm4, tmm7",
        "tdpbf16ps tmm2, tmm5, tmm6",
        "tdpbf16ps tmm3, tmm5, tmm7",
        "add {b0}, {b_step}",
        "add {b1}, {b_step}",
        "add {offset}, 8",
        "cmp {offset}, {end}",
        "jne 2b",
        "mov {t}, [{results} + 64]",
        "mov {u}, [{results} + 72]",
        "tilestored [{t} + {u}*1], tmm0",
        "mov {t}, [{results} + 80]",
        "mov {u}, [{results} + 88]",
        "tilestored [{t} + {u}*1], tmm1",
        "mov {t}, [{results} + 96]",
        "mov {u}, [{results} + 104]",
        "tilestored [{t} + {u}*1], tmm2",
        "mov {t}, [{results} + 112]",
        "mov {u}, [{results} + 120]",
        "tilestored [{t} + {u}*1], tmm3",
        t = out(reg) _,
        u = out(reg) _,
        results = in(reg) &raw const square.results,
        offset = inout(reg) square.offsets.as_ptr() => _,
        end = in(reg) square.offsets.as_ptr_range().end,
        a0 = in(reg) square.a[0],
        a1 = in(reg) square.a[1],
        a_stride = in(reg) square.a_stride,
        b0 = inout(reg) square.b[0] => _,
        b1 = inout(reg) square.b[1] => _,
        b_stride = in(reg) square.b_stride,
        b_step = in(reg) square.b_step,
        out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
        out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
        options(nostack),
    );
}
