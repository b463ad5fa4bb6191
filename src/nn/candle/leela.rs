//! Leela Zero networks as candle models.

use anyhow::Result;
use candle_core::{DType, Tensor};

use super::super::desc::leela::{LeelaNet, NormedConv, PLANES};
use super::super::desc::{self, Activation};
use super::super::features::InputBatch;
use super::super::input_shape::InputShape;
use super::super::output::RawOutput;
use super::flat_heads::FlatHeads;
use super::grid::Grid;
use super::layers::{Conv, NormAct};
use super::loader::Loader;
use super::place::Place;

/// Reach of its convolutions, in cells.
const REACH: usize = 1;

/// A network ready to compute.
pub struct LeelaModel {
    place: Place,
    input: Layer,
    blocks: Vec<[Layer; 2]>,
    heads: FlatHeads,
}

/// A convolution and its norm, with or without an activation.
struct Layer {
    conv: Conv,
    norm: NormAct,
}

impl Layer {
    fn new(layer: &NormedConv, activation: Activation, loader: &Loader) -> Result<Layer> {
        let norm = desc::NormAct {
            norm: layer.norm.clone(),
            activation,
        };
        Ok(Layer {
            conv: Conv::new(&layer.conv, loader)?,
            norm: NormAct::new(&norm, loader)?,
        })
    }

    fn forward(&self, cells: &Tensor, grid: &Grid) -> Result<Tensor> {
        self.norm.forward(&self.conv.forward(cells, grid)?, grid)
    }
}

impl LeelaModel {
    /// Loads the weights.
    pub fn new(net: &LeelaNet, place: &Place) -> Result<LeelaModel> {
        gemm::set_threading_threshold(usize::MAX);
        // Nets of this kind are not trained, so the parts need no names.
        let loader = &Loader::new(place);
        let relu = |layer: &NormedConv| Layer::new(layer, Activation::Relu, loader);
        let block = |[first, second]: &[NormedConv; 2]| -> Result<_> {
            let second = Layer::new(second, Activation::Identity, loader)?;
            Ok([relu(first)?, second])
        };
        Ok(LeelaModel {
            place: place.clone(),
            input: relu(&net.input)?,
            blocks: net.blocks.iter().map(block).collect::<Result<_>>()?,
            heads: FlatHeads::new(&net.heads, &loader.exact())?,
        })
    }

    /// One output per position of the batch, without score and ownership.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        let boards = InputShape::of_leela().boards(batch)?;
        if boards == 0 {
            return Ok(Vec::new());
        }
        let grid = Grid::new(batch.size, boards, REACH, &self.place)?;
        let tower = self.tower(&grid.scatter(&batch.spatial, PLANES)?, &grid)?;
        let tower = tower.to_dtype(DType::F32)?;
        self.heads.forward(&tower, &grid.exact()?)
    }

    fn tower(&self, planes: &Tensor, grid: &Grid) -> Result<Tensor> {
        let mut stack = self.input.forward(planes, grid)?;
        for [first, second] in &self.blocks {
            let inner = second.forward(&first.forward(&stack, grid)?, grid)?;
            stack = (inner + stack)?.relu()?;
        }
        Ok(stack)
    }
}
