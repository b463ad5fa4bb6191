//! Residual blocks, and plain ones.

use anyhow::Result;
use candle_core::Tensor;

use super::super::desc::{self, BlockParts, ResidualParts};
use super::grid::Grid;
use super::heads::pool_with_max;
use super::layers::{Conv, NormAct, matrix};
use super::loader::Loader;
use super::transformer::{Attention, FeedForward};

/// See [`desc::Block`].
pub enum Block {
    /// Two convolutions, and what there is between them.
    Residual(Residual),
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
        Ok(match block.parts() {
            BlockParts::Residual(parts) => Block::Residual(Residual::new(parts, loader)?),
            BlockParts::Attention(block) => Block::Attention(Attention::new(block, loader)?),
            BlockParts::FeedForward(block) => Block::FeedForward(FeedForward::new(block, loader)?),
            BlockParts::Plain(block) => {
                let pre = NormAct::new(&block.pre, &loader.at("pre"))?;
                Block::Plain(pre, Conv::new(&block.conv, &loader.at("conv"))?)
            }
            BlockParts::ChainPooling(block) => {
                Block::ChainPooling(ChainPooling::new(block, loader)?)
            }
        })
    }

    /// The trunk after the block.
    pub fn forward(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let residual = match self {
            Block::Residual(block) => block.residual(stack, grid)?,
            Block::Attention(block) => block.residual(stack, grid)?,
            Block::FeedForward(block) => block.residual(stack)?,
            Block::ChainPooling(block) => block.residual(stack, grid)?,
            Block::Plain(pre, conv) => return conv.forward(&pre.forward(stack, grid)?, grid),
        };
        Ok((stack + residual)?)
    }
}

/// See [`ResidualParts`].
pub struct Residual {
    pre: NormAct,
    conv_in: Conv,
    /// Convolution, norm and matrix of globally pooled values.
    pool: Option<(Conv, NormAct, Tensor)>,
    blocks: Vec<Block>,
    post: NormAct,
    conv_out: Conv,
}

impl Residual {
    fn new(parts: ResidualParts, loader: &Loader) -> Result<Residual> {
        let [conv_in, post, conv_out] = parts.names;
        Ok(Residual {
            pre: NormAct::new(parts.pre, &loader.at("pre"))?,
            conv_in: Conv::new(parts.conv_in, &loader.at(conv_in))?,
            pool: match parts.pool {
                Some((conv, norm, matmul)) => Some((
                    Conv::new(conv, &loader.at("pool_conv"))?,
                    NormAct::new(norm, &loader.at("pool_norm"))?,
                    matrix(matmul, &loader.at("pool_matmul").exact())?,
                )),
                None => None,
            },
            blocks: load(parts.blocks, &loader.at("blocks"))?,
            post: NormAct::new(parts.post, &loader.at(post))?,
            conv_out: Conv::new(parts.conv_out, &loader.at(conv_out))?,
        })
    }

    fn residual(&self, stack: &Tensor, grid: &Grid) -> Result<Tensor> {
        let input = self.pre.forward(stack, grid)?;
        let mut inner = self.conv_in.forward(&input, grid)?;
        if let Some((conv, norm, weights)) = &self.pool {
            let pooled = norm.forward(&conv.forward(&input, grid)?, grid)?;
            let pooled = pool_with_max(&pooled, grid)?.matmul(weights)?;
            inner = grid.add_per_board(&inner, &pooled)?;
        }
        for block in &self.blocks {
            inner = block.forward(&inner, grid)?;
        }
        self.conv_out
            .forward(&self.post.forward(&inner, grid)?, grid)
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
