//! Transformer blocks and RMS norms. The cells between the boards are ignored, and get arbitrary
//! values.

use anyhow::Result;
use candle_core::{D, DType, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};

use super::super::desc::{self, Activation};
use super::gradient::{sum_of_rows, with_backward, with_backward_to_one};
use super::grid::Grid;
use super::layers::{activate, matrix, vector};
use super::loader::Loader;
use super::rope::Rotation;

/// See [`desc::AttentionBlock`].
pub struct Attention {
    norm: RmsNorm,
    heads: usize,
    kv_heads: usize,
    query: Tensor,
    key: Tensor,
    /// Rotary embedding of queries and keys.
    rotations: Option<(Rotation, Rotation)>,
    value: Tensor,
    output: Tensor,
}

impl Attention {
    /// Loads the weights.
    pub fn new(block: &desc::AttentionBlock, loader: &Loader) -> Result<Attention> {
        let scale = 1.0 / (block.key_width as f64).sqrt();
        let query = (matrix(&block.query, &loader.at("query").exact())? * scale)?;
        let query = query.to_dtype(loader.place().dtype)?;
        let key = matrix(&block.key, &loader.at("key"))?;
        let rotations = block.rope.as_ref().map(|rope| {
            let frequencies = rope.frequencies(block.kv_heads, block.key_width);
            let pairs = block.key_width / 2;
            let repeats = block.heads / block.kv_heads;
            let of_query: Vec<_> = frequencies
                .chunks_exact(pairs)
                .flat_map(|head| head.repeat(repeats))
                .collect();
            let place = loader.place();
            let query = Rotation::new(&query, &of_query, place)?;
            let key = Rotation::new(&key, &frequencies, place)?;
            anyhow::Ok((query, key))
        });
        Ok(Attention {
            norm: RmsNorm::new(&block.norm, &loader.at("norm"))?,
            heads: block.heads,
            kv_heads: block.kv_heads,
            rotations: rotations.transpose()?,
            query,
            key,
            value: matrix(&block.value, &loader.at("value"))?,
            output: matrix(&block.output, &loader.at("output"))?,
        })
    }

    /// The residual of the block.
    pub fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let input = self.norm.forward(stack)?;
        let mut query = input.matmul(&self.query)?;
        let mut key = input.matmul(&self.key)?;
        if let Some((of_query, of_key)) = &self.rotations {
            query = of_query.forward(&query, &input, grid)?;
            key = of_key.forward(&key, &input, grid)?;
        }
        let value = input.matmul(&self.value)?;
        let weights = self.weights(&query, &key, grid)?;
        let attended = weights.matmul(&self.by_kv_head(&value, self.kv_heads, grid)?)?;
        let cells = attended.dim(1)? * self.kv_heads / self.heads;
        let side_by_side = attended
            .reshape((grid.boards(), self.heads, cells, ()))?
            .transpose(1, 2)?
            .reshape((grid.boards() * cells, ()))?;
        Ok(side_by_side.matmul(&self.output)?)
    }

    /// Attention weights, `[board * kv_head][head of it * cell][cell]`.
    fn weights(&self, query: &Tensor, key: &Tensor, grid: &Grid) -> Result<Tensor> {
        let query = self.by_kv_head(query, self.heads, grid)?;
        let key = self.by_kv_head(key, self.kv_heads, grid)?;
        let scores = query.matmul(&key.transpose(1, 2)?)?;
        let scores = scores.to_dtype(DType::F32)?;
        let scores = match grid.penalty_of_cells()? {
            Some(penalty) => scores.broadcast_add(&penalty)?,
            None => scores,
        };
        Ok(softmax(&scores)?.to_dtype(query.dtype())?)
    }

    /// `[cell][head * channel]` as `[board * kv_head][head of it * cell][channel]`.
    fn by_kv_head(&self, values: &Tensor, heads: usize, grid: &Grid) -> Result<Tensor> {
        let boards = grid.boards();
        let channels = values.dim(1)? / heads;
        let apart = values
            .reshape((boards, (), heads, channels))?
            .transpose(1, 2)?;
        Ok(apart.reshape((boards * self.kv_heads, (), channels))?)
    }
}

/// Softmax over the last index, with a gradient, which candle's own lacks.
fn softmax(values: &Tensor) -> Result<Tensor> {
    let weights = softmax_last_dim(&values.detach())?;
    let kept = weights.clone();
    let back = move |of_weights: &Tensor| {
        let product = (of_weights * &kept)?;
        let sum = product.sum_keepdim(D::Minus1)?;
        product - kept.broadcast_mul(&sum)?
    };
    Ok(with_backward_to_one(weights, values, back)?)
}

