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

impl Block {
    /// Channels of the trunk after the block, given those before.
    pub fn outputs(&self, width: usize) -> usize {
        match self {
            Block::Plain(block) => block.conv.outputs,
            _ => width,
        }
    }
}
