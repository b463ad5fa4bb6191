//! Header and trunk, and the order of everything in a file.

use anyhow::{Context, Result, ensure};

use super::super::desc::check::{MAX_BLOCKS, check_name, check_version, same};
use super::super::desc::{
    Block, Heads, Multipliers, Net, PooledHeads, Tip, Trunk, input_version_of,
};
use super::blocks::{Stack, blocks, write_blocks};
use super::heads::{policy_head, value_head, write_policy_head, write_value_head};
use super::layers::{channels, conv, matmul, norm_act, write_conv, write_matmul, write_norm_act};
use super::metadata::{metadata_encoder, write_metadata_encoder};
use super::tokens::Tokens;
use super::transformer::{rms_norm_act, write_rms_norm_act};
use super::writer::Writer;

/// The first version whose files have multipliers.
const STATED_MULTIPLIERS: u32 = 13;
/// The first version with flags and reserved fields in the header and the trunk.
const FLAGS: u32 = 15;

/// The reason why `seed-9x9` cannot be written.
const NO_GLOBALS: &str = "KataGo's files have no place for nets like seed-9x9, which read planes \
                          of their own and no global inputs: only a checkpoint (.safetensors) can \
                          hold it";

/// Reads the whole file.
pub fn net(tokens: &mut Tokens) -> Result<Net> {
    let name = tokens.name()?;
    check_name(&name)?;
    let version = tokens.number("the model version", 0, u32::MAX)?;
    check_version(version)?;
    let (planes, globals) = input_version_of(version).channels();
    same("planes", channels(tokens, "numInputChannels")?, planes)?;
    let found_globals = channels(tokens, "numInputGlobalChannels")?;
    same("global inputs", found_globals, globals)?;
    let multipliers = if version >= STATED_MULTIPLIERS {
        multipliers(tokens)?
    } else {
        Multipliers::DEFAULT
    };
    let flags = if version >= FLAGS {
        header_flags(tokens)?
    } else {
        HeaderFlags::default()
    };
    let trunk = trunk(tokens, version, flags.has_metadata_encoder)?;
    let width = trunk.initial_conv.outputs;
    Ok(Net {
        name,
        version,
        multipliers,
        pass_alive_under_suicide: flags.pass_alive_under_suicide,
        game_inputs: None,
        trunk,
        heads: Heads::Pooled(Box::new(PooledHeads {
            policy: policy_head(tokens, version, width)?,
            value: value_head(tokens, version, width)?,
        })),
    })
}

