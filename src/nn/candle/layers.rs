//! Single layers.

use anyhow::Result;
use candle_core::{DType, Tensor};

use super::super::desc::{self, Activation};
use super::gradient::{sum_of_rows, with_backward};
use super::grid::{Grid, Neighborhood};
use super::loader::Loader;
use super::place::Convolution;

/// A convolution.
pub struct Conv {
    height: usize,
    width: usize,
    weights: Weights,
}

/// A convolution's weights.
enum Weights {
    /// For products with patches, `[ky * kx * in][out]`.
    Matrix(Tensor),
    /// For candle's convolution, `[out][in][ky][kx]`.
    Kernels(Tensor),
}

impl Conv {
    /// Copies the weights.
    pub fn new(conv: &desc::Conv, loader: &Loader) -> Result<Conv> {
        let (height, width) = (conv.kernel_height, conv.kernel_width);
        let by_candle = loader.place().convolution == Convolution::Candle;
        let is_kernel = by_candle && height == width && height > 1;
        let weights = if is_kernel {
            let shape = (height, width, conv.inputs, conv.outputs);
            let weights = loader.tensor("weight", &conv.weights, shape)?;
            Weights::Kernels(weights.permute((3, 2, 0, 1))?.contiguous()?)
        } else {
            let shape = (height * width * conv.inputs, conv.outputs);
            Weights::Matrix(loader.tensor("weight", &conv.weights, shape)?)
        };
        Ok(Conv {
            height,
            width,
            weights,
        })
    }

    /// Reach in cells.
    pub fn reach(&self) -> usize {
        self.height.max(self.width) / 2
    }

    /// The cells between the boards get arbitrary values.
    pub fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        Ok(match &self.weights {
            Weights::Matrix(matrix) => self.product(cells, matrix, grid)?,
            Weights::Kernels(kernels) => {
                let images = grid.images(cells)?.contiguous()?;
                Grid::cells_of(&images.conv2d(kernels, self.reach(), 1, 1, 1)?)?
            }
        })
    }
}

impl Conv {
    /// Product of patches with the matrix. The backward pass recomputes the patches: their memory
    /// is that of the cells times the kernel's size.
    fn product(&self, cells: &Tensor, matrix: &Tensor, grid: &Grid) -> Result<Tensor> {
        let neighborhood = grid.neighborhood(self.height, self.width);
        #[cfg(feature = "cuda")]
        if cells.device().is_cuda() {
            return Ok(super::fused::product(cells, matrix, neighborhood)?);
        }
        let (x, weights) = (cells.detach(), matrix.detach());
        let product = neighborhood.patches(&x)?.matmul(&weights)?;
        let back = move |of_product: &Tensor| product_back(neighborhood, &x, &weights, of_product);
        Ok(with_backward(product, (cells, matrix), back)?)
    }
}

/// Gradients of the cells and of the matrix, given that of the product.
pub fn product_back(
    neighborhood: Neighborhood,
    cells: &Tensor,
    matrix: &Tensor,
    of_product: &Tensor,
) -> candle_core::Result<(Tensor, Tensor)> {
    let of_matrix = neighborhood.patches(cells)?.t()?.matmul(of_product)?;
    // The gradient of the cells uses the reflected neighborhood.
    let (places, outputs) = (neighborhood.len(), matrix.dim(1)?);
    let transposed = matrix.reshape((places, (), outputs))?.transpose(1, 2)?;
    let transposed = transposed.contiguous()?.flatten_to(1)?;
    let of_cells = neighborhood.mirrored().patches(of_product)?;
    Ok((of_cells.matmul(&transposed)?, of_matrix))
}

/// A norm merged to scale and bias, and an activation.
pub struct NormAct {
    /// `[2][channel]`: scale and bias.
    affine: Tensor,
    activation: Activation,
}

impl NormAct {
    /// Merges the norm's four vectors into two.
    pub fn new(norm_act: &desc::NormAct, loader: &Loader) -> Result<NormAct> {
        let (scale, bias) = norm_act.norm.merged();
        let (shape, values) = ((2, scale.len()), [scale, bias].concat());
        Ok(NormAct {
            affine: loader.joined(&["scale", "bias"], &values, shape)?,
            activation: norm_act.activation,
        })
    }

