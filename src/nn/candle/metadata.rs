//! The encoder of player metadata.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc::{self, Activation};
use super::layers::{activate, matrix, vector};
use super::loader::Loader;

/// See [`desc::MetadataEncoder`].
pub struct MetadataEncoder {
    layers: [(Tensor, Tensor, Activation); 2],
    output: Tensor,
}

impl MetadataEncoder {
    /// Loads the weights.
    pub fn new(encoder: &desc::MetadataEncoder, loader: &Loader) -> Result<MetadataEncoder> {
        let layer = |name: &str, layer: &desc::DenseLayer| -> Result<_> {
            let loader = loader.at(name);
            let weights = matrix(&layer.matmul, &loader.at("matmul"))?;
            let bias = vector("bias", &layer.bias.weights, &loader)?;
            Ok((weights, bias, layer.activation))
        };
        Ok(MetadataEncoder {
            layers: [
                layer("first", &encoder.first)?,
                layer("second", &encoder.second)?,
            ],
            output: matrix(&encoder.output, &loader.at("output"))?,
        })
    }

    /// From `[board][value]` to the bias of every point, `[board][channel]`.
    pub fn forward(&self, metadata: &Tensor) -> Result<Tensor> {
        let mut inner = metadata.clone();
        for (weights, bias, activation) in &self.layers {
            inner = activate(&inner.matmul(weights)?.broadcast_add(bias)?, *activation)?;
        }
        Ok(inner.matmul(&self.output)?)
    }
}
