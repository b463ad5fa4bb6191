//! Header, trunk and heads: the order of everything in a file.

use anyhow::{Result, ensure};

use super::super::desc::{
    Multipliers, Net, PassHead, PolicyHead, Tip, Trunk, ValueHead, input_version_of,
};
use super::blocks::{MAX_BLOCKS, Stack, blocks, same};
use super::layers::{activation, bias, channels, conv, matmul, norm_act};
use super::metadata::metadata_encoder;
use super::tokens::Tokens;
use super::transformer::rms_norm_act;

const OLDEST: u32 = 3;
const NEWEST: u32 = 17;
/// Longest name of a net.
const MAX_NAME: usize = 96;

/// The whole file.
pub fn net(tokens: &mut Tokens) -> Result<Net> {
    let name = net_name(tokens)?;
    let version = model_version(tokens)?;
    let (planes, globals) = input_version_of(version).channels();
    same("planes", channels(tokens, "numInputChannels")?, planes)?;
    same(
        "global inputs",
        channels(tokens, "numInputGlobalChannels")?,
        globals,
    )?;
    let multipliers = if version >= 13 {
        multipliers(tokens)?
    } else {
        Multipliers::DEFAULT
    };
    let flags = if version >= 15 {
        header_flags(tokens)?
    } else {
        HeaderFlags::default()
    };
    let trunk = trunk(tokens, version, flags.has_metadata_encoder)?;
    let width = trunk.initial_conv.outputs;
    let policy_head = policy_head(tokens, version, width)?;
    let value_head = value_head(tokens, version, width)?;
    Ok(Net {
        name,
        version,
        multipliers,
        pass_alive_under_suicide: flags.pass_alive_under_suicide,
        trunk,
        policy_head,
        value_head,
    })
}

fn net_name(tokens: &mut Tokens) -> Result<String> {
    let name = tokens.name()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    ensure!(
        name.len() <= MAX_NAME && name.bytes().all(plain),
        "not the name of a network"
    );
    Ok(name)
}

fn model_version(tokens: &mut Tokens) -> Result<u32> {
    let version = tokens.number("the model version", 0, u32::MAX)?;
    ensure!(
        version <= NEWEST,
        "model version {version} is newer than {NEWEST}, the newest known"
    );
    ensure!(
        version >= OLDEST,
        "model version {version} is older than {OLDEST}, the oldest known"
    );
    Ok(version)
}

fn multipliers(tokens: &mut Tokens) -> Result<Multipliers> {
    Ok(Multipliers {
        td_score: tokens.positive("tdScore multiplier")?,
        score_mean: tokens.positive("scoreMean multiplier")?,
        score_stdev: tokens.positive("scoreStdev multiplier")?,
        lead: tokens.positive("lead multiplier")?,
        variance_time: tokens.positive("varianceTime multiplier")?,
        shortterm_value_error: tokens.positive("shorttermValueError multiplier")?,
        shortterm_score_error: tokens.positive("shorttermScoreError multiplier")?,
    })
}

#[derive(Default)]
struct HeaderFlags {
    has_metadata_encoder: bool,
    pass_alive_under_suicide: bool,
}

/// From version 15.
fn header_flags(tokens: &mut Tokens) -> Result<HeaderFlags> {
    let flags = HeaderFlags {
        has_metadata_encoder: tokens.flag("metaEncoderVersion")?,
        pass_alive_under_suicide: tokens.flag("preferPassAliveUnderSuicide")?,
    };
    tokens.reserved(6)?;
    Ok(flags)
}

fn trunk(tokens: &mut Tokens, version: u32, has_metadata_encoder: bool) -> Result<Trunk> {
    tokens.name()?;
    let count = tokens.number("numBlocks", 1, MAX_BLOCKS)?;
    let width = channels(tokens, "trunk channels")?;
    for what in ["mid channels", "regular channels"] {
        channels(tokens, what)?;
    }
    tokens.number("dilated channels", 0, usize::MAX)?;
    channels(tokens, "gpool channels")?;
    let tip_is_rms = version >= 15 && trunk_flags(tokens)?;
    let (planes, globals) = input_version_of(version).channels();
    let initial_conv = conv(tokens)?;
    let initial_global = matmul(tokens)?;
    same("planes", initial_conv.inputs, planes)?;
    same("trunk", initial_conv.outputs, width)?;
    same("global inputs", initial_global.inputs, globals)?;
    same("trunk", initial_global.outputs, width)?;
    let metadata_encoder = has_metadata_encoder
        .then(|| metadata_encoder(tokens, version, width))
        .transpose()?;
    let blocks = blocks(
        tokens,
        count,
        Stack {
            version,
            width,
            depth: 0,
        },
    )?;
    let tip = if tip_is_rms {
        Tip::Rms(rms_norm_act(tokens, version, width)?)
    } else {
        Tip::Batch(norm_act(tokens, version)?)
    };
    if let Tip::Batch(tip) = &tip {
        same("trunk tip", tip.norm.channels(), width)?;
    }
    Ok(Trunk {
        initial_conv,
        initial_global,
        metadata_encoder,
        blocks,
        tip,
    })
}

