//! The record of a metadata encoder.

use anyhow::{Result, ensure};

use super::super::desc::{DenseLayer, MetadataEncoder};
use super::super::metadata::VALUES;
use super::layers::{
    activation, bias, channels, matmul, write_activation, write_bias, write_matmul,
};
use super::tokens::Tokens;
use super::writer::Writer;

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
    encoder.check(width)?;
    Ok(encoder)
}

/// The same of a net of this version.
pub fn write_metadata_encoder(
    encoder: &MetadataEncoder,
    version: u32,
    writer: &mut Writer,
) -> Result<()> {
    writer.name("metadata_encoder")?;
    writer.word(VALUES);
    write_dense_layer(&encoder.first, version, writer)?;
    write_dense_layer(&encoder.second, version, writer)?;
    write_matmul(&encoder.output, writer)
}

fn dense_layer(tokens: &mut Tokens, version: u32) -> Result<DenseLayer> {
    Ok(DenseLayer {
        matmul: matmul(tokens)?,
        bias: bias(tokens)?,
        activation: activation(tokens, version)?,
    })
}

fn write_dense_layer(layer: &DenseLayer, version: u32, writer: &mut Writer) -> Result<()> {
    write_matmul(&layer.matmul, writer)?;
    write_bias(&layer.bias, writer)?;
    write_activation(layer.activation, version, writer)
}
