//! AVX2 with FMA: 16 registers of 8 floats. With AVX-VNNI, one instruction multiplies pairs of 16-bit
//! integers and sums the products.

use std::arch::x86_64::*;

use super::vector::{Simd, methods};

/// With AVX-VNNI or without.
#[derive(Clone, Copy)]
pub struct Avx2<const VNNI: bool>;

// Panels take 6 * 2 registers of results, 2 of one operand and 1 of the other.
impl<const VNNI: bool> Simd for Avx2<VNNI> {
    const LANES: usize = 8;
    const PANEL: usize = 2;
    const ROWS: [usize; 5] = [0, 0, 6, 0, 0];
    type F = __m256;
    type I = __m256i;

    methods! {
        splat(value: f32) -> __m256 = _mm256_set1_ps(value);
        prefetch(line: *const u8) = _mm_prefetch::<_MM_HINT_T0>(line.cast());
        load(from: *const f32) -> __m256 = _mm256_loadu_ps(from);
        store(to: *mut f32, values: __m256) = _mm256_storeu_ps(to, values);
        add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        sub(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
        mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        div(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
        max(a: __m256, b: __m256) -> __m256 = _mm256_max_ps(a, b);
        min(a: __m256, b: __m256) -> __m256 = _mm256_min_ps(a, b);
        mul_add(a: __m256, b: __m256, c: __m256) -> __m256 = _mm256_fmadd_ps(a, b, c);
        sqrt(a: __m256) -> __m256 = _mm256_sqrt_ps(a);
        round(a: __m256) -> __m256 = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a);
        zero_i() -> __m256i = _mm256_setzero_si256();
        splat_pair(from: *const i16) -> __m256i = _mm256_set1_epi32(from.cast::<i32>().read_unaligned());
        load_pairs(from: *const i16) -> __m256i = _mm256_loadu_si256(from.cast());
        to_f(a: __m256i) -> __m256 = _mm256_cvtepi32_ps(a);
    }

    #[inline(always)]
    unsafe fn times_power_of_two(a: __m256, n: __m256) -> __m256 {
        // Adds n to the exponent.
        let n = _mm256_slli_epi32::<23>(_mm256_cvtps_epi32(n));
        _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), n))
    }

    #[inline(always)]
    unsafe fn sum(a: __m256) -> f32 {
        let half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let quarter = _mm_add_ps(half, _mm_movehl_ps(half, half));
        _mm_cvtss_f32(_mm_add_ss(quarter, _mm_movehdup_ps(quarter)))
    }

    #[inline(always)]
    unsafe fn greatest(a: __m256) -> f32 {
        let half = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let quarter = _mm_max_ps(half, _mm_movehl_ps(half, half));
        _mm_cvtss_f32(_mm_max_ss(quarter, _mm_movehdup_ps(quarter)))
    }

    #[inline(always)]
    unsafe fn add_dot(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        if VNNI {
            // Saturating, though nothing overflows: compilers split the other instruction in two.
            _mm256_dpwssds_avx_epi32(sum, a, b)
        } else {
            _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
        }
    }

    #[inline(always)]
    unsafe fn store_i16(to: *mut i16, values: __m256) {
        let integers = _mm256_cvtps_epi32(values);
        let packed = _mm256_packs_epi32(integers, integers);
        let joined = _mm256_permute4x64_epi64::<0b1000>(packed);
        _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(joined))
    }

    /// Both halves in one register.
    #[inline(always)]
    unsafe fn store_products(to: *mut i16, from: *const f32, factor: __m256) {
        let half = |at: usize| {
            let values = _mm256_mul_ps(_mm256_loadu_ps(from.add(at)), factor);
            _mm256_cvtps_epi32(values)
        };
        let packed = _mm256_packs_epi32(half(0), half(8));
        let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        _mm256_storeu_si256(to.cast(), ordered);
    }
}
