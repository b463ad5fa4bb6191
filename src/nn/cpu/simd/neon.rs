//! NEON: 32 registers of 4 floats, on every 64-bit ARM.

use std::arch::aarch64::*;

use super::vector::{Simd, methods};

#[derive(Clone, Copy)]
pub struct Neon;

// Panels take 6 * 4 registers of results, 4 of one operand and 1 of the other.
impl Simd for Neon {
    const LANES: usize = 4;
    const PANEL: usize = 4;
    const ROWS: [usize; 5] = [0, 0, 0, 0, 6];
    type F = float32x4_t;
    type I = int32x4_t;

    methods! {
        splat(value: f32) -> float32x4_t = vdupq_n_f32(value);
        load(from: *const f32) -> float32x4_t = vld1q_f32(from);
        store(to: *mut f32, values: float32x4_t) = vst1q_f32(to, values);
        add(a: float32x4_t, b: float32x4_t) -> float32x4_t = vaddq_f32(a, b);
        sub(a: float32x4_t, b: float32x4_t) -> float32x4_t = vsubq_f32(a, b);
        mul(a: float32x4_t, b: float32x4_t) -> float32x4_t = vmulq_f32(a, b);
        div(a: float32x4_t, b: float32x4_t) -> float32x4_t = vdivq_f32(a, b);
        max(a: float32x4_t, b: float32x4_t) -> float32x4_t = vmaxq_f32(a, b);
        min(a: float32x4_t, b: float32x4_t) -> float32x4_t = vminq_f32(a, b);
        mul_add(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t = vfmaq_f32(c, a, b);
        sqrt(a: float32x4_t) -> float32x4_t = vsqrtq_f32(a);
        round(a: float32x4_t) -> float32x4_t = vrndnq_f32(a);
        sum(a: float32x4_t) -> f32 = vaddvq_f32(a);
        greatest(a: float32x4_t) -> f32 = vmaxvq_f32(a);
        zero_i() -> int32x4_t = vdupq_n_s32(0);
        splat_pair(from: *const i16) -> int32x4_t = vdupq_n_s32(from.cast::<i32>().read_unaligned());
        load_pairs(from: *const i16) -> int32x4_t = vreinterpretq_s32_s16(vld1q_s16(from));
        to_f(a: int32x4_t) -> float32x4_t = vcvtq_f32_s32(a);
        store_i16(to: *mut i16, values: float32x4_t) = vst1_s16(to, vmovn_s32(vcvtnq_s32_f32(values)));
    }

    #[inline(always)]
    unsafe fn times_power_of_two(a: float32x4_t, n: float32x4_t) -> float32x4_t {
        let exponent = vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127));
        vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent)))
    }

    #[inline(always)]
    unsafe fn add_dot(sum: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        let (a, b) = (vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
        let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
        let high = vmull_high_s16(a, b);
        vaddq_s32(sum, vpaddq_s32(low, high))
    }
}
