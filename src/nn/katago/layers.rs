//! Records of single layers. A record starts with a name, then sizes, then weights.

use anyhow::{Context, Result, ensure};

use super::super::desc::check::check_kernel_side;
use super::super::desc::check::{MAX_CHANNELS, MAX_KERNEL, check_variance, product};
use super::super::desc::{Activation, BatchNorm, Bias, Conv, MatMul, NormAct};
use super::tokens::Tokens;
use super::writer::Writer;

/// Names of activations in files from version 11 on.
const ACTIVATIONS: [(Activation, &str); 4] = [
    (Activation::Identity, "ACTIVATION_IDENTITY"),
    (Activation::Relu, "ACTIVATION_RELU"),
    (Activation::Mish, "ACTIVATION_MISH"),
    (Activation::Silu, "ACTIVATION_SILU"),
];
/// The first version whose files name activations.
const NAMED_ACTIVATIONS: u32 = 11;

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
    let weights = tokens.floats(product(&[kernel_height, kernel_width, inputs, outputs])?)?;
    Ok(Conv {
        name,
        kernel_height,
        kernel_width,
        inputs,
        outputs,
        weights,
    })
}

/// A convolution.
pub fn write_conv(conv: &Conv, writer: &mut Writer) -> Result<()> {
    writer.name(&conv.name)?;
    conv.shape().iter().for_each(|side| writer.word(side));
    [1, 1].iter().for_each(|dilation| writer.word(dilation));
    writer.floats(&conv.weights);
    Ok(())
}

fn kernel_side(tokens: &mut Tokens, what: &str) -> Result<usize> {
    let side = tokens.number(what, 1, MAX_KERNEL)?;
    check_kernel_side(what, side)?;
    Ok(side)
}

/// A number of channels.
pub fn channels(tokens: &mut Tokens, what: &str) -> Result<usize> {
    tokens.number(what, 1, MAX_CHANNELS)
}

/// A matrix to multiply with.
pub fn matmul(tokens: &mut Tokens) -> Result<MatMul> {
    let name = tokens.name()?;
    let inputs = channels(tokens, "input channels")?;
    let outputs = channels(tokens, "output channels")?;
    let weights = tokens.floats(product(&[inputs, outputs])?)?;
    Ok(MatMul {
        name,
        inputs,
        outputs,
        weights,
    })
}

/// A matrix to multiply with.
pub fn write_matmul(matmul: &MatMul, writer: &mut Writer) -> Result<()> {
    writer.name(&matmul.name)?;
    matmul.shape().iter().for_each(|side| writer.word(side));
    writer.floats(&matmul.weights);
    Ok(())
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

/// A vector to add.
pub fn write_bias(bias: &Bias, writer: &mut Writer) -> Result<()> {
    writer.name(&bias.name)?;
    writer.word(bias.weights.len());
    writer.floats(&bias.weights);
    Ok(())
}

/// A batch norm and an activation.
pub fn norm_act(tokens: &mut Tokens, version: u32) -> Result<NormAct> {
    Ok(NormAct {
        norm: batch_norm(tokens)?,
        activation: activation(tokens, version)?,
    })
}

/// A batch norm and an activation.
pub fn write_norm_act(layer: &NormAct, version: u32, writer: &mut Writer) -> Result<()> {
    write_batch_norm(&layer.norm, writer)?;
    write_activation(layer.activation, version, writer)
}

fn batch_norm(tokens: &mut Tokens) -> Result<BatchNorm> {
    let name = tokens.name()?;
    let count = channels(tokens, "channels")?;
    let epsilon = tokens.positive("epsilon")?;
    let has_scale = tokens.flag("hasScale")?;
    let has_bias = tokens.flag("hasBias")?;
    let mean = tokens.floats(count)?;
    let variance = tokens.floats(count)?;
    check_variance(&variance)?;
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

fn write_batch_norm(norm: &BatchNorm, writer: &mut Writer) -> Result<()> {
    writer.name(&norm.name)?;
    writer.word(norm.channels());
    writer.float(norm.epsilon);
    writer.flag(norm.scale.is_some());
    writer.flag(norm.bias.is_some());
    writer.floats(&norm.mean);
    writer.floats(&norm.variance);
    let optional = norm.scale.iter().chain(&norm.bias);
    optional.for_each(|weights| writer.floats(weights));
    Ok(())
}

/// An activation; older files do not name it.
pub fn activation(tokens: &mut Tokens, version: u32) -> Result<Activation> {
    tokens.name()?;
    if version < NAMED_ACTIVATIONS {
        return Ok(Activation::Relu);
    }
    let word = tokens.word("an activation")?;
    let known = ACTIVATIONS.iter().find(|(_, name)| *name == word);
    let (activation, _) = known.with_context(|| format!("unknown activation {word:?}"))?;
    Ok(*activation)
}

/// An activation; in older files it must be ReLU.
pub fn write_activation(activation: Activation, version: u32, writer: &mut Writer) -> Result<()> {
    writer.part_name("act");
    let mut known = ACTIVATIONS.iter();
    let named = known.find(|(known, _)| *known == activation);
    let (_, name) = named.expect("the table has all activations");
    if version >= NAMED_ACTIVATIONS {
        writer.word(name);
    }
    ensure!(
        version >= NAMED_ACTIVATIONS || activation == Activation::Relu,
        "{name}: files of version {version} have no activation but ReLU"
    );
    Ok(())
}
