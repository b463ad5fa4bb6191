//! Packed weights, and products with them.

use rayon::prelude::*;

use super::simd::{
    Kernels, MAX_INTEGER_DEPTH, PATCH, Packed, Right, Rows, RowsMut, padded, transformed,
};

/// Arithmetic of layers.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Kernels of the machine.
    pub kernels: Kernels,
    /// Whether large layers use 16-bit integers.
    pub is_integer: bool,
}

/// Packed weights.
#[derive(Clone, Debug)]
pub enum Weights {
    /// Floats.
    Floats(Packed<f32>),
    /// 16-bit integers.
    Integers(Packed<i16>),
}

impl Weights {
    /// Packs a matrix given by its values at (row, column).
    pub fn new(
        arithmetic: Arithmetic,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Weights {
        let shape = arithmetic.kernels.shape();
        if arithmetic.is_integer && padded(depth) <= MAX_INTEGER_DEPTH {
            let value = |k, c| if k < depth { value(k, c) } else { 0.0 };
            Weights::Integers(Packed::integers(shape, padded(depth), columns, value))
        } else {
            let value = |k, c| value(k, c) as f32;
            Weights::Floats(Packed::from_values(shape, depth, columns, value))
        }
    }

    fn floats(&self) -> Option<&Packed<f32>> {
        match self {
            Weights::Floats(packed) => Some(packed),
            Weights::Integers(_) => None,
        }
    }

    fn integers(&self) -> Option<&Packed<i16>> {
        match self {
            Weights::Floats(_) => None,
            Weights::Integers(packed) => Some(packed),
        }
    }

    /// Number of rows.
    pub fn depth(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.depth(),
            Weights::Integers(packed) => packed.depth(),
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.bytes(),
            Weights::Integers(packed) => packed.bytes(),
        }
    }
}

/// Rows of left operands, as floats or integers.
pub struct Operands<'a> {
    /// For float weights.
    pub floats: &'a [f32],
    /// For integer weights.
    pub integers: &'a [i16],
    /// Scales that restore rows of integers.
    pub scales: &'a [f32],
    /// Stride of rows, in values.
    pub stride: usize,
}

impl Operands<'_> {
    /// Multiplies some rows, given by the first and their number. `next` are the weights of the following
    /// product, if they are known.
    pub fn multiply(
        &self,
        kernels: &Kernels,
        (weights, next): (&Weights, Option<&Weights>),
        (first, count): (usize, usize),
        products: &mut [f32],
    ) {
        let stride = self.stride;
        match weights {
            Weights::Floats(weights) => {
                let next = next.and_then(Weights::floats);
                let values = &self.floats[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm(
                    rows,
                    Right {
                        matrix: weights,
                        next,
                    },
                    to,
                    false,
                );
            }
            Weights::Integers(weights) => {
                let next = next.and_then(Weights::integers);
                let values = &self.integers[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm_integers(
                    rows,
                    &self.scales[first..],
                    Right {
                        matrix: weights,
                        next,
                    },
                    to,
                );
            }
        }
    }
}

fn sides<'a, T>(
    values: &'a [T],
    stride: usize,
    count: usize,
    products: &'a mut [f32],
    columns: usize,
) -> (Rows<'a, T>, RowsMut<'a>) {
    (
        Rows {
            values,
            stride,
            count,
        },
        RowsMut {
            values: products,
            stride: columns,
        },
    )
}

/// The transformed matrices of kernels, one for each place of a tile. `weight` is the weight at (y, x) from an input
/// to an output.
pub fn winograd_weights(
    arithmetic: Arithmetic,
    inputs: usize,
    outputs: usize,
    weight: impl Fn(usize, usize, usize, usize) -> f64,
) -> Vec<Weights> {
    let taps = (0..3).flat_map(|y| (0..3).map(move |x| (y, x)));
    let pairs = || (0..inputs).flat_map(|input| (0..outputs).map(move |output| (input, output)));
    let kernels: Vec<f64> = taps
        .flat_map(|(y, x)| pairs().map(move |(input, output)| (y, x, input, output)))
        .map(|(y, x, input, output)| weight(y, x, input, output))
        .collect();
    let line = |down: usize| {
        let places = transformed(down, &kernels, |factor| factor);
        let value = |place: &[f64], i: usize, o: usize| f64::from(place[i * outputs + o] as f32);
        let pack =
            |place: Vec<f64>| Weights::new(arithmetic, inputs, outputs, |i, o| value(&place, i, o));
        places.map(pack).collect::<Vec<_>>()
    };
    let lines: Vec<_> = (0..PATCH).into_par_iter().map(line).collect();
    lines.into_iter().flatten().collect()
}
