//! Tile instructions as inline assembly, since Rust has no intrinsics for them yet. (Intel's manual
//! for software developers, volume 1, chapter 18.)

use std::arch::asm;

use super::super::bf16::Pair;

/// Rows of a tile, and pairs or floats per row.
pub const TILE: usize = 16;

/// Pairs, or the same number of floats.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Tile(pub [u32; TILE * TILE]);

/// Configures the tiles: 0 to 3 for results, 4 and 5 for left operands with this many pairs per
/// row, 6 and 7 for right operands.
///
/// # Safety
///
/// Needs tiles; there are 1 to 16 pairs. The tiles stay in use until [`release`].
#[inline(always)]
pub unsafe fn set_shapes(pairs: usize) {
    /// Bytes per row, and rows, of each tile.
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

/// A tile of results in memory; the stride is in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Strided {
    first: *mut f32,
    stride: usize,
}

impl Strided {
    /// From its first float, and a stride in floats.
    pub fn new(first: *mut f32, stride: usize) -> Strided {
        let stride = stride * size_of::<f32>();
        Strided { first, stride }
    }
}

/// A block of 2x2 tiles of results, row by row, and its operands; strides in bytes.
pub struct Square<'a> {
    /// The upper and the lower tile.
    pub a: [*const Pair; 2],
    /// Stride of rows.
    pub a_stride: usize,
    /// Offsets of consecutive tiles of `a`, in pairs.
    pub offsets: &'a [usize],
    /// The left and the right tile.
    pub b: [*const Pair; 2],
    /// Stride of rows.
    pub b_stride: usize,
    /// Distance between consecutive tiles of `b`.
    pub b_step: usize,
    /// Sources and destinations of the results.
    pub results: Results,
}

/// Sources and destinations of four tiles.
#[repr(C)]
pub struct Results {
    /// Initial values.
    pub from: [Strided; 4],
    /// Destinations of the sums.
    pub to: [Strided; 4],
}

/// `to = from + a * b`.
///
/// # Safety
///
/// Needs tiles, [shaped](set_shapes) for the operands, and memory for all of them.
#[inline(always)]
pub unsafe fn square(square: Square) {
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

/// Releases the tiles.
///
/// # Safety
///
/// Needs tiles.
#[inline(always)]
pub unsafe fn release() {
    asm!("tilerelease", options(nostack, preserves_flags));
}
