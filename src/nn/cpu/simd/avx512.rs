//! AVX-512: 32 registers of 16 floats. With VNNI, one instruction multiplies pairs of 16-bit
//! integers and sums the products.

use std::arch::x86_64::*;

use super::vector::{Simd, methods};

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

    methods! {
        splat(value: f32) -> __m512 = _mm512_set1_ps(value);
        prefetch(line: *const u8) = _mm_prefetch::<_MM_HINT_T0>(line.cast());
        load(from: *const f32) -> __m512 = _mm512_loadu_ps(from);
        store(to: *mut f32, values: __m512) = _mm512_storeu_ps(to, values);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
        max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
        min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps(a, b);
        mul_add(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
        sqrt(a: __m512) -> __m512 = _mm512_sqrt_ps(a);
        round(a: __m512) -> __m512 = _mm512_roundscale_ps::<_MM_FROUND_TO_NEAREST_INT>(a);
        times_power_of_two(a: __m512, n: __m512) -> __m512 = _mm512_scalef_ps(a, n);
        sum(a: __m512) -> f32 = _mm512_reduce_add_ps(a);
        greatest(a: __m512) -> f32 = _mm512_reduce_max_ps(a);
        zero_i() -> __m512i = _mm512_setzero_si512();
        splat_pair(from: *const i16) -> __m512i = _mm512_set1_epi32(from.cast::<i32>().read_unaligned());
        load_pairs(from: *const i16) -> __m512i = _mm512_loadu_si512(from.cast());
        to_f(a: __m512i) -> __m512 = _mm512_cvtepi32_ps(a);
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
    unsafe fn store_i16(to: *mut i16, values: __m512) {
        _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(values)))
    }
}