/// Writes the whole file.
pub fn write_net(net: &Net, writer: &mut Writer) -> Result<()> {
    let version = net.version;
    ensure!(
        net.game_inputs.is_none(),
        "KataGo's files are for Go: only a checkpoint (.safetensors) can hold a network for \
         another game"
    );
    ensure!(net.trunk.initial_global.is_some(), NO_GLOBALS);
    let heads = net.heads.pooled().context(NO_GLOBALS)?;
    writer.name(&net.name)?;
    writer.word(version);
    let (planes, globals) = input_version_of(version).channels();
    [planes, globals]
        .iter()
        .for_each(|count| writer.word(count));
    write_multipliers(&net.multipliers, version, writer)?;
    write_header_flags(net, writer)?;
    write_trunk(&net.trunk, version, writer)?;
    write_policy_head(&heads.policy, version, writer)?;
    write_value_head(&heads.value, version, writer)
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

fn write_multipliers(own: &Multipliers, version: u32, writer: &mut Writer) -> Result<()> {
    if version >= STATED_MULTIPLIERS {
        own.named()
            .iter()
            .for_each(|(_, factor)| writer.float(*factor));
        return Ok(());
    }
    for ((what, factor), (_, default)) in own.named().into_iter().zip(Multipliers::DEFAULT.named())
    {
        ensure!(
            factor == default,
            "{what} multiplier is {factor}; files of version {version} assume {default}"
        );
    }
    Ok(())
}

#[derive(Default)]
struct HeaderFlags {
    has_metadata_encoder: bool,
    pass_alive_under_suicide: bool,
}

fn header_flags(tokens: &mut Tokens) -> Result<HeaderFlags> {
    let flags = HeaderFlags {
        has_metadata_encoder: tokens.flag("metaEncoderVersion")?,
        pass_alive_under_suicide: tokens.flag("preferPassAliveUnderSuicide")?,
    };
    tokens.reserved(6)?;
    Ok(flags)
}

fn write_header_flags(net: &Net, writer: &mut Writer) -> Result<()> {
    let flags = [net.wants_metadata(), net.pass_alive_under_suicide];
    if net.version >= FLAGS {
        flags.iter().for_each(|flag| writer.flag(*flag));
        writer.reserved(6);
        return Ok(());
    }
    for (what, flag) in ["metadata encoder", "preferPassAliveUnderSuicide"]
        .into_iter()
        .zip(flags)
    {
        ensure!(!flag, "files of version {} have no {what}", net.version);
    }
    Ok(())
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
    let tip_is_rms = version >= FLAGS && trunk_flags(tokens)?;
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
    let stack = Stack {
        version,
        width,
        depth: 0,
    };
    let blocks = blocks(tokens, count, stack)?;
    let tip = if tip_is_rms {
        Tip::Rms(rms_norm_act(tokens, version, width)?)
    } else {
        Tip::Batch(norm_act(tokens, version)?)
    };
    tip.check(width)?;
    Ok(Trunk {
        initial_conv,
        initial_global: Some(initial_global),
        metadata_encoder,
        blocks,
        tip,
    })
}

fn write_trunk(trunk: &Trunk, version: u32, writer: &mut Writer) -> Result<()> {
    writer.name("trunk")?;
    writer.word(trunk.blocks.len());
    widths(trunk).iter().for_each(|width| writer.word(width));
    let tip_is_rms = matches!(trunk.tip, Tip::Rms(_));
    if version >= FLAGS {
        writer.flag(tip_is_rms);
        writer.reserved(5);
    }
    ensure!(
        version >= FLAGS || !tip_is_rms,
        "trunk tip: files of version {version} have no RMS norm there"
    );
    write_conv(&trunk.initial_conv, writer)?;
    let global = trunk.initial_global.as_ref();
    write_matmul(global.context(NO_GLOBALS)?, writer)?;
    if let Some(encoder) = &trunk.metadata_encoder {
        write_metadata_encoder(encoder, version, writer)?;
    }
    write_blocks(&trunk.blocks, "block", version, writer)?;
    match &trunk.tip {
        Tip::Batch(tip) => write_norm_act(tip, version, writer),
        Tip::Rms(tip) => write_rms_norm_act(tip, version, writer),
    }
}

/// Returns whether the tip is an RMS norm.
fn trunk_flags(tokens: &mut Tokens) -> Result<bool> {
    let tip_is_rms = tokens.flag("trunkNormKind")?;
    tokens.reserved(5)?;
    Ok(tip_is_rms)
}

/// Widths of the trunk, the middle of blocks, the regular, dilated and pooled part of global
/// pooling. Readers use only the first; the others must be above 0.
fn widths(trunk: &Trunk) -> [usize; 5] {
    let width = trunk.initial_conv.outputs;
    let all = trunk
        .blocks
        .iter()
        .flat_map(|block| block.inner().iter().chain([block]));
    let (mut mid, mut regular, mut pooled) = (width, width, width);
    for block in all {
        match block {
            Block::Ordinary(block) => mid = block.conv_a.outputs,
            Block::NestedBottleneck(block) => mid = block.conv_in.outputs,
            Block::GlobalPooling(block) => {
                (regular, pooled) = (block.conv_a.outputs, block.pool_conv.outputs);
            }
            Block::Attention(_)
            | Block::FeedForward(_)
            | Block::Plain(_)
            | Block::ChainPooling(_) => (),
        }
    }
    [width, mid, regular, pooled, pooled]
}
