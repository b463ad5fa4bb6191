//! Leela Zero networks: a residual tower whose blocks end in an activation, for 19x19 boards only.
//!
//! Rows run from the top, as everywhere in keima; in the files they run from the bottom. All
//! activations are ReLU.

use super::{BatchNorm, Conv, FlatHeads};

/// The only board size.
pub const SIDE: usize = 19;
/// Own and opposing stones of eight positions, and the color to move.
pub const PLANES: usize = 18;

/// A Leela Zero network.
#[derive(Clone, Debug, PartialEq)]
pub struct LeelaNet {
    /// Whether its value is Black's instead of the player to move's (version 2 of the format).
    pub value_is_black: bool,
    /// `relu(conv)` of the planes.
    pub input: NormedConv,
    /// `relu(second(relu(first(trunk))) + trunk)` each.
    pub blocks: Vec<[NormedConv; 2]>,
    /// Two channels for the policy and one layer; one channel for the value and two layers.
    pub heads: FlatHeads,
}

/// A convolution and a batch norm without activation.
#[derive(Clone, Debug, PartialEq)]
pub struct NormedConv {
    pub conv: Conv,
    pub norm: BatchNorm,
}

impl LeelaNet {
    /// All tensors of weights, convolutions first.
    pub fn weights(&self) -> Vec<&[f32]> {
        let heads = [&self.heads.policy, &self.heads.value];
        let tower = [&self.input]
            .into_iter()
            .chain(self.blocks.iter().flatten())
            .map(|layer| (&layer.conv, &layer.norm));
        let convs = tower.chain(heads.map(|head| (&head.conv, &head.norm.norm)));
        let mut found: Vec<&[f32]> = convs.flat_map(|(conv, norm)| normed(conv, norm)).collect();
        for layer in heads.into_iter().flat_map(|head| &head.layers) {
            found.extend([layer.matmul.weights.as_slice(), &layer.bias.weights]);
        }
        found
    }
}

/// The weights of a convolution and of its norm.
fn normed<'a>(conv: &'a Conv, norm: &'a BatchNorm) -> Vec<&'a [f32]> {
    let optional = norm.scale.iter().chain(&norm.bias).map(Vec::as_slice);
    let first = [conv.weights.as_slice(), &norm.mean, &norm.variance];
    first.into_iter().chain(optional).collect()
}
