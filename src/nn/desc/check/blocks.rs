//! Checks of blocks on a trunk of a given width.

use anyhow::{Context, Result, bail, ensure};

use super::super::{
    AttentionBlock, Block, ChainPoolingBlock, FeedForwardBlock, GlobalPoolingBlock,
    NestedBottleneckBlock, OrdinaryBlock, PlainBlock, RmsNorm, Rope,
};
use super::{MAX_BLOCKS, MAX_CHANNELS, MAX_DEPTH, check_conv, check_matmul, check_norm, same};
use crate::nn::regions::VALUES;

/// Checks all blocks of a trunk and those inside them; `width` is the initial width.
pub fn check_blocks(blocks: &[Block], mut width: usize, depth: usize) -> Result<()> {
    check_depth(depth)?;
    let known = (1..=MAX_BLOCKS).contains(&blocks.len());
    ensure!(known, "{} blocks", blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let inside = |block: &NestedBottleneckBlock| {
            check_blocks(&block.blocks, block.conv_in.outputs, depth + 1)
        };
        let checked = block.check(width).and_then(|()| match block {
            Block::NestedBottleneck(block) => inside(block),
            Block::Plain(_) if depth > 0 => bail!("a plain block on an inner stack"),
            _ => Ok(()),
        });
        checked.with_context(|| format!("blocks.{index}"))?;
        width = block.outputs(width);
    }
    Ok(())
}

/// Refuses blocks nested too deeply.
pub fn check_depth(depth: usize) -> Result<()> {
    ensure!(
        depth <= MAX_DEPTH,
        "blocks nested more than {MAX_DEPTH} deep"
    );
    Ok(())
}

impl Block {
    /// Checks that it fits a trunk of `width` channels. Does not check inner blocks.
    pub fn check(&self, width: usize) -> Result<()> {
        match self {
            Block::Ordinary(block) => block.check(width),
            Block::GlobalPooling(block) => block.check(width),
            Block::NestedBottleneck(block) => block.check(width),
            Block::Attention(block) => block.check(width),
            Block::FeedForward(block) => block.check(width),
            Block::Plain(block) => block.check(width),
            Block::ChainPooling(block) => block.check(width),
        }
    }
}

impl OrdinaryBlock {
    fn check(&self, width: usize) -> Result<()> {
        let mid = self.conv_a.outputs;
        check_norm("first norm", &self.pre, width)?;
        check_conv("first convolution", &self.conv_a, width, mid)?;
        check_norm("second norm", &self.mid, mid)?;
        check_conv("second convolution", &self.conv_b, mid, width)
    }
}

impl PlainBlock {
    fn check(&self, width: usize) -> Result<()> {
        check_norm("norm", &self.pre, width)?;
        check_conv("convolution", &self.conv, width, self.conv.outputs)
    }
}

impl GlobalPoolingBlock {
    fn check(&self, width: usize) -> Result<()> {
        let (mid, pooled) = (self.conv_a.outputs, self.pool_conv.outputs);
        check_norm("first norm", &self.pre, width)?;
        check_conv("regular convolution", &self.conv_a, width, mid)?;
        check_conv("pooled convolution", &self.pool_conv, width, pooled)?;
        check_norm("pooled norm", &self.pool_norm, pooled)?;
        check_matmul("pooling matrix", &self.pool_matmul, 3 * pooled, mid)?;
        check_norm("second norm", &self.mid, mid)?;
        check_conv("last convolution", &self.conv_b, mid, width)
    }
}

impl ChainPoolingBlock {
    fn check(&self, width: usize) -> Result<()> {
        let pooled = self.conv.outputs;
        for conv in [&self.conv, &self.conv_out] {
            ensure!(
                (conv.kernel_height, conv.kernel_width) == (1, 1),
                "the convolutions of chain pooling are 1x1"
            );
        }
        check_norm("first norm", &self.pre, width)?;
        check_conv("pooled convolution", &self.conv, width, pooled)?;
        check_norm("pooled norm", &self.norm, pooled)?;
        check_conv("last convolution", &self.conv_out, VALUES * pooled, width)
    }
}

impl NestedBottleneckBlock {
    fn check(&self, width: usize) -> Result<()> {
        let inner = self.conv_in.outputs;
        check_norm("first norm", &self.pre, width)?;
        check_conv("first convolution", &self.conv_in, width, inner)?;
        check_norm("last norm", &self.post, inner)?;
        check_conv("last convolution", &self.conv_out, inner, width)
    }
}

/// Refuses head counts that cannot share key heads.
pub fn check_heads(heads: usize, kv_heads: usize) -> Result<()> {
    ensure!(
        heads.is_multiple_of(kv_heads),
        "nHeads is {heads}, should be a multiple of nKV, {kv_heads}"
    );
    Ok(())
}

impl AttentionBlock {
    fn check(&self, width: usize) -> Result<()> {
        let sides = [self.heads, self.kv_heads, self.key_width, self.value_width];
        let known = sides.iter().all(|side| (1..=MAX_CHANNELS).contains(side));
        ensure!(known, "attention with sides of {sides:?}");
        let [heads, kv_heads, keys, values] = sides;
        check_heads(heads, kv_heads)?;
        ensure!(
            self.rope.is_none() || keys.is_multiple_of(2),
            "qDim is {keys}, should be even with useRope"
        );
        self.norm.check("norm", width)?;
        check_matmul("queries", &self.query, width, heads * keys)?;
        check_matmul("keys", &self.key, width, kv_heads * keys)?;
        check_matmul("values", &self.value, width, kv_heads * values)?;
        check_matmul("attention's output", &self.output, heads * values, width)?;
        match &self.rope {
            Some(Rope::Learned(angles)) => same("rope", angles.len(), kv_heads * (keys / 2) * 2),
            Some(Rope::Fixed { theta }) => {
                let known = (f32::MIN_POSITIVE..=f32::MAX).contains(theta);
                ensure!(known, "rope's theta is {theta}");
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl FeedForwardBlock {
    fn check(&self, width: usize) -> Result<()> {
        let hidden = self.inner.outputs;
        self.norm.check("norm", width)?;
        check_matmul("inner layer", &self.inner, width, hidden)?;
        check_matmul("gate", &self.gate, width, hidden)?;
        check_matmul("feed-forward output", &self.output, hidden, width)
    }
}

impl RmsNorm {
    /// Checks that it normalises `channels` channels.
    pub fn check(&self, what: &str, channels: usize) -> Result<()> {
        let known = (f32::MIN_POSITIVE..=1.0).contains(&self.epsilon);
        ensure!(known, "{what}: epsilon is {}", self.epsilon);
        same(what, self.weights.len(), channels)
    }
}
