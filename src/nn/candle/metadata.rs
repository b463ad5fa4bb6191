//! The part of a net that reads who plays.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc::{self, Activation};
use super::layers::{activate, matrix, vector};
use super::place::Place;

/// See [`desc::MetadataEncoder`].
pub struct MetadataEncoder {
    layers: [(Tensor, Tensor, Activation); 2],
    output: Tensor,
}

impl MetadataEncoder {
    /// Brings the weights to a place.
    pub fn new(encoder: &desc::MetadataEncoder, place: &Place) -> Result<MetadataEncoder> {
        let layer = |layer: &desc::DenseLayer| -> Result<_> {
            let (weights, bias) = (
                matrix(&layer.matmul, place)?,
                vector(&layer.bias.weights, place)?,
            );
            Ok((weights, bias, layer.activation))
        };
        Ok(MetadataEncoder {
            layers: [layer(&encoder.first)?, layer(&encoder.second)?],
            output: matrix(&encoder.output, place)?,
        })
    }

    /// From `[board][value]` to what is added to every point, `[board][channel]`.
    pub fn forward(&self, metadata: &Tensor) -> Result<Tensor> {
        let mut inner = metadata.clone();
        for (weights, bias, activation) in &self.layers {
            inner = activate(&inner.matmul(weights)?.broadcast_add(bias)?, *activation)?;
        }
        Ok(inner.matmul(&self.output)?)
    }
}
