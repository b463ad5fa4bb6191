//! Records of residual blocks: a kind, a name, then layers.

use anyhow::{Result, bail, ensure};

use super::super::desc::{Block, GlobalPoolingBlock, NestedBottleneckBlock, OrdinaryBlock};
use super::layers::{conv, matmul, norm_act};
use super::tokens::Tokens;
use super::transformer::{attention, feed_forward};

/// Real nets nest once.
const MAX_DEPTH: usize = 8;
/// Above anything known by far.
pub const MAX_BLOCKS: usize = 10_000;

/// What a block needs to know of its surroundings.
#[derive(Clone, Copy)]
pub struct Stack {
    /// Of the model.
    pub version: u32,
    /// Channels of the stack the block adds to.
    pub width: usize,
    /// Nested blocks around it.
    pub depth: usize,
}

/// `count` blocks on the same stack.
pub fn blocks(tokens: &mut Tokens, count: usize, stack: Stack) -> Result<Vec<Block>> {
    ensure!(
        stack.depth <= MAX_DEPTH,
        "blocks nested more than {MAX_DEPTH} deep"
    );
    (0..count).map(|_| block(tokens, stack)).collect()
}

fn block(tokens: &mut Tokens, stack: Stack) -> Result<Block> {
    let kind = tokens.word("a kind of block")?;
    tokens.name()?;
    Ok(match kind {
        "ordinary_block" => Block::Ordinary(ordinary(tokens, stack)?.into()),
        "gpool_block" => Block::GlobalPooling(global_pooling(tokens, stack)?.into()),
        "nested_bottleneck_block" => Block::NestedBottleneck(nested(tokens, stack)?.into()),
        "transformer_attention_block" => Block::Attention(attention(tokens, stack.width)?.into()),
        "transformer_ffn_block" => Block::FeedForward(feed_forward(tokens, stack.width)?.into()),
        other => bail!("unknown kind of block {other:?}"),
    })
}

fn ordinary(tokens: &mut Tokens, stack: Stack) -> Result<OrdinaryBlock> {
    let pre = norm_act(tokens, stack.version)?;
    let conv_a = conv(tokens)?;
    let mid = norm_act(tokens, stack.version)?;
    let conv_b = conv(tokens)?;
    same("first norm", pre.norm.channels(), stack.width)?;
    same("first convolution", conv_a.inputs, stack.width)?;
    same("second norm", mid.norm.channels(), conv_a.outputs)?;
    same("second convolution", conv_b.inputs, conv_a.outputs)?;
    same("block", conv_b.outputs, stack.width)?;
    Ok(OrdinaryBlock {
        pre,
        conv_a,
        mid,
        conv_b,
    })
}

fn global_pooling(tokens: &mut Tokens, stack: Stack) -> Result<GlobalPoolingBlock> {
    let pre = norm_act(tokens, stack.version)?;
    let conv_a = conv(tokens)?;
    let pool_conv = conv(tokens)?;
    let pool_norm = norm_act(tokens, stack.version)?;
    let pool_matmul = matmul(tokens)?;
    let mid = norm_act(tokens, stack.version)?;
    let conv_b = conv(tokens)?;
    same("first norm", pre.norm.channels(), stack.width)?;
    same("regular convolution", conv_a.inputs, stack.width)?;
    same("pooled convolution", pool_conv.inputs, stack.width)?;
    same("pooled norm", pool_norm.norm.channels(), pool_conv.outputs)?;
    same("pooling matrix", pool_matmul.inputs, 3 * pool_conv.outputs)?;
    same(
        "pooling matrix's output",
        pool_matmul.outputs,
        conv_a.outputs,
    )?;
    same("second norm", mid.norm.channels(), conv_a.outputs)?;
    same("last convolution", conv_b.inputs, conv_a.outputs)?;
    same("block", conv_b.outputs, stack.width)?;
    Ok(GlobalPoolingBlock {
        pre,
        conv_a,
        pool_conv,
        pool_norm,
        pool_matmul,
        mid,
        conv_b,
    })
}

fn nested(tokens: &mut Tokens, stack: Stack) -> Result<NestedBottleneckBlock> {
    let count = tokens.number("number of inner blocks", 1, MAX_BLOCKS)?;
    let pre = norm_act(tokens, stack.version)?;
    let conv_in = conv(tokens)?;
    let inner = Stack {
        width: conv_in.outputs,
        depth: stack.depth + 1,
        ..stack
    };
    let blocks = blocks(tokens, count, inner)?;
    let post = norm_act(tokens, stack.version)?;
    let conv_out = conv(tokens)?;
    same("first norm", pre.norm.channels(), stack.width)?;
    same("first convolution", conv_in.inputs, stack.width)?;
    same("last norm", post.norm.channels(), conv_in.outputs)?;
    same("last convolution", conv_out.inputs, conv_in.outputs)?;
    same("block", conv_out.outputs, stack.width)?;
    Ok(NestedBottleneckBlock {
        pre,
        conv_in,
        blocks,
        post,
        conv_out,
    })
}

/// Refuses neighbors whose channels do not match.
pub fn same(what: &str, found: usize, expected: usize) -> Result<()> {
    ensure!(
        found == expected,
        "{what}: {found} channels where {expected} are expected"
    );
    Ok(())
}
