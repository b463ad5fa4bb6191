//! Rotary embedding of queries and keys: see [`desc::Rope`].
//!
//! Rotating a pair (a, b) by an angle is (a, b) cos + (-b, a) sin; the second pair is computed from
//! the same input by a matrix with permuted columns.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc;
use super::grid::Grid;
use super::place::Place;
use crate::go::point::MAX_SIZE;

/// A matrix product with rotated results.
pub struct Rotation {
    /// Gives `(-b, a)` where the matrix gives `(a, b)`.
    rotated: Tensor,
    /// `[row][column][channel]` for the largest board.
    cos: Tensor,
    sin: Tensor,
}

impl Rotation {
    /// From a matrix, and the angles per column and row of each pair of its outputs.
    pub fn new(matrix: &Tensor, frequencies: &[(f64, f64)], place: &Place) -> Result<Rotation> {
        let pairs = matrix.reshape((matrix.dim(0)?, (), 2))?;
        let (a, b) = (pairs.narrow(2, 0, 1)?, pairs.narrow(2, 1, 1)?);
        let rotated = Tensor::cat(&[b.neg()?, a], 2)?;
        Ok(Rotation {
            rotated: rotated.reshape(matrix.shape())?,
            cos: table(frequencies, f64::cos, &place.exact())?,
            sin: table(frequencies, f64::sin, &place.exact())?,
        })
    }

    /// Rotates `product`, the matrix's product with `input`; computes in f32.
    pub fn forward(&self, product: &Tensor, input: &Tensor, grid: &Grid) -> Result<Tensor> {
        let straight = grid.multiply_by_place(product, &self.cos)?;
        let rotated = grid.multiply_by_place(&input.matmul(&self.rotated)?, &self.sin)?;
        Ok((straight + rotated)?.to_dtype(product.dtype())?)
    }
}

/// A function of the angles, each value twice.
fn table(
    frequencies: &[(f64, f64)],
    function: impl Fn(f64) -> f64,
    place: &Place,
) -> Result<Tensor> {
    let twice = |angle: f64| [function(angle) as f32; 2];
    let values: Vec<f32> = desc::angles(frequencies).flat_map(twice).collect();
    let shape = (MAX_SIZE, MAX_SIZE, frequencies.len() * 2);
    place.tensor(&values, shape)
}
