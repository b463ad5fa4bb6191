//! Deeper nets that begin as what a given net is: its blocks, and new ones that add nothing yet (Chen
//! et al. 2016, <https://arxiv.org/abs/1511.05641>).

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};

use crate::nn::arch::Arch;
use crate::nn::desc::{Activation, Net, Tip};

use super::model::Model;

/// Where the tensors of blocks are.
const BLOCKS: &str = "trunk.blocks.";
/// The last layers of residual blocks. What they give is added to the stack.
const LAST: [&str; 3] = ["conv_b.weight", "conv_out.weight", "output.weight"];

/// A net of an architecture that answers as one of fewer blocks does. Each block of that becomes the
/// next one that has the same layers; the last layers of the others, which are new, are zero, and what
/// else they have is random. It is an error if the nets differ in anything but the number of blocks.
pub fn grow(net: &Net, arch: &Arch, seed: u64) -> Result<Net> {
    let mut larger = Model::init(arch, seed)?.net();
    let net = Model::of(net.clone())?.net();
    let differ = || format!("{} does not grow out of {}", arch.name, net.name);
    ensure!(
        larger.version == net.version && activation(&larger) == activation(&net),
        differ()
    );
    let places = places(&blocks(&net), &blocks(&larger)).with_context(differ)?;
    let mut given = HashMap::new();
    for tensor in net.tensors() {
        let name = match block_of(&tensor.name) {
            Some((block, layer)) => format!("{BLOCKS}{}.{layer}", places[block]),
            None => tensor.name,
        };
        given.insert(name, (tensor.shape, tensor.weights));
    }
    for tensor in larger.tensors_mut() {
        let block = block_of(&tensor.name);
        match (given.remove(&tensor.name), block) {
            (Some((shape, weights)), _) if shape == tensor.shape => {
                tensor.weights.copy_from_slice(weights);
            }
            (None, Some((block, layer))) if !places.contains(&block) => {
                if LAST.contains(&layer) {
                    tensor.weights.fill(0.0);
                }
            }
            _ => bail!("{}: {} is of another size", differ(), tensor.name),
        }
    }
    larger.multipliers = net.multipliers;
    larger.pass_alive_under_suicide = net.pass_alive_under_suicide;
    Ok(larger)
}

/// That before the heads, which all layers of a net share.
fn activation(net: &Net) -> Activation {
    match &net.trunk.tip {
        Tip::Batch(tip) => tip.activation,
        Tip::Rms(tip) => tip.activation,
    }
}

/// The number of the block that a tensor is part of, and its name there.
fn block_of(tensor: &str) -> Option<(usize, &str)> {
    let (block, layer) = tensor.strip_prefix(BLOCKS)?.split_once('.')?;
    Some((block.parse().ok()?, layer))
}

/// The layers of each block: names and sides.
fn blocks(net: &Net) -> Vec<Vec<(String, Vec<usize>)>> {
    let mut blocks = vec![Vec::new(); net.trunk.blocks.len()];
    for tensor in net.tensors() {
        if let Some((block, layer)) = block_of(&tensor.name) {
            blocks[block].push((layer.to_owned(), tensor.shape));
        }
    }
    blocks
}

/// For each of some blocks the number of the first one after the last that is like it.
fn places<T: PartialEq>(blocks: &[T], among: &[T]) -> Option<Vec<usize>> {
    let mut rest = among.iter().enumerate();
    let place = |block| {
        rest.find(|(_, other)| *other == block)
            .map(|(place, _)| place)
    };
    blocks.iter().map(place).collect()
}
