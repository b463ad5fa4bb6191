//! Networks as candle models, on the CPU or a GPU.
//!
//! Activations are matrices `[cell][channel]`. The cells are those of all boards of a batch, one
//! after another, separated by empty columns and rows (see [`grid`]), so that a convolution is one
//! matrix product over shifted copies of its input: several times as fast as candle's own
//! convolution on a CPU. A mask keeps the cells between the boards at zero. [`place`] chooses the
//! device and number format.

mod blocks;
mod cuda;
mod flat_heads;
#[cfg(feature = "cuda")]
mod fused;
mod gradient;
mod grid;
mod heads;
mod layers;
mod leela;
mod loader;
mod metadata;
mod place;
mod region_pooling;
mod rope;
mod transformer;

use std::mem::take;

use anyhow::{Context, Result, bail, ensure};
use candle_core::{DType, Tensor};

use super::desc;
use super::features::InputBatch;
use super::input_shape::InputShape;
use super::output::RawOutput;
use blocks::Block;
use flat_heads::FlatHeads;
use grid::Grid;
pub use heads::{Policies, Values};
use heads::{PolicyHead, ValueHead};
use layers::{Conv, NormAct, matrix};
pub use leela::LeelaModel;
pub use loader::{Loader, TrainedVariable};
use metadata::MetadataEncoder;
pub use place::{Convolution, Place};
use transformer::RmsNormAct;

/// A network ready to compute.
pub struct Model {
    place: Place,
    shape: InputShape,
    pools_chains: bool,
    /// Padding for the stem.
    initial_pad: usize,
    /// Padding for the other convolutions.
    pad: usize,
    initial_conv: Conv,
    initial_global: Option<Tensor>,
    metadata_encoder: Option<MetadataEncoder>,
    blocks: Vec<Block>,
    tip: Tip,
    heads: ModelHeads,
}

enum ModelHeads {
    Pooled(Box<(PolicyHead, ValueHead)>),
    Flat(Box<FlatHeads>),
}

impl ModelHeads {
    fn new(heads: &desc::Heads, exact: &Loader) -> Result<ModelHeads> {
        Ok(match heads {
            desc::Heads::Pooled(heads) => ModelHeads::Pooled(Box::new((
                PolicyHead::new(&heads.policy, &exact.at("policy_head"))?,
                ValueHead::new(&heads.value, &exact.at("value_head"))?,
            ))),
            desc::Heads::Flat(heads) => {
                let heads = FlatHeads::new(heads, &exact.at("flat_heads"))?;
                ModelHeads::Flat(Box::new(heads))
            }
        })
    }
}

/// How many cells beyond a point the widest kernel after the first convolution reads.
fn inner_reach(net: &desc::Net) -> usize {
    let tensors = net.tensors().into_iter();
    let kernels = tensors.filter(|tensor| {
        tensor.shape.len() == 4 && !tensor.name.starts_with("trunk.initial_conv.")
    });
    let sides = kernels.map(|kernel| kernel.shape[0].max(kernel.shape[1]) / 2);
    sides.max().unwrap_or(0)
}

impl Model {
    /// Loads the weights.
    pub fn new(net: &desc::Net, place: &Place) -> Result<Model> {
        Model::load(net, &Loader::new(place))
    }

    /// The same with weights from a loader.
    pub fn load(net: &desc::Net, loader: &Loader) -> Result<Model> {
        // Products of this size are not worth parallelising; positions are.
        gemm::set_threading_threshold(usize::MAX);
        let trunk = &net.trunk;
        let at = |name: &str| loader.at("trunk").at(name);
        let exact = loader.exact();
        let metadata_encoder = trunk.metadata_encoder.as_ref().map(|encoder| {
            let loader = at("metadata_encoder").exact();
            MetadataEncoder::new(encoder, &loader)
        });
        let initial_conv = Conv::new(&trunk.initial_conv, &at("initial_conv"))?;
        let initial_global = trunk.initial_global.as_ref();
        let initial_global =
            initial_global.map(|global| matrix(global, &at("initial_global").exact()));
        let blocks = blocks::load(&trunk.blocks, &at("blocks"))?;
        let heads = ModelHeads::new(&net.heads, &exact)?;
        let pad = inner_reach(net);
        Ok(Model {
            place: loader.place().clone(),
            shape: InputShape::of(net),
            pools_chains: net.pools_chains(),
            initial_pad: initial_conv.reach().max(pad),
            pad,
            initial_conv,
            initial_global: initial_global.transpose()?,
            metadata_encoder: metadata_encoder.transpose()?,
            blocks,
            tip: Tip::new(&trunk.tip, &at("tip").exact())?,
            heads,
        })
    }