/// From version 15; the answer is whether the tip is an RMS norm.
fn trunk_flags(tokens: &mut Tokens) -> Result<bool> {
    let tip_is_rms = tokens.flag("trunkNormKind")?;
    tokens.reserved(5)?;
    Ok(tip_is_rms)
}

fn policy_head(tokens: &mut Tokens, version: u32, width: usize) -> Result<PolicyHead> {
    tokens.name()?;
    let policy_channels = policy_channels(tokens, version)?;
    let head_conv = conv(tokens)?;
    let pool_conv = conv(tokens)?;
    let pool_norm = norm_act(tokens, version)?;
    let pool_matmul = matmul(tokens)?;
    let norm = norm_act(tokens, version)?;
    let conv_out = conv(tokens)?;
    let pass = pass_head(tokens, version)?;
    let head = PolicyHead {
        conv: head_conv,
        pool_conv,
        pool_norm,
        pool_matmul,
        norm,
        conv_out,
        pass,
    };
    check_policy_head(&head, width, policy_channels)?;
    Ok(head)
}

fn policy_channels(tokens: &mut Tokens, version: u32) -> Result<usize> {
    Ok(match version {
        ..12 => 1,
        12..16 => 2,
        16 => 4,
        _ => {
            let channels = tokens.number("policy channels", 1, usize::MAX)?;
            ensure!(
                matches!(channels, 2 | 4),
                "policy channels are {channels}, not 2 or 4"
            );
            tokens.reserved(3)?;
            channels
        }
    })
}

fn pass_head(tokens: &mut Tokens, version: u32) -> Result<PassHead> {
    let first = matmul(tokens)?;
    if version < 15 {
        return Ok(PassHead::Linear(first));
    }
    let bias = bias(tokens)?;
    let activation = activation(tokens, version)?;
    let output = matmul(tokens)?;
    Ok(PassHead::Hidden {
        hidden: first,
        bias,
        activation,
        output,
    })
}

fn check_policy_head(head: &PolicyHead, width: usize, policy_channels: usize) -> Result<()> {
    let own = head.conv.outputs;
    let pooled = 3 * head.pool_conv.outputs;
    same("policy head", head.conv.inputs, width)?;
    same("pooled convolution", head.pool_conv.inputs, width)?;
    same(
        "pooled norm",
        head.pool_norm.norm.channels(),
        head.pool_conv.outputs,
    )?;
    same("pooling matrix", head.pool_matmul.inputs, pooled)?;
    same("pooling matrix's output", head.pool_matmul.outputs, own)?;
    same("policy norm", head.norm.norm.channels(), own)?;
    same("policy output", head.conv_out.inputs, own)?;
    same("policy logits", head.conv_out.outputs, policy_channels)?;
    match &head.pass {
        PassHead::Linear(matmul) => {
            same("pass", matmul.inputs, pooled)?;
            same("pass logits", matmul.outputs, policy_channels)
        }
        PassHead::Hidden {
            hidden,
            bias,
            output,
            ..
        } => {
            same("pass", hidden.inputs, pooled)?;
            same("pass's hidden layer", hidden.outputs, own)?;
            same("pass's bias", bias.weights.len(), own)?;
            same("pass's output", output.inputs, own)?;
            same("pass logits", output.outputs, policy_channels)
        }
    }
}

fn value_head(tokens: &mut Tokens, version: u32, width: usize) -> Result<ValueHead> {
    tokens.name()?;
    if version >= 17 {
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
    check_value_head(&head, width, score_outputs(version))?;
    Ok(head)
}

fn score_outputs(version: u32) -> usize {
    match version {
        ..=3 => 1,
        4..=7 => 2,
        8 => 4,
        _ => 6,
    }
}

fn check_value_head(head: &ValueHead, width: usize, scores: usize) -> Result<()> {
    let own = head.conv.outputs;
    let hidden = head.hidden.outputs;
    same("value head", head.conv.inputs, width)?;
    same("value norm", head.norm.norm.channels(), own)?;
    same("value head's hidden layer", head.hidden.inputs, 3 * own)?;
    same(
        "value head's hidden bias",
        head.hidden_bias.weights.len(),
        hidden,
    )?;
    same("value", head.value.inputs, hidden)?;
    same("value logits", head.value.outputs, 3)?;
    same("value bias", head.value_bias.weights.len(), 3)?;
    same("score", head.score.inputs, hidden)?;
    same("score outputs", head.score.outputs, scores)?;
    same("score bias", head.score_bias.weights.len(), scores)?;
    same("ownership", head.ownership.inputs, own)?;
    same("ownership output", head.ownership.outputs, 1)
}
