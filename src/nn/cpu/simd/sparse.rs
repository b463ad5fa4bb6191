//! Weighted sums of a few rows, for layers with mostly zero inputs.

use super::packed::panels;
use super::vector::Simd;

/// One row of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Its start, in values.
    pub start: u32,
    /// Its factor.
    pub factor: f32,
}

/// Number of concurrent sums: enough to hide the latency of an addition.
const WIDEST: usize = 6;

/// `to += sum of from[start..] * factor` over all terms, of a multiple of 16 values.
///
/// # Safety
///
/// Needs the instruction set, and as many values behind the pointer as the terms say.
#[inline(always)]
pub unsafe fn add_terms<S: Simd>(to: &mut [f32], from: *const f32, terms: &[Term]) {
    let mut column = 0;
    for vectors in panels(to.len() / S::LANES, WIDEST) {
        let (to, from) = (to.as_mut_ptr().add(column), from.add(column));
        match vectors {
            1 => add_panel::<S, 1>(to, from, terms),
            2 => add_panel::<S, 2>(to, from, terms),
            3 => add_panel::<S, 3>(to, from, terms),
            4 => add_panel::<S, 4>(to, from, terms),
            5 => add_panel::<S, 5>(to, from, terms),
            _ => add_panel::<S, WIDEST>(to, from, terms),
        }
        column += vectors * S::LANES;
    }
}

#[inline(always)]
unsafe fn add_panel<S: Simd, const V: usize>(to: *mut f32, from: *const f32, terms: &[Term]) {
    let mut sums: [S::F; V] = std::array::from_fn(|v| S::load(to.add(v * S::LANES)));
    for term in terms {
        let (row, factor) = (from.add(term.start as usize), S::splat(term.factor));
        for (v, sum) in sums.iter_mut().enumerate() {
            *sum = S::mul_add(S::load(row.add(v * S::LANES)), factor, *sum);
        }
    }
    for (v, sum) in sums.into_iter().enumerate() {
        S::store(to.add(v * S::LANES), sum);
    }
}
