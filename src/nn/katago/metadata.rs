//! The record of a metadata encoder.

use anyhow::{Result, ensure};

use super::super::desc::{DenseLayer, MetadataEncoder};
use super::super::metadata::VALUES;
use super::blocks::same;
use super::layers::{activation, bias, channels, matmul};
use super::tokens::Tokens;

/// An encoder for a trunk of `width` channels.
pub fn metadata_encoder(
    tokens: &mut Tokens,
    version: u32,
    width: usize,
) -> Result<MetadataEncoder> {
    tokens.name()?;
    let values = channels(tokens, "metadata values")?;
    ensure!(
        values == VALUES,
        "the net wants {values} metadata values; only {VALUES} are known"
    );
    let encoder = MetadataEncoder {
        first: dense_layer(tokens, version)?,
        second: dense_layer(tokens, version)?,
        output: matmul(tokens)?,
    };
    let (first, second) = (&encoder.first, &encoder.second);
    same("metadata", first.matmul.inputs, VALUES)?;
    same(
        "metadata encoder",
        second.matmul.inputs,
        first.matmul.outputs,
    )?;
    let hidden = second.matmul.outputs;
    same("metadata encoder's output", encoder.output.inputs, hidden)?;
    same("metadata encoder's output", encoder.output.outputs, width)?;
    Ok(encoder)
}

fn dense_layer(tokens: &mut Tokens, version: u32) -> Result<DenseLayer> {
    let layer = DenseLayer {
        matmul: matmul(tokens)?,
        bias: bias(tokens)?,
        activation: activation(tokens, version)?,
    };
    same("bias", layer.bias.weights.len(), layer.matmul.outputs)?;
    Ok(layer)
}
