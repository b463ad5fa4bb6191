//! Queries and keys turned by the place of their point: see [`desc::Rope`].
//!
//! Turning a pair (a, b) by an angle is (a, b) cos + (-b, a) sin; the second pair comes from the
//! same input by a matrix with exchanged columns.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc;
use super::grid::Grid;
use super::place::Place;
use crate::go::point::MAX_SIZE;

/// A product with a matrix, its results turned.
pub struct Rotation {
    /// Gives `(-b, a)` where the matrix gives `(a, b)`.
    turned: Tensor,
    /// `[row][column][channel]` for the largest board.
    cos: Tensor,
    sin: Tensor,
}

impl Rotation {
    /// For a matrix, and the angles per column and row of each pair of its outputs.
    pub fn new(matrix: &Tensor, frequencies: &[(f64, f64)], place: &Place) -> Result<Rotation> {
        let pairs = matrix.reshape((matrix.dim(0)?, (), 2))?;
        let (a, b) = (pairs.narrow(2, 0, 1)?, pairs.narrow(2, 1, 1)?);
        let turned = Tensor::cat(&[b.neg()?, a], 2)?;
        Ok(Rotation {
            turned: turned.reshape(matrix.shape())?,
            cos: table(frequencies, f64::cos, &place.exact())?,
            sin: table(frequencies, f64::sin, &place.exact())?,
        })
    }

    /// Turns `product`, the matrix's product with `input`; in f32 up to the result.
    pub fn forward(&self, product: &Tensor, input: &Tensor, grid: &Grid) -> Result<Tensor> {
        let straight = grid.multiply_by_place(product, &self.cos)?;
        let turned = grid.multiply_by_place(&input.matmul(&self.turned)?, &self.sin)?;
        Ok((straight + turned)?.to_dtype(product.dtype())?)
    }
}

/// A function of the angles, twice for each pair.
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
