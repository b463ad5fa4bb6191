//! Fully connected heads. `width` is the trunk's.

use anyhow::{Context, Result, ensure};

use super::super::{Activation, FlatHead, FlatHeads};
use super::{check_conv, check_dense, check_norm, same};

impl FlatHeads {
    /// Checks them against the trunk and the number of points of the board.
    pub fn check(&self, width: usize, area: usize) -> Result<()> {
        let policy = self.policy.check(width, area, area + 1);
        policy.context("flat_heads.policy")?;
        let value = self.value.check(width, area, 1);
        value.context("flat_heads.value")
    }
}

impl FlatHead {
    fn check(&self, width: usize, area: usize, outputs: usize) -> Result<()> {
        let own = self.conv.outputs;
        check_conv("convolution", &self.conv, width, own)?;
        check_norm("norm", &self.norm, own)?;
        let mut inputs = own * area;
        for layer in &self.layers {
            check_dense("layer", layer, inputs)?;
            inputs = layer.matmul.outputs;
        }
        let last = self.layers.last().context("no layers")?;
        ensure!(
            last.activation == Activation::Identity,
            "an activation after the last layer"
        );
        same("outputs", inputs, outputs)
    }
}
