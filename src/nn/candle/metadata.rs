//! The encoder of player metadata.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc;
use super::layers::{Dense, matrix};
use super::loader::Loader;

/// See [`desc::MetadataEncoder`].
pub struct MetadataEncoder {
    layers: [Dense; 2],
    output: Tensor,
}

impl MetadataEncoder {
    /// Loads the weights.
    pub fn new(encoder: &desc::MetadataEncoder, loader: &Loader) -> Result<MetadataEncoder> {
        Ok(MetadataEncoder {
            layers: [
                Dense::new(&encoder.first, &loader.at("first"))?,
                Dense::new(&encoder.second, &loader.at("second"))?,
            ],
            output: matrix(&encoder.output, &loader.at("output"))?,
        })
    }

    /// From `[board][value]` to the bias of every point, `[board][channel]`.
    pub fn forward(&self, metadata: &Tensor) -> Result<Tensor> {
        let [first, second] = &self.layers;
        let inner = second.forward(&first.forward(metadata)?)?;
        Ok(inner.matmul(&self.output)?)
    }
}
