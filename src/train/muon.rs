//! Muon's update of a matrix: its momentum with all singular values made about equal (Jordan et al.
//! 2024, <https://kellerjordan.github.io/posts/muon/>).

use crate::nn::cpu::simd::{Kernels, Packed, Rows, RowsMut, padded};

/// Coefficients of `a x + b x^3 + c x^5`, which brings singular values near 1; from the same
/// source.
pub(super) const COEFFICIENTS: [f32; 3] = [3.4445, -4.7750, 2.0315];
pub(super) const STEPS: usize = 5;
/// Values of a matrix of norm 1 below this count as zero. The momentum of a channel without
/// gradients decays to subnormal numbers, which processors multiply up to a hundred times slower.
const NOTHING: f64 = 1e-12;

/// Replaces a matrix of `columns` columns by one with the same singular vectors and singular values
/// near 1. Zeros stay zeros.
pub fn orthogonalize(matrix: &mut [f32], columns: usize, kernels: Kernels) {
    let norm = matrix
        .iter()
        .map(|v| *v as f64 * *v as f64)
        .sum::<f64>()
        .sqrt();
    if norm < f64::MIN_POSITIVE {
        return;
    }
    let rows = matrix.len() / columns;
    // Wide, so that the products are small.
    let is_tall = rows > columns;
    let (short, long) = if is_tall {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let stride = padded(long);
    let mut x = vec![0.0; short * stride];
    let scaled = |value: f32| match value as f64 / norm {
        value if value.abs() > NOTHING => value as f32,
        _ => 0.0,
    };
    for (row, values) in matrix.chunks_exact(columns).enumerate() {
        if is_tall {
            let to = x[row..].iter_mut().step_by(stride);
            to.zip(values).for_each(|(to, value)| *to = scaled(*value));
        } else {
            let to = x[row * stride..].iter_mut();
            to.zip(values).for_each(|(to, value)| *to = scaled(*value));
        }
    }
    for _ in 0..STEPS {
        x = step(&x, short, long, kernels);
    }
    for (row, values) in matrix.chunks_exact_mut(columns).enumerate() {
        if is_tall {
            let from = x[row..].iter().step_by(stride);
            values
                .iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to = *from);
        } else {
            values.copy_from_slice(&x[row * stride..][..columns]);
        }
    }
}

/// `a x + (b s + c s s) x` with `s = x x^T`.
fn step(x: &[f32], short: usize, long: usize, kernels: Kernels) -> Vec<f32> {
    let [a, b, c] = COEFFICIENTS;
    let (wide, narrow) = (padded(long), padded(short));
    let multiply = |values: &[f32], stride, right: Packed<f32>, to: &mut [f32], add| {
        let rows = Rows {
            values,
            stride,
            count: short,
        };
        let stride = right.columns();
        kernels.gemm(rows, &right, RowsMut { values: to, stride }, add);
    };
    let shape = kernels.shape();
    let mut s = vec![0.0; short * narrow];
    let transposed = Packed::of_columns(shape, long, short, x, wide);
    multiply(x, wide, transposed, &mut s, false);
    let mut factor = vec![0.0; short * narrow];
    let square = Packed::of_rows(shape, short, short, &s, narrow);
    multiply(&s, narrow, square, &mut factor, false);
    for (factor, s) in factor.iter_mut().zip(&s) {
        *factor = b * s + c * *factor;
    }
    let mut next: Vec<f32> = x.iter().map(|x| a * x).collect();
    let x = Packed::of_rows(shape, short, long, x, wide);
    multiply(&factor, narrow, x, &mut next, true);
    next
}

#[cfg(test)]
mod tests {
    use crate::nn::cpu::simd::Isa;

    use super::*;

    #[test]
    fn singular_values_come_near_1() {
        for (rows, columns) in [(3, 20), (20, 3), (7, 7)] {
            // A plain wave would give a matrix of rank 2.
            let wave = |index: usize| ((index * index) as f32 * 0.7).sin();
            let mut matrix: Vec<f32> = (0..rows * columns).map(wave).collect();
            orthogonalize(&mut matrix, columns, Kernels::new(Isa::Portable));
            // The sum of their squares.
            let squares: f32 = matrix.iter().map(|v| v * v).sum();
            let count = rows.min(columns) as f32;
            assert!((0.5 * count..1.5 * count).contains(&squares), "{squares}");
        }
        let mut zeros = vec![0.0; 6];
        orthogonalize(&mut zeros, 2, Kernels::new(Isa::Portable));
        assert_eq!(zeros, vec![0.0; 6]);
    }

    #[test]
    fn next_to_nothing_is_nothing() {
        let rows = |last: f32| {
            let mut matrix = vec![1.0, 2.0, 3.0, -1.0, last, last];
            orthogonalize(&mut matrix, 2, Kernels::new(Isa::Portable));
            matrix
        };
        assert_eq!(rows(1e-40), rows(0.0));
        assert_ne!(rows(1e-3), rows(0.0));
    }
}
