//! Peak multiplication rate of an instruction set: sums in registers, operands in the innermost cache.

use super::vector::Simd;

/// Operands multiplied by two factors each, as in matrix products. That makes 12 concurrent sums, enough to
/// hide the latency of an instruction, and no product twice, as compilers would compute it once.
const ROWS: usize = 6;

/// Places where rounds begin in turn, so that compilers cannot precompute the products.
const STARTS: usize = 8;

/// Registers of operands in memory.
pub const OPERANDS: usize = STARTS + ROWS + 2;

/// Multiply-adds per round of [`floats`].
pub const fn float_operations<S: Simd>() -> usize {
    2 * ROWS * S::LANES
}

/// Runs this many rounds; `operands` are [`OPERANDS`] registers.
///
/// # Safety
///
/// Needs the instruction set and the operands.
#[inline(always)]
pub unsafe fn floats<S: Simd>(rounds: usize, operands: *const f32) -> f32 {
    let load = |index: usize| S::load(operands.add(index * S::LANES));
    let factors = [load(STARTS + ROWS), load(STARTS + ROWS + 1)];
    let mut sums = [[S::splat(0.0); 2]; ROWS];
    for round in 0..rounds {
        for (row, sums) in sums.iter_mut().enumerate() {
            let operand = load(round % STARTS + row);
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum = S::mul_add(operand, factor, *sum);
            }
        }
    }
    sums.into_iter().flatten().map(|sum| S::sum(sum)).sum()
}

/// The same of pairs of 16-bit integers: two multiply-adds in each lane.
///
/// # Safety
///
/// As [`floats`].
#[inline(always)]
pub unsafe fn integers<S: Simd>(rounds: usize, operands: *const i16) -> f32 {
    let load = |index: usize| S::load_pairs(operands.add(index * 2 * S::LANES));
    let factors = [load(STARTS + ROWS), load(STARTS + ROWS + 1)];
    let mut sums = [[S::zero_i(); 2]; ROWS];
    for round in 0..rounds {
        for (row, sums) in sums.iter_mut().enumerate() {
            let operand = load(round % STARTS + row);
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum = S::add_dot(*sum, operand, factor);
            }
        }
    }
    let floats = sums.into_iter().flatten().map(|sum| S::to_f(sum));
    floats.map(|sum| S::sum(sum)).sum()
}
