//! Portable code without particular instructions.

use std::array::from_fn;

use super::vector::{Simd, methods};

#[derive(Clone, Copy)]
pub struct Portable;

const LANES: usize = 4;

/// Adding and subtracting it rounds values below 2^22 to integers.
const ROUNDING: f32 = 12_582_912.0;

/// The two halves of a register's lane.
#[inline(always)]
fn pair(both: i32) -> (i32, i32) {
    (both as i16 as i32, both >> 16)
}

// Panels take 4 * 2 registers of results, 2 of one operand and 1 of the other.
impl Simd for Portable {
    const LANES: usize = LANES;
    const PANEL: usize = 2;
    const ROWS: [usize; 5] = [0, 0, 4, 0, 0];
    type F = [f32; LANES];
    /// Pairs as in memory.
    type I = [i32; LANES];

    methods! {
        splat(value: f32) -> Self::F = [value; LANES];
        load(from: *const f32) -> Self::F = from.cast::<Self::F>().read_unaligned();
        store(to: *mut f32, values: Self::F) = to.cast::<Self::F>().write_unaligned(values);
        add(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| a[i] + b[i]);
        sub(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| a[i] - b[i]);
        mul(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| a[i] * b[i]);
        div(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| a[i] / b[i]);
        max(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] });
        min(a: Self::F, b: Self::F) -> Self::F = from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] });
        mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F = from_fn(|i| a[i] * b[i] + c[i]);
        sqrt(a: Self::F) -> Self::F = a.map(f32::sqrt);
        round(a: Self::F) -> Self::F = a.map(|a| (a + ROUNDING) - ROUNDING);
        sum(a: Self::F) -> f32 = a.iter().sum();
        greatest(a: Self::F) -> f32 = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        zero_i() -> Self::I = [0; LANES];
        splat_pair(from: *const i16) -> Self::I = [from.cast::<i32>().read_unaligned(); LANES];
        load_pairs(from: *const i16) -> Self::I = from.cast::<Self::I>().read_unaligned();
        to_f(a: Self::I) -> Self::F = a.map(|a| a as f32);
    }

    #[inline(always)]
    unsafe fn times_power_of_two(a: Self::F, n: Self::F) -> Self::F {
        from_fn(|i| a[i] * f32::from_bits(((n[i] as i32 + 127) as u32) << 23))
    }

    #[inline(always)]
    unsafe fn add_dot(sum: Self::I, a: Self::I, b: Self::I) -> Self::I {
        from_fn(|i| {
            let ((a0, a1), (b0, b1)) = (pair(a[i]), pair(b[i]));
            sum[i]
                .wrapping_add(a0.wrapping_mul(b0))
                .wrapping_add(a1.wrapping_mul(b1))
        })
    }

    #[inline(always)]
    unsafe fn store_i16(to: *mut i16, values: Self::F) {
        let integers = values.map(|value| ((value + ROUNDING) - ROUNDING) as i16);
        to.cast::<[i16; LANES]>().write_unaligned(integers);
    }
}
