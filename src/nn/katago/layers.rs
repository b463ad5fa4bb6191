//! Records of single layers. A record starts with a name, then sizes, then weights.

use anyhow::{Context, Result, bail, ensure};

use super::super::desc::{Activation, BatchNorm, Bias, Conv, MatMul, NormAct};
use super::tokens::Tokens;

/// Above anything known by far (widths of real nets are below 1000).
const MAX_CHANNELS: usize = 1 << 14;
/// Real nets have 1, 3 and 5.
const MAX_KERNEL: usize = 25;

/// A convolution.
pub fn conv(tokens: &mut Tokens) -> Result<Conv> {
    let name = tokens.name()?;
    let kernel_height = kernel_side(tokens, "kernel height")?;
    let kernel_width = kernel_side(tokens, "kernel width")?;
    let inputs = channels(tokens, "input channels")?;
    let outputs = channels(tokens, "output channels")?;
    for what in ["vertical dilation", "horizontal dilation"] {
        let dilation: usize = tokens.number(what, 1, usize::MAX)?;
        ensure!(dilation == 1, "{what} is {dilation}; only 1 is known");
    }
    let weights = matrix(tokens, &[kernel_height, kernel_width, inputs, outputs])?;
    Ok(Conv {
        name,
        kernel_height,
        kernel_width,
        inputs,
        outputs,
        weights,
    })
}

fn kernel_side(tokens: &mut Tokens, what: &str) -> Result<usize> {
    let side = tokens.number(what, 1, MAX_KERNEL)?;
    ensure!(side % 2 == 1, "{what} is {side}, should be odd");
    Ok(side)
}

/// A number of channels.
pub fn channels(tokens: &mut Tokens, what: &str) -> Result<usize> {
    tokens.number(what, 1, MAX_CHANNELS)
}

fn matrix(tokens: &mut Tokens, sides: &[usize]) -> Result<Vec<f32>> {
    let count = sides
        .iter()
        .try_fold(1usize, |product, &side| product.checked_mul(side));
    tokens.floats(count.context("too many weights")?)
}

/// A matrix to multiply with.
pub fn matmul(tokens: &mut Tokens) -> Result<MatMul> {
    let name = tokens.name()?;
    let inputs = channels(tokens, "input channels")?;
    let outputs = channels(tokens, "output channels")?;
    let weights = matrix(tokens, &[inputs, outputs])?;
    Ok(MatMul {
        name,
        inputs,
        outputs,
        weights,
    })
}

/// A vector to add.
pub fn bias(tokens: &mut Tokens) -> Result<Bias> {
    let name = tokens.name()?;
    let count = channels(tokens, "channels")?;
    Ok(Bias {
        name,
        weights: tokens.floats(count)?,
    })
}

/// A batch norm and an activation.
pub fn norm_act(tokens: &mut Tokens, version: u32) -> Result<NormAct> {
    Ok(NormAct {
        norm: batch_norm(tokens)?,
        activation: activation(tokens, version)?,
    })
}

fn batch_norm(tokens: &mut Tokens) -> Result<BatchNorm> {
    let name = tokens.name()?;
    let count = channels(tokens, "channels")?;
    let epsilon = tokens.positive("epsilon")?;
    let has_scale = tokens.flag("hasScale")?;
    let has_bias = tokens.flag("hasBias")?;
    let mean = tokens.floats(count)?;
    let variance = tokens.floats(count)?;
    ensure!(variance.iter().all(|&v| v >= 0.0), "a variance is negative");
    let scale = has_scale.then(|| tokens.floats(count)).transpose()?;
    let bias = has_bias.then(|| tokens.floats(count)).transpose()?;
    Ok(BatchNorm {
        name,
        epsilon,
        mean,
        variance,
        scale,
        bias,
    })
}

/// An activation; files say which from version 11 on.
pub fn activation(tokens: &mut Tokens, version: u32) -> Result<Activation> {
    tokens.name()?;
    if version < 11 {
        return Ok(Activation::Relu);
    }
    Ok(match tokens.word("an activation")? {
        "ACTIVATION_IDENTITY" => Activation::Identity,
        "ACTIVATION_RELU" => Activation::Relu,
        "ACTIVATION_MISH" => Activation::Mish,
        "ACTIVATION_SILU" => Activation::Silu,
        other => bail!("unknown activation {other:?}"),
    })
}
