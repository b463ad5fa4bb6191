//! The two heads. `width` is the trunk's.

use anyhow::{Result, bail, ensure};

use super::super::desc::check::same;
use super::super::desc::{PassHead, PolicyHead, ValueHead};
use super::layers::{
    activation, bias, conv, matmul, norm_act, write_activation, write_bias, write_conv,
    write_matmul, write_norm_act,
};
use super::tokens::Tokens;
use super::writer::Writer;

/// The first version with a hidden layer before the logits of a pass.
const HIDDEN_PASS: u32 = 15;
/// The first version with reserved fields, and the number of policy channels, in the heads.
const HEAD_FIELDS: u32 = 17;

/// The policy head.
pub fn policy_head(tokens: &mut Tokens, version: u32, width: usize) -> Result<PolicyHead> {
    tokens.name()?;
    let stated_channels = (version >= HEAD_FIELDS)
        .then(|| policy_channels(tokens))
        .transpose()?;
    let head = PolicyHead {
        conv: conv(tokens)?,
        pool_conv: conv(tokens)?,
        pool_norm: norm_act(tokens, version)?,
        pool_matmul: matmul(tokens)?,
        norm: norm_act(tokens, version)?,
        conv_out: conv(tokens)?,
        pass: pass_head(tokens, version)?,
    };
    let logits = head.conv_out.outputs;
    same("policy logits", logits, stated_channels.unwrap_or(logits))?;
    head.check(version, width)?;
    Ok(head)
}

/// The policy head.
pub fn write_policy_head(head: &PolicyHead, version: u32, writer: &mut Writer) -> Result<()> {
    writer.name("policyhead")?;
    if version >= HEAD_FIELDS {
        writer.word(head.conv_out.outputs);
        writer.reserved(3);
    }
    write_conv(&head.conv, writer)?;
    write_conv(&head.pool_conv, writer)?;
    write_norm_act(&head.pool_norm, version, writer)?;
    write_matmul(&head.pool_matmul, writer)?;
    write_norm_act(&head.norm, version, writer)?;
    write_conv(&head.conv_out, writer)?;
    write_pass_head(&head.pass, version, writer)
}

fn policy_channels(tokens: &mut Tokens) -> Result<usize> {
    let channels = tokens.number("policy channels", 1, usize::MAX)?;
    ensure!(
        matches!(channels, 2 | 4),
        "policy channels are {channels}, not 2 or 4"
    );
    tokens.reserved(3)?;
    Ok(channels)
}

fn pass_head(tokens: &mut Tokens, version: u32) -> Result<PassHead> {
    let first = matmul(tokens)?;
    if version < HIDDEN_PASS {
        return Ok(PassHead::Linear(first));
    }
    Ok(PassHead::Hidden {
        hidden: first,
        bias: bias(tokens)?,
        activation: activation(tokens, version)?,
        output: matmul(tokens)?,
    })
}

fn write_pass_head(head: &PassHead, version: u32, writer: &mut Writer) -> Result<()> {
    match head {
        PassHead::Linear(matmul) if version < HIDDEN_PASS => write_matmul(matmul, writer),
        PassHead::Hidden {
            hidden,
            bias,
            activation,
            output,
        } if version >= HIDDEN_PASS => {
            write_matmul(hidden, writer)?;
            write_bias(bias, writer)?;
            write_activation(*activation, version, writer)?;
            write_matmul(output, writer)
        }
        PassHead::Linear(_) => {
            bail!("pass: files of version {version} need a hidden layer before its logits")
        }
        PassHead::Hidden { .. } => {
            bail!("pass: files of version {version} have no hidden layer before its logits")
        }
    }
}

/// The value head.
pub fn value_head(tokens: &mut Tokens, version: u32, width: usize) -> Result<ValueHead> {
    tokens.name()?;
    if version >= HEAD_FIELDS {
        tokens.reserved(3)?;
    }
    let head = ValueHead {
        conv: conv(tokens)?,
        norm: norm_act(tokens, version)?,
        hidden: matmul(tokens)?,
        hidden_bias: bias(tokens)?,
        hidden_activation: activation(tokens, version)?,
        value: matmul(tokens)?,
        value_bias: bias(tokens)?,
        score: matmul(tokens)?,
        score_bias: bias(tokens)?,
        ownership: conv(tokens)?,
    };
    head.check(version, width)?;
    Ok(head)
}

/// The value head.
pub fn write_value_head(head: &ValueHead, version: u32, writer: &mut Writer) -> Result<()> {
    writer.name("valuehead")?;
    if version >= HEAD_FIELDS {
        writer.reserved(3);
    }
    write_conv(&head.conv, writer)?;
    write_norm_act(&head.norm, version, writer)?;
    write_matmul(&head.hidden, writer)?;
    write_bias(&head.hidden_bias, writer)?;
    write_activation(head.hidden_activation, version, writer)?;
    write_matmul(&head.value, writer)?;
    write_bias(&head.value_bias, writer)?;
    write_matmul(&head.score, writer)?;
    write_bias(&head.score_bias, writer)?;
    write_conv(&head.ownership, writer)
}