    /// The cells between the boards become 0.
    pub fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        let (activation, mask) = (self.activation, grid.mask().clone());
        #[cfg(feature = "cuda")]
        if cells.device().is_cuda() {
            return Ok(super::fused::norm_act(
                cells,
                &self.affine,
                &mask,
                activation,
            )?);
        }
        let (x, affine) = (cells.detach(), self.affine.detach());
        let (scale, bias) = (affine.narrow(0, 0, 1)?, affine.narrow(0, 1, 1)?);
        let normed = x.broadcast_mul(&scale)?.broadcast_add(&bias)?;
        let result = activate(&normed, activation)?.broadcast_mul(&mask)?;
        let back = move |of_result: &Tensor| {
            let normed = x.broadcast_mul(&scale)?.broadcast_add(&bias)?;
            let of_normed = (of_result.broadcast_mul(&mask)? * slope(&normed, activation)?)?;
            let of_scale = sum_of_rows(&(&of_normed * &x)?)?;
            let of_affine = Tensor::cat(&[of_scale, sum_of_rows(&of_normed)?], 0)?;
            Ok((of_normed.broadcast_mul(&scale)?, of_affine))
        };
        Ok(with_backward(result, (cells, &self.affine), back)?)
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

/// The derivative of [`activate`] at each value.
fn slope(values: &Tensor, activation: Activation) -> candle_core::Result<Tensor> {
    match activation {
        Activation::Identity => values.ones_like(),
        Activation::Relu => values.gt(0.0)?.to_dtype(values.dtype()),
        Activation::Silu => {
            let sigmoid = (values.neg()?.exp()? + 1.0)?.recip()?;
            let falling = (values * sigmoid.affine(-1.0, 1.0)?)?;
            sigmoid * (falling + 1.0)?
        }
        Activation::Mish => {
            let (tanh, e) = tanh_of_softplus(values)?;
            let sigmoid = (&e / (&e + 1.0)?)?;
            let steep = tanh.sqr()?.affine(-1.0, 1.0)?;
            tanh + ((values * steep)? * sigmoid)?
        }
    }
}

fn mish(values: &Tensor) -> candle_core::Result<Tensor> {
    values * tanh_of_softplus(values)?.0
}

/// With e = exp(x): tanh(ln(1 + e)) = n / (n + 2), where n = e (e + 2); for large x this is 1, in
/// f16 (where n must stay below 65504) from x = 5 on. Returns n and e.
fn tanh_of_softplus(values: &Tensor) -> candle_core::Result<(Tensor, Tensor)> {
    let great = if values.dtype() == DType::F16 {
        5.0
    } else {
        20.0
    };
    let e = values.minimum(great)?.exp()?;
    let n = (&e * (&e + 2.0)?)?;
    Ok(((&n / (&n + 2.0)?)?, e))
}

/// A fully connected layer with a bias.
pub struct Dense {
    weights: Tensor,
    bias: Tensor,
    activation: Activation,
}

impl Dense {
    /// Loads the layer `matmul` and `bias` of a loader.
    pub fn new(layer: &desc::DenseLayer, loader: &Loader) -> Result<Dense> {
        let parts = (&layer.matmul, &layer.bias);
        Dense::named(parts, layer.activation, loader, ("matmul", "bias"))
    }

    /// Loads a matrix and a bias by their names.
    pub fn named(
        (matmul, bias): (&desc::MatMul, &desc::Bias),
        activation: Activation,
        loader: &Loader,
        (matrix_name, bias_name): (&str, &str),
    ) -> Result<Dense> {
        Ok(Dense {
            weights: matrix(matmul, &loader.at(matrix_name))?,
            bias: loader.tensor(bias_name, &bias.weights, bias.weights.len())?,
            activation,
        })
    }

    /// From `[board][input]` to `[board][output]`.
    pub fn forward(&self, values: &Tensor) -> Result<Tensor> {
        let sums = values.matmul(&self.weights)?.broadcast_add(&self.bias)?;
        activate(&sums, self.activation)
    }
}

/// A matrix as a tensor.
pub fn matrix(matmul: &desc::MatMul, loader: &Loader) -> Result<Tensor> {
    loader.tensor("weight", &matmul.weights, (matmul.inputs, matmul.outputs))
}

/// A vector as a tensor.
pub fn vector(name: &str, values: &[f32], loader: &Loader) -> Result<Tensor> {
    loader.tensor(name, values, values.len())
}
