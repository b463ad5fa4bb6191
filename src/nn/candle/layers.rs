//! Single layers.

use anyhow::Result;
use candle_core::{DType, Tensor};

use super::super::desc::{self, Activation};
use super::grid::Grid;
use super::place::{Convolution, Place};

/// A convolution.
pub struct Conv {
    height: usize,
    width: usize,
    weights: Weights,
}

/// A convolution's weights.
enum Weights {
    /// To multiply patches with, `[ky * kx * in][out]`.
    Matrix(Tensor),
    /// For candle's convolution, `[out][in][ky][kx]`.
    Kernels(Tensor),
}

impl Conv {
    /// Copies the weights.
    pub fn new(conv: &desc::Conv, place: &Place) -> Result<Conv> {
        let (height, width) = (conv.kernel_height, conv.kernel_width);
        let shape = (height, width, conv.inputs, conv.outputs);
        let weights = place.tensor(&conv.weights, shape)?;
        let is_kernel = place.convolution == Convolution::Candle && height == width && height > 1;
        let weights = if is_kernel {
            Weights::Kernels(weights.permute((3, 2, 0, 1))?.contiguous()?)
        } else {
            Weights::Matrix(weights.flatten(0, 2)?)
        };
        Ok(Conv {
            height,
            width,
            weights,
        })
    }

    /// How far it looks, in cells.
    pub fn reach(&self) -> usize {
        self.height.max(self.width) / 2
    }

    /// The cells between the boards get arbitrary values.
    pub fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        Ok(match &self.weights {
            Weights::Matrix(matrix) => grid
                .patches(cells, self.height, self.width)?
                .matmul(matrix)?,
            Weights::Kernels(kernels) => {
                let images = grid.images(cells)?.contiguous()?;
                Grid::cells_of(&images.conv2d(kernels, self.reach(), 1, 1, 1)?)?
            }
        })
    }
}

/// A norm merged to scale and bias, and an activation.
pub struct NormAct {
    scale: Tensor,
    bias: Tensor,
    activation: Activation,
}

impl NormAct {
    /// Merges the norm's four vectors into two.
    pub fn new(norm_act: &desc::NormAct, place: &Place) -> Result<NormAct> {
        let (scale, bias) = norm_act.norm.merged();
        Ok(NormAct {
            scale: vector(&scale, place)?,
            bias: vector(&bias, place)?,
            activation: norm_act.activation,
        })
    }

    /// The cells between the boards become 0.
    pub fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        let normed = cells
            .broadcast_mul(&self.scale)?
            .broadcast_add(&self.bias)?;
        Ok(activate(&normed, self.activation)?.broadcast_mul(grid.mask())?)
    }
}

/// The activation of each value.
pub fn activate(values: &Tensor, activation: Activation) -> Result<Tensor> {
    Ok(match activation {
        Activation::Identity => values.clone(),
        Activation::Relu => values.relu()?,
        Activation::Silu => values.silu()?,
        Activation::Mish => mish(values)?,
    })
}

/// With e = exp(x): tanh(ln(1 + e)) = n / (n + 2), where n = e (e + 2); for great x this is 1, in
/// f16 (where n must stay below 65504) from x = 5 on.
fn mish(values: &Tensor) -> candle_core::Result<Tensor> {
    let great = if values.dtype() == DType::F16 {
        5.0
    } else {
        20.0
    };
    let e = values.minimum(great)?.exp()?;
    let n = (&e * (&e + 2.0)?)?;
    values * (&n / (&n + 2.0)?)?
}

/// A matrix to multiply with.
pub fn matrix(matmul: &desc::MatMul, place: &Place) -> Result<Tensor> {
    place.tensor(&matmul.weights, (matmul.inputs, matmul.outputs))
}

/// A vector, for example to add.
pub fn vector(values: &[f32], place: &Place) -> Result<Tensor> {
    place.tensor(values, values.len())
}
