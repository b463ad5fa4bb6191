//! Packed weights, and products with them.

use rayon::prelude::*;

use super::simd::{
    FAR, Kernels, MAX_INTEGER_DEPTH, NEAR, PATCH, PLACES, Packed, Rows, RowsMut, padded,
};

/// How layers compute.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Of the machine.
    pub kernels: Kernels,
    /// Whether large layers round to 16-bit integers.
    pub is_integer: bool,
}

/// Packed weights.
#[derive(Clone, Debug)]
pub enum Weights {
    /// As they are.
    Floats(Packed<f32>),
    /// Rounded.
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

    /// Number of rows.
    pub fn depth(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.depth(),
            Weights::Integers(packed) => packed.depth(),
        }
    }

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.bytes(),
            Weights::Integers(packed) => packed.bytes(),
        }
    }
}

/// Rows of left operands, as floats or integers.
pub struct Operands<'a> {
    /// For weights of this kind.
    pub floats: &'a [f32],
    /// For weights of this kind.
    pub integers: &'a [i16],
    /// What makes rows of integers what they were.
    pub scales: &'a [f32],
    /// From row to row, in values.
    pub stride: usize,
}

impl Operands<'_> {
    /// Multiplies some rows, given by the first and their number.
    pub fn multiply(
        &self,
        kernels: &Kernels,
        weights: &Weights,
        (first, count): (usize, usize),
        products: &mut [f32],
    ) {
        let stride = self.stride;
        match weights {
            Weights::Floats(weights) => {
                let values = &self.floats[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm(rows, weights, to, false);
            }
            Weights::Integers(weights) => {
                let values = &self.integers[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm_integers(rows, &self.scales[first..], weights, to);
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

/// The matrices of the transformed kernels, one for each place of a tile. `weight` is that at (y, x)
/// from an input to an output.
pub fn winograd_weights(
    arithmetic: Arithmetic,
    inputs: usize,
    outputs: usize,
    weight: impl Fn(usize, usize, usize, usize) -> f64 + Sync,
) -> Vec<Weights> {
    let of_input = |input: usize| -> Vec<[f32; PLACES]> {
        let kernel = |output| [0, 1, 2].map(|y| [0, 1, 2].map(|x| weight(y, x, input, output)));
        (0..outputs)
            .map(|output| transformed(kernel(output)))
            .collect()
    };
    let kernels: Vec<_> = (0..inputs).into_par_iter().map(of_input).collect();
    let pack = |place| {
        Weights::new(arithmetic, inputs, outputs, |input, output| {
            kernels[input][output][place] as f64
        })
    };
    (0..PLACES).into_par_iter().map(pack).collect()
}

/// `G kernel G^T`, see [`super::simd`].
fn transformed(kernel: [[f64; 3]; 3]) -> [f32; PLACES] {
    const G: [[f64; 3]; PATCH] = [
        [1.0, 0.0, 0.0],
        at(NEAR, FAR),
        at(-NEAR, FAR),
        at(FAR, NEAR),
        at(-FAR, NEAR),
        [0.0, 0.0, 1.0],
    ];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let half = G.map(|row| [0, 1, 2].map(|x| dot(row, kernel.map(|line| line[x]))));
    std::array::from_fn(|place| dot(half[place / PATCH], G[place % PATCH]) as f32)
}

/// The row of G for a point of interpolation, where another and its negative are points too:
/// `1, point, point^2` divided by the product of the distances to all other points but infinity.
const fn at(point: f64, other: f64) -> [f64; 3] {
    let distances = 2.0 * point * point * (point * point - other * other);
    [
        1.0 / distances,
        point / distances,
        point * point / distances,
    ]
}
