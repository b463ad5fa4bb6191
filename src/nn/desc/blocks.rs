//! The blocks of a trunk. Those of transformers are in [`super::transformer`].

use serde::{Deserialize, Serialize};

use super::{AttentionBlock, Conv, FeedForwardBlock, MatMul, NormAct};

/// A residual block, `trunk += f(trunk)`; plain blocks are `trunk = f(trunk)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Two convolutions.
    Ordinary(Box<OrdinaryBlock>),
    /// Two convolutions with globally pooled values added between them.
    GlobalPooling(Box<GlobalPoolingBlock>),
    /// Nested bottleneck: narrower blocks between two convolutions.
    NestedBottleneck(Box<NestedBottleneckBlock>),
    /// Self-attention over all points.
    Attention(Box<AttentionBlock>),
    /// Feed-forward layers at each point.
    FeedForward(Box<FeedForwardBlock>),
    /// One convolution, whose results replace the trunk. Not on inner trunks.
    Plain(Box<PlainBlock>),
    /// Chain pooling.
    ChainPooling(Box<ChainPoolingBlock>),
}

impl Block {
    /// The norm and activation that it begins with; transformer blocks have norms of their own.
    pub fn first_norm(&self) -> Option<&NormAct> {
        match self {
            Block::Ordinary(block) => Some(&block.pre),
            Block::GlobalPooling(block) => Some(&block.pre),
            Block::NestedBottleneck(block) => Some(&block.pre),
            Block::Plain(block) => Some(&block.pre),
            Block::ChainPooling(block) => Some(&block.pre),
            Block::Attention(_) | Block::FeedForward(_) => None,
        }
    }

    /// The same, to change it.
    pub fn first_norm_mut(&mut self) -> Option<&mut NormAct> {
        match self {
            Block::Ordinary(block) => Some(&mut block.pre),
            Block::GlobalPooling(block) => Some(&mut block.pre),
            Block::NestedBottleneck(block) => Some(&mut block.pre),
            Block::Plain(block) => Some(&mut block.pre),
            Block::ChainPooling(block) => Some(&mut block.pre),
            Block::Attention(_) | Block::FeedForward(_) => None,
        }
    }
}

/// `conv_b(mid(conv_a(pre(trunk))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdinaryBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// First convolution.
    pub conv_a: Conv,
    /// Second norm and activation.
    pub mid: NormAct,
    /// Second convolution.
    pub conv_b: Conv,
}

/// `conv(pre(trunk))`, possibly to another width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlainBlock {
    /// Norm and activation.
    pub pre: NormAct,
    /// The convolution.
    pub conv: Conv,
}

/// `u = pre(trunk)`, then `conv_b(mid(conv_a(u) + pooled(pool_norm(pool_conv(u))) * pool_matmul))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalPoolingBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// The regular convolution.
    pub conv_a: Conv,
    /// The convolution whose results are pooled.
    pub pool_conv: Conv,
    /// Norm before pooling.
    pub pool_norm: NormAct,
    /// From mean, scaled mean and maximum of the pooled channels to those of `conv_a`.
    pub pool_matmul: MatMul,
    /// Second norm and activation.
    pub mid: NormAct,
    /// Last convolution.
    pub conv_b: Conv,
}

/// `conv_out(pooled(norm(conv(pre(trunk)))))`, where each point gets the values pooled over its
/// chain or empty region: see [`super::super::regions`]. Specific to keima; both convolutions are
/// 1x1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainPoolingBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// To the channels that are pooled.
    pub conv: Conv,
    /// Norm before pooling.
    pub norm: NormAct,
    /// From mean, mean by size and maximum of the pooled channels to the trunk.
    pub conv_out: Conv,
}

/// `conv_out(post(blocks(conv_in(pre(trunk)))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NestedBottleneckBlock {
    /// First norm and activation.
    pub pre: NormAct,
    /// To the inner width.
    pub conv_in: Conv,
    /// Residual on the inner trunk.
    pub blocks: Vec<Block>,
    /// After the inner blocks.
    pub post: NormAct,
    /// Back to the outer width.
    pub conv_out: Conv,
}

/// A block by how it is computed, see [`Block::parts`].
#[derive(Clone, Copy, Debug)]
pub enum BlockParts<'a> {
    /// [`OrdinaryBlock`], [`GlobalPoolingBlock`] or [`NestedBottleneckBlock`].
    Residual(ResidualParts<'a>),
    /// Self-attention.
    Attention(&'a AttentionBlock),
    /// Feed-forward layers.
    FeedForward(&'a FeedForwardBlock),
    /// One convolution, which replaces the trunk.
    Plain(&'a PlainBlock),
    /// Chain pooling.
    ChainPooling(&'a ChainPoolingBlock),
}

/// `u = pre(trunk)`, then `conv_out(post(blocks(conv_in(u) + pooled)))`.
#[derive(Clone, Copy, Debug)]
pub struct ResidualParts<'a> {
    /// First norm and activation.
    pub pre: &'a NormAct,
    /// First convolution.
    pub conv_in: &'a Conv,
    /// Convolution, norm and matrix of the globally pooled values, if there are any.
    pub pool: Option<(&'a Conv, &'a NormAct, &'a MatMul)>,
    /// Blocks between the convolutions, often none.
    pub blocks: &'a [Block],
    /// Last norm and activation.
    pub post: &'a NormAct,
    /// Last convolution.
    pub conv_out: &'a Conv,
    /// Names of `conv_in`, `post` and `conv_out` in checkpoints.
    pub names: [&'static str; 3],
}

/// Names of the last three layers where there are no blocks between the convolutions.
const NAMES: [&str; 3] = ["conv_a", "mid", "conv_b"];

impl Block {
    /// Its parts, in a form that residual blocks of two convolutions share.
    pub fn parts(&self) -> BlockParts<'_> {
        match self {
            Block::Ordinary(block) => BlockParts::Residual(ResidualParts {
                pre: &block.pre,
                conv_in: &block.conv_a,
                pool: None,
                blocks: &[],
                post: &block.mid,
                conv_out: &block.conv_b,
                names: NAMES,
            }),
            Block::GlobalPooling(block) => BlockParts::Residual(ResidualParts {
                pre: &block.pre,
                conv_in: &block.conv_a,
                pool: Some((&block.pool_conv, &block.pool_norm, &block.pool_matmul)),
                blocks: &[],
                post: &block.mid,
                conv_out: &block.conv_b,
                names: NAMES,
            }),
            Block::NestedBottleneck(block) => BlockParts::Residual(ResidualParts {
                pre: &block.pre,
                conv_in: &block.conv_in,
                pool: None,
                blocks: &block.blocks,
                post: &block.post,
                conv_out: &block.conv_out,
                names: ["conv_in", "post", "conv_out"],
            }),
            Block::Attention(block) => BlockParts::Attention(block),
            Block::FeedForward(block) => BlockParts::FeedForward(block),
            Block::Plain(block) => BlockParts::Plain(block),
            Block::ChainPooling(block) => BlockParts::ChainPooling(block),
        }
    }

    /// Channels of the trunk after the block, given those before.
    pub fn outputs(&self, width: usize) -> usize {
        match self {
            Block::Plain(block) => block.conv.outputs,
            _ => width,
        }
    }
}
