//! Growing a network by blocks.

use anyhow::{Context, Result, ensure};

use super::model::{Model, last_weights};
use crate::nn::arch::Arch;
use crate::nn::desc::Net;

/// A net of an architecture that has the blocks of `net` in order, each as early as its kind occurs, and more
/// between them. Outputs stay the same: new blocks add 0 at first, and read the trunk through the next norm. With
/// `symmetric`, new blocks are equivariant under the board's symmetries. It is an error if the architecture
/// lacks a block or has other widths.
pub fn add_blocks(net: &Net, arch: &Arch, seed: u64, symmetric: bool) -> Result<Net> {
    let mut model = Model::init(arch, seed)?;
    if symmetric {
        model.make_symmetric()?;
    }
    let mut grown = model.net();
    let differs = || {
        format!(
            "{} is not {} without some of its blocks",
            net.name, arch.name
        )
    };
    let mut old = net.trunk.blocks.iter().peekable();
    for block in &mut grown.trunk.blocks {
        if let Some(same) = old.next_if(|old| old.kind() == block.kind()) {
            *block = same.clone();
            continue;
        }
        let next = old
            .peek()
            .map_or_else(|| net.trunk.tip.batch_norm(), |block| block.first_norm());
        if let Some(norm) = block.first_norm_mut() {
            *norm = next.with_context(differs)?.clone();
        }
        last_weights(block).with_context(differs)?.fill(0.0);
    }
    ensure!(old.next().is_none(), differs());
    grown.version = net.version;
    grown.multipliers = net.multipliers;
    grown.trunk.initial_conv = net.trunk.initial_conv.clone();
    grown.trunk.initial_global = net.trunk.initial_global.clone();
    grown.trunk.tip = net.trunk.tip.clone();
    grown.heads = net.heads.clone();
    grown.check().with_context(differs)?;
    Ok(grown)
}
