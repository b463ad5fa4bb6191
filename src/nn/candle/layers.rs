//! Single layers.

use anyhow::Result;
use candle_core::{Device, Tensor};

use super::super::desc::{self, Activation};
use super::grid::Grid;

/// A convolution as a matrix to multiply patches with.
pub struct Conv {
    height: usize,
    width: usize,
    /// `[ky * kx * in][out]`.
    weights: Tensor,
}

impl Conv {
    /// Copies the weights.
    pub fn new(conv: &desc::Conv, device: &Device) -> Result<Conv> {
        let (height, width) = (conv.kernel_height, conv.kernel_width);
        let shape = (height * width * conv.inputs, conv.outputs);
        let weights = Tensor::from_slice(&conv.weights, shape, device)?;
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
        Ok(grid
            .patches(cells, self.height, self.width)?
            .matmul(&self.weights)?)
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
    pub fn new(norm_act: &desc::NormAct, device: &Device) -> Result<NormAct> {
        let (scale, bias) = norm_act.norm.merged();
        Ok(NormAct {
            scale: Tensor::new(scale, device)?,
            bias: Tensor::new(bias, device)?,
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

/// With e = exp(x): tanh(ln(1 + e)) = n / (n + 2), where n = e (e + 2); from x = 20 on this is 1.
fn mish(values: &Tensor) -> candle_core::Result<Tensor> {
    let e = values.minimum(20.0)?.exp()?;
    let n = (&e * (&e + 2.0)?)?;
    values * (&n / (&n + 2.0)?)?
}

/// A matrix to multiply with.
pub fn matrix(matmul: &desc::MatMul, device: &Device) -> Result<Tensor> {
    Ok(Tensor::from_slice(
        &matmul.weights,
        (matmul.inputs, matmul.outputs),
        device,
    )?)
}

/// A vector to add.
pub fn vector(bias: &desc::Bias, device: &Device) -> Result<Tensor> {
    Ok(Tensor::new(bias.weights.as_slice(), device)?)
}
