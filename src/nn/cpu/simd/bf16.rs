//! bfloat16: 16-bit numbers with the range of f32, in pairs: the operands of products that are
//! summed in f32.
//!
//! [`Pair`] is the reference implementation: rounding to nearest, ties to even. Hardware
//! instructions treat subnormal numbers as 0; other implementations need not.

use bytemuck::{Pod, Zeroable};

use super::vector::Simd;

/// Two numbers, the first in the lower half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Pair(u32);

impl Pair {
    /// Rounds two numbers to nearest.
    pub fn of(first: f32, second: f32) -> Pair {
        Pair(round(first) | round(second) << 16)
    }

    /// Both numbers.
    pub fn values(self) -> [f32; 2] {
        [self.0 << 16, self.0 & HIGH].map(f32::from_bits)
    }

    /// The first number, and 0.
    pub fn first(self) -> Pair {
        Pair(self.0 & !HIGH)
    }
}

const HIGH: u32 = 0xffff_0000;

/// The bits of the number, rounded to nearest.
fn round(value: f32) -> u32 {
    let bits = value.to_bits();
    if value.is_nan() {
        // A set bit keeps NaN from becoming infinity.
        return bits >> 16 | 0x40;
    }
    let is_odd = bits >> 16 & 1;
    (bits + 0x7fff + is_odd) >> 16
}

/// How an instruction set multiplies and creates pairs.
///
/// # Safety
///
/// All functions need the instruction set, and memory for the results.
#[allow(clippy::missing_safety_doc)]
pub trait Halves<S: Simd>: Copy {
    /// In each lane, the sum plus both products of the pairs.
    unsafe fn add_dot(sum: S::F, a: S::I, b: S::I) -> S::F;
    /// Pairs of neighbouring lanes: half as many as lanes.
    unsafe fn store_along(to: *mut Pair, values: S::F);
    /// Pairs of the same lane of two registers.
    unsafe fn store_across(to: *mut Pair, first: S::F, second: S::F);
}

/// With float instructions only.
#[derive(Clone, Copy)]
pub struct Emulated;

/// Upper limit of lanes.
const MOST_LANES: usize = 16;

#[inline(always)]
unsafe fn lanes<S: Simd>(values: S::F) -> [f32; MOST_LANES] {
    let mut lanes = [0.0; MOST_LANES];
    S::store(lanes.as_mut_ptr(), values);
    lanes
}

/// The first numbers of all pairs, and the second.
#[inline(always)]
unsafe fn split<S: Simd>(pairs: S::I) -> [S::F; 2] {
    let pairs = (&raw const pairs).cast::<Pair>();
    let (mut first, mut second) = ([0.0; MOST_LANES], [0.0; MOST_LANES]);
    for lane in 0..S::LANES {
        [first[lane], second[lane]] = (*pairs.add(lane)).values();
    }
    [S::load(first.as_ptr()), S::load(second.as_ptr())]
}

impl<S: Simd> Halves<S> for Emulated {
    #[inline(always)]
    unsafe fn add_dot(sum: S::F, a: S::I, b: S::I) -> S::F {
        let ([a0, a1], [b0, b1]) = (split::<S>(a), split::<S>(b));
        S::mul_add(a0, b0, S::mul_add(a1, b1, sum))
    }

    #[inline(always)]
    unsafe fn store_along(to: *mut Pair, values: S::F) {
        let values = lanes::<S>(values);
        for (index, pair) in values[..S::LANES].chunks_exact(2).enumerate() {
            *to.add(index) = Pair::of(pair[0], pair[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_across(to: *mut Pair, first: S::F, second: S::F) {
        let (first, second) = (lanes::<S>(first), lanes::<S>(second));
        for lane in 0..S::LANES {
            *to.add(lane) = Pair::of(first[lane], second[lane]);
        }
    }
}

/// With bf16 instructions.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Instructions;

#[cfg(target_arch = "x86_64")]
mod instructions {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use super::super::avx512::Avx512;
    use super::{Halves, Instructions, Pair};

    impl Halves<Avx512<true>> for Instructions {
        #[inline(always)]
        unsafe fn add_dot(sum: __m512, a: __m512i, b: __m512i) -> __m512 {
            _mm512_dpbf16_ps(
                sum,
                transmute::<__m512i, __m512bh>(a),
                transmute::<__m512i, __m512bh>(b),
            )
        }

        #[inline(always)]
        unsafe fn store_along(to: *mut Pair, values: __m512) {
            let rounded = _mm512_cvtneps_pbh(values);
            _mm256_storeu_si256(to.cast(), transmute::<__m256bh, __m256i>(rounded));
        }

        #[inline(always)]
        unsafe fn store_across(to: *mut Pair, first: __m512, second: __m512) {
            let wide = |half| {
                let rounded = _mm512_cvtneps_pbh(half);
                _mm512_cvtepu16_epi32(transmute::<__m256bh, __m256i>(rounded))
            };
            let (first, second) = (wide(first), wide(second));
            let pairs = _mm512_or_si512(first, _mm512_slli_epi32::<16>(second));
            _mm512_storeu_si512(to.cast(), pairs);
        }
    }
}

/// Pairs of neighbouring values; their number is a multiple of 16.
///
/// # Safety
///
/// Needs the instruction set, the values, and room for the pairs.
#[inline(always)]
pub unsafe fn along<S: Simd, H: Halves<S>>(from: *const f32, len: usize, to: *mut Pair) {
    for i in (0..len).step_by(S::LANES) {
        H::store_along(to.add(i / 2), S::load(from.add(i)));
    }
}

/// Pairs of values of two rows; their number is a multiple of 16.
///
/// # Safety
///
/// Needs the instruction set, the values, and room for the pairs.
#[inline(always)]
pub unsafe fn across<S: Simd, H: Halves<S>>(
    (first, second): (*const f32, *const f32),
    len: usize,
    to: *mut Pair,
) {
    for i in (0..len).step_by(S::LANES) {
        H::store_across(to.add(i), S::load(first.add(i)), S::load(second.add(i)));
    }
}
