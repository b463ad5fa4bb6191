//! Records of transformer blocks and of RMS norms. They are the same in all model versions.

use anyhow::{Result, ensure};

use super::super::desc::{AttentionBlock, FeedForwardBlock, RmsNorm, RmsNormAct, Rope};
use super::blocks::same;
use super::layers::{activation, channels, matmul};
use super::tokens::Tokens;

/// An attention block on a stack of `width` channels, after its name.
pub fn attention(tokens: &mut Tokens, width: usize) -> Result<AttentionBlock> {
    let heads = channels(tokens, "nHeads")?;
    let kv_heads = channels(tokens, "nKV")?;
    ensure!(
        heads.is_multiple_of(kv_heads),
        "nHeads is {heads}, should be a multiple of nKV, {kv_heads}"
    );
    let key_width = channels(tokens, "qDim")?;
    let value_width = channels(tokens, "vDim")?;
    let use_rope = tokens.flag("useRope")?;
    let learn_rope = tokens.flag("learnRope")?;
    let block = AttentionBlock {
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
    };
    check_attention(&block, width)?;
    Ok(block)
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

fn check_attention(block: &AttentionBlock, width: usize) -> Result<()> {
    ensure!(
        block.rope.is_none() || block.key_width.is_multiple_of(2),
        "qDim is {}, should be even with useRope",
        block.key_width
    );
    same("norm", block.norm.weights.len(), width)?;
    let (keys, values) = (block.key_width, block.value_width);
    for (what, matmul, inputs, outputs) in [
        ("queries", &block.query, width, block.heads * keys),
        ("keys", &block.key, width, block.kv_heads * keys),
        ("values", &block.value, width, block.kv_heads * values),
        (
            "attention's output",
            &block.output,
            block.heads * values,
            width,
        ),
    ] {
        same(what, matmul.inputs, inputs)?;
        same(what, matmul.outputs, outputs)?;
    }
    Ok(())
}

/// A feed-forward block on a stack of `width` channels, after its name.
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
    same("norm", block.norm.weights.len(), width)?;
    for (what, matmul, inputs, outputs) in [
        ("inner layer", &block.inner, width, hidden),
        ("gate", &block.gate, width, hidden),
        ("feed-forward output", &block.output, hidden, width),
    ] {
        same(what, matmul.inputs, inputs)?;
        same(what, matmul.outputs, outputs)?;
    }
    Ok(block)
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