/// See [`desc::FeedForwardBlock`].
pub struct FeedForward {
    norm: RmsNorm,
    inner: Tensor,
    gate: Tensor,
    output: Tensor,
}

impl FeedForward {
    /// Loads the weights.
    pub fn new(block: &desc::FeedForwardBlock, loader: &Loader) -> Result<FeedForward> {
        Ok(FeedForward {
            norm: RmsNorm::new(&block.norm, &loader.at("norm"))?,
            inner: matrix(&block.inner, &loader.at("inner"))?,
            gate: matrix(&block.gate, &loader.at("gate"))?,
            output: matrix(&block.output, &loader.at("output"))?,
        })
    }

    /// The residual of the block.
    pub fn residual(&self, stack: &Tensor) -> Result<Tensor> {
        let input = self.norm.forward(stack)?;
        let (inner, gate) = (input.matmul(&self.inner)?, input.matmul(&self.gate)?);
        let hidden = (silu(&inner)? * gate)?;
        Ok(hidden.matmul(&self.output)?)
    }
}

/// See [`desc::RmsNorm`].
struct RmsNorm {
    epsilon: f32,
    weights: Tensor,
}

impl RmsNorm {
    fn new(norm: &desc::RmsNorm, loader: &Loader) -> Result<RmsNorm> {
        Ok(RmsNorm {
            epsilon: norm.epsilon,
            weights: vector("weight", &norm.weights, loader)?,
        })
    }

    fn forward(&self, cells: &Tensor) -> Result<Tensor> {
        let (x, weights) = (cells.detach(), self.weights.detach());
        let epsilon = self.epsilon;
        let result = rms_norm(&x, &weights, epsilon)?;
        let back = move |of_result: &Tensor| {
            let exact = |values: &Tensor| values.to_dtype(DType::F32);
            let (x, of_result) = (exact(&x)?, exact(of_result)?);
            let squares = x.sqr()?.mean_keepdim(D::Minus1)?;
            let factor = (squares + epsilon as f64)?.sqrt()?.recip()?;
            let normed = x.broadcast_mul(&factor)?;
            let of_weights = sum_of_rows(&(&of_result * &normed)?)?.squeeze(0)?;
            let of_normed = of_result.broadcast_mul(&exact(&weights)?)?;
            let along = (&of_normed * &normed)?.mean_keepdim(D::Minus1)?;
            let across = (of_normed - normed.broadcast_mul(&along)?)?;
            let of_x = across.broadcast_mul(&factor)?;
            Ok((
                of_x.to_dtype(weights.dtype())?,
                of_weights.to_dtype(weights.dtype())?,
            ))
        };
        Ok(with_backward(result, (cells, &self.weights), back)?)
    }

    /// With one mean for all points of a board.
    fn forward_spatial(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        let masked = cells.broadcast_mul(grid.mask())?;
        let squares = masked.to_dtype(DType::F32)?.sqr()?;
        let mean = grid.mean(&squares)?.mean_keepdim(D::Minus1)?;
        let scale = (mean + self.epsilon as f64)?.sqrt()?.recip()?;
        let scaled = grid.scale_per_board(cells, &scale)?;
        Ok(scaled.broadcast_mul(&self.weights)?)
    }
}

/// See [`desc::RmsNormAct`].
pub struct RmsNormAct {
    norm: RmsNorm,
    bias: Tensor,
    is_spatial: bool,
    activation: Activation,
}

impl RmsNormAct {
    /// Loads the weights.
    pub fn new(norm_act: &desc::RmsNormAct, loader: &Loader) -> Result<RmsNormAct> {
        Ok(RmsNormAct {
            norm: RmsNorm::new(&norm_act.norm, &loader.at("norm"))?,
            bias: vector("bias", &norm_act.bias, loader)?,
            is_spatial: norm_act.is_spatial,
            activation: norm_act.activation,
        })
    }

    /// The cells between the boards become 0.
    pub fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        let normed = if self.is_spatial {
            self.norm.forward_spatial(cells, grid)?
        } else {
            self.norm.forward(cells)?
        };
        let normed = normed.broadcast_add(&self.bias)?;
        Ok(activate(&normed, self.activation)?.broadcast_mul(grid.mask())?)
    }
}
