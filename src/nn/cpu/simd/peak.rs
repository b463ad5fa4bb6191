//! Peak multiplication rate of an instruction set: sums in registers, without memory access.

use super::vector::Simd;

/// Number of concurrent sums: enough to hide the latency of an instruction.
const SUMS: usize = 12;

/// Alternating operands, so that compilers cannot precompute the sums.
pub const OPERANDS: usize = 8;

/// Multiply-adds per round of [`floats`].
pub const fn float_operations<S: Simd>() -> usize {
    SUMS * S::LANES
}

/// Runs this many rounds; `operands` are [`OPERANDS`] registers.
///
/// # Safety
///
/// Needs the instruction set and the operands.
#[inline(always)]
pub unsafe fn floats<S: Simd>(rounds: usize, operands: *const f32) -> f32 {
    let mut sums = [S::splat(0.0); SUMS];
    for round in 0..rounds {
        let operand = S::load(operands.add(round % OPERANDS * S::LANES));
        for sum in &mut sums {
            *sum = S::mul_add(operand, operand, *sum);
        }
    }
    sums.into_iter().map(|sum| S::sum(sum)).sum()
}

/// The same of pairs of 16-bit integers: two multiply-adds in each lane.
///
/// # Safety
///
/// As [`floats`].
#[inline(always)]
pub unsafe fn integers<S: Simd>(rounds: usize, operands: *const i16) -> f32 {
    let mut sums = [S::zero_i(); SUMS];
    for round in 0..rounds {
        let operand = S::load_pairs(operands.add(round % OPERANDS * 2 * S::LANES));
        for sum in &mut sums {
            *sum = S::add_dot(*sum, operand, operand);
        }
    }
    sums.into_iter().map(|sum| S::sum(S::to_f(sum))).sum()
}
