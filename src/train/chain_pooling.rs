//! Adding chain pooling to a network that has none.

use anyhow::{Context, Result, ensure};

use super::model::Model;
use crate::nn::arch::Arch;
use crate::nn::desc::{Block, Net};

/// A net of an architecture with chain pooling that gives the same outputs as a net of that
/// architecture without it: the new blocks add 0 at first, and read the trunk through the next
/// norm. With `symmetric`, the new blocks are equivariant under the board's symmetries.
pub fn add_chain_pooling(net: &Net, arch: &Arch, seed: u64, symmetric: bool) -> Result<Net> {
    let mut model = Model::init(arch, seed)?;
    if symmetric {
        model.make_symmetric()?;
    }
    let mut added = model.net();
    let differs = || format!("{} is not {} without chain pooling", net.name, arch.name);
    let mut old = net.trunk.blocks.iter().peekable();
    for block in &mut added.trunk.blocks {
        if let Block::ChainPooling(block) = block {
            let follows = old
                .peek()
                .map_or_else(|| net.trunk.tip.batch_norm(), |block| block.first_norm());
            block.pre = follows.with_context(differs)?.clone();
            block.conv_out.weights.fill(0.0);
        } else {
            let same = old.next().filter(|old| old.kind() == block.kind());
            *block = same.with_context(differs)?.clone();
        }
    }
    ensure!(old.next().is_none(), differs());
    added.version = net.version;
    added.multipliers = net.multipliers;
    added.trunk.initial_conv = net.trunk.initial_conv.clone();
    added.trunk.initial_global = net.trunk.initial_global.clone();
    added.trunk.tip = net.trunk.tip.clone();
    added.heads = net.heads.clone();
    added.check().with_context(differs)?;
    Ok(added)
}
