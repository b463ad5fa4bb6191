//! Fully connected heads.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc;
use super::super::output::{RawOutput, raw_leela};
use super::grid::Grid;
use super::layers::{Conv, Dense, NormAct};
use super::loader::Loader;

/// See [`desc::FlatHeads`].
pub struct FlatHeads {
    policy: FlatHead,
    value: FlatHead,
}

/// See [`desc::FlatHead`].
struct FlatHead {
    conv: Conv,
    norm: NormAct,
    layers: Vec<Dense>,
}

impl FlatHead {
    fn new(head: &desc::FlatHead, loader: &Loader) -> Result<FlatHead> {
        let layer = |(index, layer): (usize, &desc::DenseLayer)| {
            Dense::new(layer, &loader.at("layers").at(&index.to_string()))
        };
        Ok(FlatHead {
            conv: Conv::new(&head.conv, &loader.at("conv"))?,
            norm: NormAct::new(&head.norm, &loader.at("norm"))?,
            layers: head
                .layers
                .iter()
                .enumerate()
                .map(layer)
                .collect::<Result<_>>()?,
        })
    }

    /// `[board][output]`.
    fn forward(&self, tip: &Tensor, grid: &Grid) -> Result<Tensor> {
        let cells = self.norm.forward(&self.conv.forward(tip, grid)?, grid)?;
        let mut values = grid.points(&cells)?;
        for layer in &self.layers {
            values = layer.forward(&values)?;
        }
        Ok(values)
    }
}

impl FlatHeads {
    /// Loads the weights.
    pub fn new(heads: &desc::FlatHeads, loader: &Loader) -> Result<FlatHeads> {
        Ok(FlatHeads {
            policy: FlatHead::new(&heads.policy, &loader.at("policy"))?,
            value: FlatHead::new(&heads.value, &loader.at("value"))?,
        })
    }

    /// One output per board.
    pub fn forward(&self, tip: &Tensor, grid: &Grid) -> Result<Vec<RawOutput>> {
        let policies = self.policy.forward(tip, grid)?.to_vec2()?;
        let values = self.value.forward(tip, grid)?.flatten_all()?.to_vec1()?;
        let boards = policies.into_iter().zip(values);
        Ok(boards
            .map(|(policy, value)| raw_leela(policy, value))
            .collect())
    }
}
