//! The interface of instruction sets: registers of floats and of 16-bit pairs.
//!
//! Kernels are written once over this trait and compiled for each instruction set in a function
//! that enables it; every method here is inlined into that function.

/// A set of vector instructions.
///
/// # Safety
///
/// All methods need the instruction set; those with pointers need `LANES` values behind them.
/// Pointers may have any alignment; loads from whole cache lines are faster.
#[allow(clippy::missing_safety_doc)]
pub trait Simd: Copy {
    /// Floats in a register; divides 16.
    const LANES: usize;
    /// Maximal width of a panel of a matrix product, in registers.
    const PANEL: usize;
    /// Rows of results held in registers, by the panel's width in registers; 0 for widths that do
    /// not occur.
    const ROWS: [usize; 5];
    /// A register of floats.
    type F: Copy;
    /// A register of 32-bit integers, or of pairs of 16-bit integers.
    type I: Copy;

    /// One value in all lanes.
    unsafe fn splat(value: f32) -> Self::F;
    /// Prefetches the cache line at any address, or does nothing.
    #[inline(always)]
    unsafe fn prefetch(line: *const u8) {
        let _ = line;
    }
    /// Loads.
    unsafe fn load(from: *const f32) -> Self::F;
    /// Stores.
    unsafe fn store(to: *mut f32, values: Self::F);
    /// `a + b`
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    /// `a / b`
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F;
    /// The maximum; `b` if one of them is NaN.
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F;
    /// The minimum; `b` if one of them is NaN.
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, with one or two roundings.
    unsafe fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The square root.
    unsafe fn sqrt(a: Self::F) -> Self::F;
    /// Rounds to the nearest integer, ties to even; exact below 2^22.
    unsafe fn round(a: Self::F) -> Self::F;
    /// `a * 2^n` for integral `n` from -126 to 127. Neither `a` nor the result may be subnormal.
    unsafe fn times_power_of_two(a: Self::F, n: Self::F) -> Self::F;
    /// The sum of all lanes.
    unsafe fn sum(a: Self::F) -> f32;
    /// The maximum of all lanes.
    unsafe fn greatest(a: Self::F) -> f32;

    /// All zero.
    unsafe fn zero_i() -> Self::I;
    /// One pair of 16-bit integers in all lanes.
    unsafe fn splat_pair(from: *const i16) -> Self::I;
    /// `LANES` pairs of 16-bit integers.
    unsafe fn load_pairs(from: *const i16) -> Self::I;
    /// In each lane, the sum plus both products of the pairs; the caller guarantees that nothing
    /// overflows.
    unsafe fn add_dot(sum: Self::I, a: Self::I, b: Self::I) -> Self::I;
    /// Converts 32-bit integers to floats.
    unsafe fn to_f(a: Self::I) -> Self::F;
    /// Rounds to 16-bit integers, ties to even; values must be within their range.
    unsafe fn store_i16(to: *mut i16, values: Self::F);
    /// Rounds the products of 16 values and a factor, as [`Simd::store_i16`] does.
    #[inline(always)]
    unsafe fn store_products(to: *mut i16, from: *const f32, factor: Self::F) {
        for i in (0..16).step_by(Self::LANES) {
            Self::store_i16(to.add(i), Self::mul(Self::load(from.add(i)), factor));
        }
    }
}

/// A table of methods of [`Simd`] that are one expression; their callers guarantee what it says.
macro_rules! methods {
    ($($name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? = $body:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($argument: $kind),*) $(-> $result)? {
            $body
        }
    )*};
}
pub(super) use methods;

/// `e^x`, to about 2 units in the last place; 0 or very large beyond the range of floats.
///
/// `e^x = 2^n e^r` with integral `n` and `|r| <= ln 2 / 2`; `e^r` by its Taylor polynomial, whose
/// first omitted term, r^8 / 8!, is below 6e-9.
#[inline(always)]
pub unsafe fn exp<S: Simd>(x: S::F) -> S::F {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const TAYLOR: [f32; 8] = [
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    // In this order, NaN stays NaN.
    let x = S::min(S::splat(88.0), S::max(S::splat(-87.0), x));
    let n = S::round(S::mul(x, S::splat(std::f32::consts::LOG2_E)));
    let r = S::mul_add(n, S::splat(-LN2_HIGH), x);
    let r = S::mul_add(n, S::splat(-LN2_LOW), r);
    let mut sum = S::splat(TAYLOR[0]);
    for term in &TAYLOR[1..] {
        sum = S::mul_add(sum, r, S::splat(*term));
    }
    S::times_power_of_two(sum, n)
}

/// `e^x` for `x <= 0`, at least `e^-87`: relative to `e^x`, the error is below 3e-7 for `x > -1` and grows with
/// `-x` to 8e-6, which changes no sum of such values that has a term of 1.
///
/// `e^x = 2^n 2^r` with integral `n` and `|r| <= 1/2`; `2^r` by the polynomial of degree 5 with the smallest
/// greatest relative error, 7.5e-8 before its coefficients are rounded (found by Remez's algorithm).
#[inline(always)]
pub unsafe fn exp_of_negative<S: Simd>(x: S::F) -> S::F {
    const POLYNOMIAL: [f32; 6] = [
        1.327_647_2e-3,
        9.675_541e-3,
        5.550_713e-2,
        2.402_212e-1,
        6.931_469_4e-1,
        1.000_000_1,
    ];
    // In this order, NaN stays NaN.
    let x = S::max(S::splat(-87.0), x);
    let power = S::mul(x, S::splat(std::f32::consts::LOG2_E));
    let n = S::round(power);
    let r = S::sub(power, n);
    let mut sum = S::splat(POLYNOMIAL[0]);
    for coefficient in &POLYNOMIAL[1..] {
        sum = S::mul_add(sum, r, S::splat(*coefficient));
    }
    S::times_power_of_two(sum, n)
}