    /// One output per position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        if self.shape.boards(batch)? == 0 {
            return Ok(Vec::new());
        }
        if let ModelHeads::Flat(heads) = &self.heads {
            let (tip, grid) = self.tip(batch)?;
            return heads.forward(&tip, &grid);
        }
        let Heads {
            policies, values, ..
        } = self.heads(batch)?;
        let (mut policy, mut pass) = (policies.points.to_vec2()?, policies.passes.to_vec2()?);
        let (mut score, mut ownership) = (values.score.to_vec2()?, values.ownership.to_vec2()?);
        let output = |(board, value): (usize, Vec<f32>)| {
            Ok(RawOutput {
                policy: take(&mut policy[board]),
                pass: take(&mut pass[board]),
                value: value[..]
                    .try_into()
                    .context("the value head has three outputs")?,
                score: take(&mut score[board]),
                ownership: take(&mut ownership[board]),
            })
        };
        let value = values.value.to_vec2()?.into_iter();
        value.enumerate().map(output).collect()
    }

    /// Outputs of the heads as tensors, for at least one position. Fully connected heads have none.
    pub fn heads(&self, batch: &InputBatch) -> Result<Heads> {
        let (tip, grid) = self.tip(batch)?;
        let ModelHeads::Pooled(heads) = &self.heads else {
            bail!("fully connected heads have no score and ownership");
        };
        Ok(Heads {
            policies: heads.0.forward(&tip, &grid)?,
            values: heads.1.forward(&tip, &grid)?,
            grid,
        })
    }

    /// What the heads read, for at least one position.
    fn tip(&self, batch: &InputBatch) -> Result<(Tensor, Grid)> {
        let boards = self.shape.boards(batch)?;
        ensure!(boards > 0, "no positions");
        let mut grid = Grid::new(batch.size, boards, self.pad, &self.place)?;
        if self.pools_chains {
            grid = grid.with_regions(&batch.spatial, self.shape.planes)?;
        }
        let stack = self.trunk(batch, &grid)?.to_dtype(DType::F32)?;
        let grid = grid.exact()?;
        Ok((self.tip.forward(&stack, &grid)?, grid))
    }

    /// The stem: the trunk before its blocks.
    fn initial(&self, batch: &InputBatch, grid: &Grid) -> Result<Tensor> {
        let wide = Grid::new(batch.size, grid.boards(), self.initial_pad, &self.place)?;
        let planes = wide.scatter(&batch.spatial, self.shape.planes)?;
        let stack = wide.narrow_to(&self.initial_conv.forward(&planes, &wide)?, grid)?;
        let exact = self.place.exact();
        let Some(matrix) = &self.initial_global else {
            return Ok(stack);
        };
        let global = exact.tensor(&batch.global, (grid.boards(), self.shape.globals))?;
        let mut everywhere = global.matmul(matrix)?;
        if let Some(encoder) = &self.metadata_encoder {
            let metadata = exact.tensor(&batch.metadata, (grid.boards(), self.shape.metadata))?;
            everywhere = (everywhere + encoder.forward(&metadata)?)?;
        }
        grid.add_per_board(&stack, &everywhere)
    }

    /// The trunk before its tip.
    fn trunk(&self, batch: &InputBatch, grid: &Grid) -> Result<Tensor> {
        let mut stack = self.initial(batch, grid)?;
        for block in &self.blocks {
            stack = block.forward(&stack, grid)?;
        }
        Ok(stack)
    }
}

/// Outputs for a batch.
pub struct Heads {
    /// The policy head.
    pub policies: Policies,
    /// The value head.
    pub values: Values,
    grid: Grid,
}

impl Heads {
    /// Values of all cells `[cell][channel]` as those of points, `[board][channel * y * x]`.
    pub fn points(&self, cells: &Tensor) -> Result<Tensor> {
        self.grid.points(cells)
    }
}

/// See [`desc::Tip`].
enum Tip {
    Batch(NormAct),
    Rms(RmsNormAct),
}

impl Tip {
    fn new(tip: &desc::Tip, loader: &Loader) -> Result<Tip> {
        Ok(match tip {
            desc::Tip::Batch(tip) => Tip::Batch(NormAct::new(tip, loader)?),
            desc::Tip::Rms(tip) => Tip::Rms(RmsNormAct::new(tip, loader)?),
        })
    }

    fn forward(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        match self {
            Tip::Batch(tip) => tip.forward(stack, grid),
            Tip::Rms(tip) => tip.forward(stack, grid),
        }
    }
}
