//! Records of residual blocks: a kind, a name, then layers.

use anyhow::{Result, bail};

use super::super::desc::check::{MAX_BLOCKS, check_depth};
use super::super::desc::{Block, GlobalPoolingBlock, NestedBottleneckBlock, OrdinaryBlock};
use super::layers::{conv, matmul, norm_act, write_conv, write_matmul, write_norm_act};
use super::tokens::Tokens;
use super::transformer::{attention, feed_forward, write_attention, write_feed_forward};
use super::writer::Writer;

const ORDINARY: &str = "ordinary_block";
const GLOBAL_POOLING: &str = "gpool_block";
const NESTED_BOTTLENECK: &str = "nested_bottleneck_block";
const ATTENTION: &str = "transformer_attention_block";
const FEED_FORWARD: &str = "transformer_ffn_block";

/// Context of a block.
#[derive(Clone, Copy)]
pub struct Stack {
    /// The model version.
    pub version: u32,
    /// Channels of the trunk that the block adds to.
    pub width: usize,
    /// Nesting depth.
    pub depth: usize,
}

/// Reads `count` blocks of a trunk.
pub fn blocks(tokens: &mut Tokens, count: usize, stack: Stack) -> Result<Vec<Block>> {
    check_depth(stack.depth)?;
    (0..count).map(|_| block(tokens, stack)).collect()
}

/// The same, named by number after `name`.
pub fn write_blocks(blocks: &[Block], name: &str, version: u32, writer: &mut Writer) -> Result<()> {
    let mut numbered = blocks.iter().enumerate();
    numbered.try_for_each(|(index, block)| {
        write_block(block, &format!("{name}.{index}"), version, writer)
    })
}

fn block(tokens: &mut Tokens, stack: Stack) -> Result<Block> {
    let kind = tokens.word("a kind of block")?;
    tokens.name()?;
    let block = match kind {
        ORDINARY => Block::Ordinary(ordinary(tokens, stack)?.into()),
        GLOBAL_POOLING => Block::GlobalPooling(global_pooling(tokens, stack)?.into()),
        NESTED_BOTTLENECK => Block::NestedBottleneck(nested(tokens, stack)?.into()),
        ATTENTION => Block::Attention(attention(tokens)?.into()),
        FEED_FORWARD => Block::FeedForward(feed_forward(tokens, stack.width)?.into()),
        other => bail!("unknown kind of block {other:?}"),
    };
    block.check(stack.width)?;
    Ok(block)
}

fn write_block(block: &Block, name: &str, version: u32, writer: &mut Writer) -> Result<()> {
    let mut begin = |kind| {
        writer.word(kind);
        writer.name(name)
    };
    match block {
        Block::Ordinary(block) => {
            begin(ORDINARY)?;
            write_ordinary(block, version, writer)
        }
        Block::GlobalPooling(block) => {
            begin(GLOBAL_POOLING)?;
            write_global_pooling(block, version, writer)
        }
        Block::NestedBottleneck(block) => {
            begin(NESTED_BOTTLENECK)?;
            write_nested(block, name, version, writer)
        }
        Block::Attention(block) => {
            begin(ATTENTION)?;
            write_attention(block, writer)
        }
        Block::FeedForward(block) => {
            begin(FEED_FORWARD)?;
            write_feed_forward(block, writer)
        }
        Block::Plain(_) => bail!("KataGo's files have no plain blocks, which replace the stack"),
        Block::ChainPooling(_) => bail!(
            "KataGo's files have no chain pooling; a checkpoint, FILE.safetensors, can hold it"
        ),
    }
}

fn ordinary(tokens: &mut Tokens, stack: Stack) -> Result<OrdinaryBlock> {
    Ok(OrdinaryBlock {
        pre: norm_act(tokens, stack.version)?,
        conv_a: conv(tokens)?,
        mid: norm_act(tokens, stack.version)?,
        conv_b: conv(tokens)?,
    })
}

fn write_ordinary(block: &OrdinaryBlock, version: u32, writer: &mut Writer) -> Result<()> {
    write_norm_act(&block.pre, version, writer)?;
    write_conv(&block.conv_a, writer)?;
    write_norm_act(&block.mid, version, writer)?;
    write_conv(&block.conv_b, writer)
}

fn global_pooling(tokens: &mut Tokens, stack: Stack) -> Result<GlobalPoolingBlock> {
    Ok(GlobalPoolingBlock {
        pre: norm_act(tokens, stack.version)?,
        conv_a: conv(tokens)?,
        pool_conv: conv(tokens)?,
        pool_norm: norm_act(tokens, stack.version)?,
        pool_matmul: matmul(tokens)?,
        mid: norm_act(tokens, stack.version)?,
        conv_b: conv(tokens)?,
    })
}

fn write_global_pooling(
    block: &GlobalPoolingBlock,
    version: u32,
    writer: &mut Writer,
) -> Result<()> {
    write_norm_act(&block.pre, version, writer)?;
    write_conv(&block.conv_a, writer)?;
    write_conv(&block.pool_conv, writer)?;
    write_norm_act(&block.pool_norm, version, writer)?;
    write_matmul(&block.pool_matmul, writer)?;
    write_norm_act(&block.mid, version, writer)?;
    write_conv(&block.conv_b, writer)
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
    Ok(NestedBottleneckBlock {
        pre,
        conv_in,
        blocks: blocks(tokens, count, inner)?,
        post: norm_act(tokens, stack.version)?,
        conv_out: conv(tokens)?,
    })
}

fn write_nested(
    block: &NestedBottleneckBlock,
    name: &str,
    version: u32,
    writer: &mut Writer,
) -> Result<()> {
    writer.word(block.blocks.len());
    write_norm_act(&block.pre, version, writer)?;
    write_conv(&block.conv_in, writer)?;
    write_blocks(&block.blocks, name, version, writer)?;
    write_norm_act(&block.post, version, writer)?;
    write_conv(&block.conv_out, writer)
}
