//! Deeper and wider nets that begin as what a given net is: its blocks and channels, and new ones that
//! change nothing yet (Chen et al. 2016, <https://arxiv.org/abs/1511.05641>).

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};

use crate::nn::arch::Arch;
use crate::nn::desc::{Activation, Block, Net, Tensor, TensorMut, Tip};

use super::model::Model;
use super::pool::FIGURES;

/// Where the tensors of blocks are.
const BLOCKS: &str = "trunk.blocks.";
/// The last layers of residual blocks. What they give is added to the stack.
const LAST: [&str; 3] = ["conv_b.weight", "conv_out.weight", "output.weight"];

/// What reads [`FIGURES`] of all channels.
const POOLED: [&str; 4] = [
    "pool_matmul.weight",
    "policy_head.pass.weight",
    "policy_head.pass.hidden.weight",
    "value_head.hidden.weight",
];

/// A net of an architecture that answers as one of fewer blocks or narrower layers does. Each block of
/// that becomes the next one that has the same layers; the last layers of the others, which are new,
/// are zero, and what else they have is random. Channels keep their numbers; new ones hold what
/// random weights make of all others, and none of the old ones looks at them yet. It is an error if the
/// nets differ in anything else, or if blocks that look at the mean square of all channels should
/// become wider. One that is to be symmetric grows out of such a one.
pub fn grow(net: &Net, arch: &Arch, seed: u64, symmetric: bool) -> Result<Net> {
    let mut larger = Model::init(arch, seed)?;
    if symmetric {
        larger.make_symmetric()?;
    }
    let mut larger = larger.net();
    let net = Model::of(net.clone())?.net();
    let differ = || format!("{} does not grow out of {}", arch.name, net.name);
    ensure!(
        larger.version == net.version && activation(&larger) == activation(&net),
        differ()
    );
    let is_wider = larger.trunk.initial_conv.outputs != net.trunk.initial_conv.outputs;
    ensure!(
        !is_wider || !has_mean_squares(&larger),
        "{}: only blocks of convolutions become wider",
        differ()
    );
    let places = places(&blocks(&net), &blocks(&larger)).with_context(differ)?;
    let mut given = HashMap::new();
    for tensor in net.tensors() {
        let name = match block_of(&tensor.name) {
            Some((block, layer)) => format!("{BLOCKS}{}.{layer}", places[block]),
            None => tensor.name.clone(),
        };
        given.insert(name, tensor);
    }
    for tensor in larger.tensors_mut() {
        match (given.remove(&tensor.name), block_of(&tensor.name)) {
            (Some(small), _) => embed(&small, tensor).with_context(differ)?,
            (None, Some((block, layer))) if !places.contains(&block) => {
                if LAST.contains(&layer) {
                    tensor.weights.fill(0.0);
                }
            }
            _ => bail!("{}: it has no {}", differ(), tensor.name),
        }
    }
    larger.multipliers = net.multipliers;
    larger.pass_alive_under_suicide = net.pass_alive_under_suicide;
    Ok(larger)
}

/// Whether some layer looks at all channels of a point to know how large they are.
fn has_mean_squares(net: &Net) -> bool {
    let mut blocks = net.trunk.blocks.iter();
    let of_transformer =
        |block: &Block| matches!(block, Block::Attention(_) | Block::FeedForward(_));
    matches!(net.trunk.tip, Tip::Rms(_)) || blocks.any(of_transformer)
}

/// Makes a tensor, `[.., in, out]` or `[out]`, do what a smaller one does: its first outputs read the
/// first inputs alone.
fn embed(small: &Tensor, large: TensorMut) -> Result<()> {
    let sides = |shape: &[usize]| match *shape {
        [ref kernel @ .., inputs, outputs] => (kernel.to_vec(), inputs, outputs),
        _ => (Vec::new(), 1, shape[0]),
    };
    let (kernel, inputs, outputs) = sides(&small.shape);
    let (large_kernel, large_inputs, large_outputs) = sides(&large.shape);
    ensure!(
        kernel == large_kernel && inputs <= large_inputs && outputs <= large_outputs,
        "{} is of another size",
        small.name
    );
    let parts = match POOLED.iter().any(|end| small.name.ends_with(end)) {
        true => FIGURES,
        false => 1,
    };
    let (channels, large_channels) = (inputs / parts, large_inputs / parts);
    for (row, weights) in large.weights.chunks_mut(large_outputs).enumerate() {
        let (place, input) = (row / large_inputs, row % large_inputs);
        let (part, channel) = (input / large_channels, input % large_channels);
        let read = &mut weights[..outputs];
        if channel < channels {
            let row = place * inputs + part * channels + channel;
            read.copy_from_slice(&small.weights[row * outputs..][..outputs]);
        } else {
            read.fill(0.0);
        }
    }
    Ok(())
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

/// The layers of each block: names and numbers of sides.
fn blocks(net: &Net) -> Vec<Vec<(String, usize)>> {
    let mut blocks = vec![Vec::new(); net.trunk.blocks.len()];
    for tensor in net.tensors() {
        if let Some((block, layer)) = block_of(&tensor.name) {
            blocks[block].push((layer.to_owned(), tensor.shape.len()));
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
