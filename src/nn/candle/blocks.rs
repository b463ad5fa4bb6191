//! Residual blocks, and plain ones.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc;
use super::grid::Grid;
use super::heads::pool_with_max;
use super::layers::{Conv, NormAct, matrix};
use super::loader::Loader;
use super::transformer::{Attention, FeedForward};

/// See [`desc::Block`].
pub enum Block {
    /// Two convolutions.
    Ordinary(Ordinary),
    /// Global pooling.
    GlobalPooling(GlobalPooling),
    /// Nested bottleneck.
    NestedBottleneck(NestedBottleneck),
    /// Self-attention.
    Attention(Attention),
    /// Feed-forward layers.
    FeedForward(FeedForward),
    /// One convolution, which replaces the trunk.
    Plain(NormAct, Conv),
    /// Chain pooling.
    ChainPooling(ChainPooling),
}

/// The blocks of a trunk.
pub fn load(blocks: &[desc::Block], loader: &Loader) -> Result<Vec<Block>> {
    let numbered = blocks.iter().enumerate();
    numbered
        .map(|(index, block)| Block::new(block, &loader.at(&index.to_string())))
        .collect()
}

impl Block {
    fn new(block: &desc::Block, loader: &Loader) -> Result<Block> {
        Ok(match block {
            desc::Block::Ordinary(block) => Block::Ordinary(Ordinary::new(block, loader)?),
            desc::Block::GlobalPooling(block) => {
                Block::GlobalPooling(GlobalPooling::new(block, loader)?)
            }
            desc::Block::NestedBottleneck(block) => {
                Block::NestedBottleneck(NestedBottleneck::new(block, loader)?)
            }
            desc::Block::Attention(block) => Block::Attention(Attention::new(block, loader)?),
            desc::Block::FeedForward(block) => Block::FeedForward(FeedForward::new(block, loader)?),
            desc::Block::Plain(block) => {
                let pre = NormAct::new(&block.pre, &loader.at("pre"))?;
                Block::Plain(pre, Conv::new(&block.conv, &loader.at("conv"))?)
            }
            desc::Block::ChainPooling(block) => {
                Block::ChainPooling(ChainPooling::new(block, loader)?)
            }
        })
    }

    /// The trunk after the block.
    pub fn forward(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let residual = match self {
            Block::Ordinary(block) => block.residual(stack, grid)?,
            Block::GlobalPooling(block) => block.residual(stack, grid)?,
            Block::NestedBottleneck(block) => block.residual(stack, grid)?,
            Block::Attention(block) => block.residual(stack, grid)?,
            Block::FeedForward(block) => block.residual(stack)?,
            Block::ChainPooling(block) => block.residual(stack, grid)?,
            Block::Plain(pre, conv) => return conv.forward(&pre.forward(stack, grid)?, grid),
        };
        Ok((stack + residual)?)
    }
}

/// See [`desc::OrdinaryBlock`].
pub struct Ordinary {
    pre: NormAct,
    conv_a: Conv,
    mid: NormAct,
    conv_b: Conv,
}

impl Ordinary {
    fn new(block: &desc::OrdinaryBlock, loader: &Loader) -> Result<Ordinary> {
        Ok(Ordinary {
            pre: NormAct::new(&block.pre, &loader.at("pre"))?,
            conv_a: Conv::new(&block.conv_a, &loader.at("conv_a"))?,
            mid: NormAct::new(&block.mid, &loader.at("mid"))?,
            conv_b: Conv::new(&block.conv_b, &loader.at("conv_b"))?,
        })
    }

    fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let inner = self.conv_a.forward(&self.pre.forward(stack, grid)?, grid)?;
        self.conv_b.forward(&self.mid.forward(&inner, grid)?, grid)
    }
}

/// See [`desc::GlobalPoolingBlock`].
pub struct GlobalPooling {
    pre: NormAct,
    conv_a: Conv,
    pool_conv: Conv,
    pool_norm: NormAct,
    pool_matrix: Tensor,
    mid: NormAct,
    conv_b: Conv,
}

impl GlobalPooling {
    fn new(block: &desc::GlobalPoolingBlock, loader: &Loader) -> Result<GlobalPooling> {
        Ok(GlobalPooling {
            pre: NormAct::new(&block.pre, &loader.at("pre"))?,
            conv_a: Conv::new(&block.conv_a, &loader.at("conv_a"))?,
            pool_conv: Conv::new(&block.pool_conv, &loader.at("pool_conv"))?,
            pool_norm: NormAct::new(&block.pool_norm, &loader.at("pool_norm"))?,
            pool_matrix: matrix(&block.pool_matmul, &loader.at("pool_matmul").exact())?,
            mid: NormAct::new(&block.mid, &loader.at("mid"))?,
            conv_b: Conv::new(&block.conv_b, &loader.at("conv_b"))?,
        })
    }

    fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let input = self.pre.forward(stack, grid)?;
        let regular = self.conv_a.forward(&input, grid)?;
        let pooled = self
            .pool_norm
            .forward(&self.pool_conv.forward(&input, grid)?, grid)?;
        let pooled = pool_with_max(&pooled, grid)?.matmul(&self.pool_matrix)?;
        let inner = grid.add_per_board(&regular, &pooled)?;
        self.conv_b.forward(&self.mid.forward(&inner, grid)?, grid)
    }
}

/// See [`desc::ChainPoolingBlock`].
pub struct ChainPooling {
    pre: NormAct,
    conv: Conv,
    norm: NormAct,
    conv_out: Conv,
}

impl ChainPooling {
    fn new(block: &desc::ChainPoolingBlock, loader: &Loader) -> Result<ChainPooling> {
        Ok(ChainPooling {
            pre: NormAct::new(&block.pre, &loader.at("pre"))?,
            conv: Conv::new(&block.conv, &loader.at("conv"))?,
            norm: NormAct::new(&block.norm, &loader.at("norm"))?,
            conv_out: Conv::new(&block.conv_out, &loader.at("conv_out"))?,
        })
    }

    fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let inner = self.conv.forward(&self.pre.forward(stack, grid)?, grid)?;
        let pooled = grid.pool_regions(&self.norm.forward(&inner, grid)?)?;
        self.conv_out.forward(&pooled, grid)
    }
}

/// See [`desc::NestedBottleneckBlock`].
pub struct NestedBottleneck {
    pre: NormAct,
    conv_in: Conv,
    blocks: Vec<Block>,
    post: NormAct,
    conv_out: Conv,
}

impl NestedBottleneck {
    fn new(block: &desc::NestedBottleneckBlock, loader: &Loader) -> Result<NestedBottleneck> {
        Ok(NestedBottleneck {
            pre: NormAct::new(&block.pre, &loader.at("pre"))?,
            conv_in: Conv::new(&block.conv_in, &loader.at("conv_in"))?,
            blocks: load(&block.blocks, &loader.at("blocks"))?,
            post: NormAct::new(&block.post, &loader.at("post"))?,
            conv_out: Conv::new(&block.conv_out, &loader.at("conv_out"))?,
        })
    }

    fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let mut inner = self
            .conv_in
            .forward(&self.pre.forward(stack, grid)?, grid)?;
        for block in &self.blocks {
            inner = block.forward(&inner, grid)?;
        }
        self.conv_out
            .forward(&self.post.forward(&inner, grid)?, grid)
    }
}
