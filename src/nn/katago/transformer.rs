//! Records of transformer blocks and of RMS norms, which are the same in all model versions.

use anyhow::{Result, ensure};

use super::super::desc::check::{check_heads, same};
use super::super::desc::{AttentionBlock, FeedForwardBlock, RmsNorm, RmsNormAct, Rope};
use super::layers::{activation, channels, matmul, write_activation, write_matmul};
use super::tokens::Tokens;
use super::writer::Writer;

/// An attention block, after its name.
pub fn attention(tokens: &mut Tokens) -> Result<AttentionBlock> {
    let heads = channels(tokens, "nHeads")?;
    let kv_heads = channels(tokens, "nKV")?;
    check_heads(heads, kv_heads)?;
    let key_width = channels(tokens, "qDim")?;
    let value_width = channels(tokens, "vDim")?;
    let use_rope = tokens.flag("useRope")?;
    let learn_rope = tokens.flag("learnRope")?;
    Ok(AttentionBlock {
        norm: rms_norm(tokens)?,
        heads,
        kv_heads,
        key_width,
        value_width,
        query: matmul(tokens)?,
        key: matmul(tokens)?,
        value: matmul(tokens)?,
        output: matmul(tokens)?,
        rope: match (use_rope, learn_rope) {
            (false, _) => None,
            (true, true) => Some(learned_rope(tokens, kv_heads, key_width)?),
            (true, false) => Some(fixed_rope(tokens)?),
        },
    })
}

/// An attention block, after its name.
pub fn write_attention(block: &AttentionBlock, writer: &mut Writer) -> Result<()> {
    let widths = [block.key_width, block.value_width];
    let sides = [block.heads, block.kv_heads].into_iter().chain(widths);
    sides.for_each(|side| writer.word(side));
    writer.flag(block.rope.is_some());
    writer.flag(matches!(block.rope, Some(Rope::Learned(_))));
    write_rms_norm(&block.norm, writer)?;
    for matmul in [&block.query, &block.key, &block.value, &block.output] {
        write_matmul(matmul, writer)?;
    }
    match &block.rope {
        Some(Rope::Learned(angles)) => {
            writer.part_name("rope");
            let sides = [block.kv_heads, block.key_width / 2, 2];
            sides.iter().for_each(|side| writer.word(side));
            writer.floats(angles);
        }
        Some(Rope::Fixed { theta }) => {
            writer.part_name("rope");
            writer.float(*theta);
        }
        None => (),
    }
    Ok(())
}

fn learned_rope(tokens: &mut Tokens, kv_heads: usize, key_width: usize) -> Result<Rope> {
    tokens.name()?;
    let pairs = key_width / 2;
    same("rope's heads", channels(tokens, "rope's heads")?, kv_heads)?;
    same("rope's pairs", channels(tokens, "rope's pairs")?, pairs)?;
    same("rope's axes", channels(tokens, "rope's axes")?, 2)?;
    Ok(Rope::Learned(tokens.floats(kv_heads * pairs * 2)?))
}

fn fixed_rope(tokens: &mut Tokens) -> Result<Rope> {
    tokens.name()?;
    Ok(Rope::Fixed {
        theta: tokens.positive("rope's theta")?,
    })
}

/// A feed-forward block on a trunk of `width` channels, after its name.
pub fn feed_forward(tokens: &mut Tokens, width: usize) -> Result<FeedForwardBlock> {
    same("block", channels(tokens, "input channels")?, width)?;
    let hidden = channels(tokens, "hidden channels")?;
    let is_gated = tokens.flag("swiglu")?;
    ensure!(
        is_gated,
        "swiglu is 0: feed-forward blocks without a gate are not known"
    );
    let block = FeedForwardBlock {
        norm: rms_norm(tokens)?,
        inner: matmul(tokens)?,
        gate: matmul(tokens)?,
        output: matmul(tokens)?,
    };
    same("inner layer", block.inner.outputs, hidden)?;
    Ok(block)
}

/// A feed-forward block, after its name.
pub fn write_feed_forward(block: &FeedForwardBlock, writer: &mut Writer) -> Result<()> {
    writer.word(block.inner.inputs);
    writer.word(block.inner.outputs);
    writer.flag(true);
    write_rms_norm(&block.norm, writer)?;
    write_matmul(&block.inner, writer)?;
    write_matmul(&block.gate, writer)?;
    write_matmul(&block.output, writer)
}

fn rms_norm(tokens: &mut Tokens) -> Result<RmsNorm> {
    let name = tokens.name()?;
    let count = channels(tokens, "channels")?;
    Ok(RmsNorm {
        name,
        epsilon: small_epsilon(tokens)?,
        weights: tokens.floats(count)?,
    })
}

fn write_rms_norm(norm: &RmsNorm, writer: &mut Writer) -> Result<()> {
    writer.name(&norm.name)?;
    writer.word(norm.weights.len());
    writer.float(norm.epsilon);
    writer.floats(&norm.weights);
    Ok(())
}

fn small_epsilon(tokens: &mut Tokens) -> Result<f32> {
    tokens.number("epsilon", f32::MIN_POSITIVE, 1.0)
}

/// The RMS norm at the tip of a trunk of `width` channels, and its activation.
pub fn rms_norm_act(tokens: &mut Tokens, version: u32, width: usize) -> Result<RmsNormAct> {
    let name = tokens.name()?;
    same("trunk tip", channels(tokens, "channels")?, width)?;
    let epsilon = small_epsilon(tokens)?;
    let is_spatial = tokens.flag("spatial")?;
    let groups: usize = tokens.number("cgroup", 0, usize::MAX)?;
    ensure!(
        groups == 0,
        "cgroup is {groups}: norms of groups of channels are not known"
    );
    let weights = tokens.floats(width)?;
    Ok(RmsNormAct {
        norm: RmsNorm {
            name,
            epsilon,
            weights,
        },
        bias: tokens.floats(width)?,
        is_spatial,
        activation: activation(tokens, version)?,
    })
}

/// The RMS norm at the tip of a trunk, and its activation.
pub fn write_rms_norm_act(tip: &RmsNormAct, version: u32, writer: &mut Writer) -> Result<()> {
    writer.name(&tip.norm.name)?;
    writer.word(tip.norm.weights.len());
    writer.float(tip.norm.epsilon);
    writer.flag(tip.is_spatial);
    writer.word(0);
    writer.floats(&tip.norm.weights);
    writer.floats(&tip.bias);
    write_activation(tip.activation, version, writer)
}
