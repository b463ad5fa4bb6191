//! Leela Zero networks: a residual tower whose blocks end in an activation, for 19x19 boards only.
//!
//! Rows run from the top, as everywhere in keima; in the files they run from the bottom. All
//! activations are ReLU.

use super::{BatchNorm, Bias, Conv, DenseLayer, MatMul};

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
    /// Two channels, followed by `relu`.
    pub policy_conv: NormedConv,
    /// From `[channel][y][x]` to the logits `[y][x]` and that of the pass.
    pub policy: (MatMul, Bias),
    /// One channel, followed by `relu`.
    pub value_conv: NormedConv,
    /// From `[y][x]` to the hidden width.
    pub value_hidden: DenseLayer,
    /// To a value whose tanh is the win less loss probability.
    pub value: (MatMul, Bias),
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
        let convs = [&self.policy_conv, &self.value_conv];
        let normed = [&self.input]
            .into_iter()
            .chain(self.blocks.iter().flatten())
            .chain(convs);
        let mut found: Vec<&[f32]> = normed.flat_map(NormedConv::weights).collect();
        let hidden = &self.value_hidden;
        for (matmul, bias) in [
            (&self.policy.0, &self.policy.1),
            (&hidden.matmul, &hidden.bias),
            (&self.value.0, &self.value.1),
        ] {
            found.extend([matmul.weights.as_slice(), &bias.weights]);
        }
        found
    }
}

impl NormedConv {
    fn weights(&self) -> Vec<&[f32]> {
        let norm = &self.norm;
        let optional = norm.scale.iter().chain(&norm.bias).map(Vec::as_slice);
        let first = [self.conv.weights.as_slice(), &norm.mean, &norm.variance];
        first.into_iter().chain(optional).collect()
    }
}
