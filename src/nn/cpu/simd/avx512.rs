//! AVX-512: 32 registers of 16 floats. With VNNI, one instruction multiplies pairs of 16-bit
//! integers and sums the products.

use std::arch::x86_64::*;

use super::vector::Simd;

/// With VNNI or without.
#[derive(Clone, Copy)]
pub struct Avx512<const VNNI: bool>;

// The widest panels take 9 * 3 registers of results, 3 of one operand and 1 of the other.
impl<const VNNI: bool> Simd for Avx512<VNNI> {
    const LANES: usize = 16;
    const PANEL: usize = 3;
    const ROWS: [usize; 5] = [0, 13, 13, 9, 0];
    type F = __m512;
    type I = __m512i;

    #[inline(always)]
    unsafe fn splat(value: f32) -> __m512 {
        _mm512_set1_ps(value)
    }

    #[inline(always)]
    unsafe fn prefetch(line: *const u8) {
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> __m512 {
        _mm512_loadu_ps(from)
    }

    #[inline(always)]
    unsafe fn store(to: *mut f32, values: __m512) {
        _mm512_storeu_ps(to, values)
    }

    #[inline(always)]
    unsafe fn add(a: __m512, b: __m512) -> __m512 {
        _mm512_add_ps(a, b)
    }

    #[inline(always)]
    unsafe fn sub(a: __m512, b: __m512) -> __m512 {
        _mm512_sub_ps(a, b)
    }

    #[inline(always)]
    unsafe fn mul(a: __m512, b: __m512) -> __m512 {
        _mm512_mul_ps(a, b)
    }

    #[inline(always)]
    unsafe fn div(a: __m512, b: __m512) -> __m512 {
        _mm512_div_ps(a, b)
    }

    #[inline(always)]
    unsafe fn max(a: __m512, b: __m512) -> __m512 {
        _mm512_max_ps(a, b)
    }

    #[inline(always)]
    unsafe fn min(a: __m512, b: __m512) -> __m512 {
        _mm512_min_ps(a, b)
    }

    #[inline(always)]
    unsafe fn mul_add(a: __m512, b: __m512, c: __m512) -> __m512 {
        _mm512_fmadd_ps(a, b, c)
    }

    #[inline(always)]
    unsafe fn sqrt(a: __m512) -> __m512 {
        _mm512_sqrt_ps(a)
    }

    #[inline(always)]
    unsafe fn round(a: __m512) -> __m512 {
        _mm512_roundscale_ps::<_MM_FROUND_TO_NEAREST_INT>(a)
    }

    #[inline(always)]
    unsafe fn times_power_of_two(a: __m512, n: __m512) -> __m512 {
        _mm512_scalef_ps(a, n)
    }

    #[inline(always)]
    unsafe fn sum(a: __m512) -> f32 {
        _mm512_reduce_add_ps(a)
    }

    #[inline(always)]
    unsafe fn greatest(a: __m512) -> f32 {
        _mm512_reduce_max_ps(a)
    }

    #[inline(always)]
    unsafe fn zero_i() -> __m512i {
        _mm512_setzero_si512()
    }

    #[inline(always)]
    unsafe fn splat_pair(from: *const i16) -> __m512i {
        _mm512_set1_epi32(from.cast::<i32>().read_unaligned())
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const i16) -> __m512i {
        _mm512_loadu_si512(from.cast())
    }

    #[inline(always)]
    unsafe fn add_dot(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        if VNNI {
            // Saturating, though nothing overflows: compilers split the other instruction in two.
            _mm512_dpwssds_epi32(sum, a, b)
        } else {
            _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
        }
    }

    #[inline(always)]
    unsafe fn to_f(a: __m512i) -> __m512 {
        _mm512_cvtepi32_ps(a)
    }

    #[inline(always)]
    unsafe fn store_i16(to: *mut i16, values: __m512) {
        _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(values)))
    }
}
