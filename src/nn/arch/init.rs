//! Random initial weights that preserve the variance of signals.
//!
//! Weights are normal with variance `gain^2 / inputs` (He et al. 2015,
//! <https://arxiv.org/abs/1502.01852>); norms begin as the identity. The last convolution of each
//! residual block is scaled by one over the root of the number of blocks, so that all blocks
//! together add as much variance as the trunk had at first. Where two branches are added, and
//! before the outputs, weights are scaled as in KataGo's training.

use super::super::desc::check::score_outputs;
use super::super::desc::{
    Activation, Block, DenseLayer, FlatHead, FlatHeads, Heads, Multipliers, NestedBottleneckBlock,
    Net, PassHead, PolicyHead, PooledHeads, Tip, Trunk, ValueHead,
};
use super::random::{MAIN_SCALE, Random, SIDE_SCALE};
use super::{Arch, BlockKind, FLAT_AREA, FlatWidths};

/// Scale of the outputs: a new net should not be certain of anything.
const POLICY_SCALE: f64 = 0.2;
const VALUE_SCALE: f64 = 0.7;
const OWNERSHIP_SCALE: f64 = 0.15;
/// Number of blocks inside a nested bottleneck.
const INNER_BLOCKS: usize = 2;
/// Header values of newer KataGo nets.
const SHORTTERM_SCORE_ERROR: f32 = 150.0;

impl Arch {
    /// A net with random weights, reproducible by the seed. Panics if as many channels are pooled
    /// as there are; other inconsistencies are found by [`Net::check`].
    pub fn init(&self, seed: u64) -> Net {
        let mut random = Random::new(seed, self.activation);
        let mut multipliers = Multipliers::DEFAULT;
        if self.version >= 13 {
            multipliers.shortterm_score_error = SHORTTERM_SCORE_ERROR;
        }
        Net {
            name: self.name.clone(),
            version: self.version,
            multipliers,
            pass_alive_under_suicide: false,
            game_inputs: self.game_inputs.clone(),
            trunk: self.trunk(&mut random),
            heads: self.heads(&mut random),
        }
    }

    fn trunk(&self, random: &mut Random) -> Trunk {
        let (planes, globals) = self.inputs.channels();
        let (stem, width) = (self.stem_side, self.channels);
        let scale = residual_scale(self.blocks.len());
        let initial_scale = match globals {
            0 => 1.0,
            _ => MAIN_SCALE,
        };
        Trunk {
            initial_conv: random.conv("trunk.initial_conv", stem, (planes, width), initial_scale),
            initial_global: (globals > 0)
                .then(|| random.matmul("trunk.initial_global", (globals, width), SIDE_SCALE)),
            metadata_encoder: None,
            blocks: (0..)
                .zip(&self.blocks)
                .map(|(index, kind)| {
                    self.block(random, &format!("trunk.blocks.{index}"), *kind, scale)
                })
                .collect(),
            tip: Tip::Batch(random.norm("trunk.tip", self.tip_channels())),
        }
    }

    /// Channels at the end of the trunk.
    fn tip_channels(&self) -> usize {
        let blocks = self.blocks.iter();
        blocks.fold(self.channels, |channels, block| block.outputs(channels))
    }

    fn block(&self, random: &mut Random, name: &str, kind: BlockKind, scale: f64) -> Block {
        let (width, mid) = (self.channels, self.mid_channels);
        match kind {
            BlockKind::Ordinary => random.ordinary(name, width, mid, scale),
            BlockKind::GlobalPooling => {
                random.global_pooling(name, width, (mid, self.pool_channels), scale)
            }
            BlockKind::NestedBottleneck => self.nested_block(random, name, false, scale),
            BlockKind::NestedGlobalPooling => self.nested_block(random, name, true, scale),
            BlockKind::Plain(shape) => random.plain(name, shape),
            BlockKind::Attention => random.attention(name, width, scale),
            BlockKind::FeedForward => random.feed_forward(name, width, scale),
            BlockKind::ChainPooling => random.chain_pooling(name, width, self.pool_channels, scale),
        }
    }

    fn nested_block(
        &self,
        random: &mut Random,
        name: &str,
        with_pooling: bool,
        scale: f64,
    ) -> Block {
        let (width, mid) = (self.channels, self.mid_channels);
        let inner_scale = residual_scale(INNER_BLOCKS);
        let inner = |random: &mut Random, index: usize| {
            let name = format!("{name}.blocks.{index}");
            if with_pooling && index == 0 {
                random.global_pooling(&name, mid, (mid, self.pool_channels), inner_scale)
            } else {
                random.ordinary(&name, mid, mid, inner_scale)
            }
        };
        Block::NestedBottleneck(Box::new(NestedBottleneckBlock {
            pre: random.norm(&format!("{name}.pre"), width),
            conv_in: random.conv(&format!("{name}.conv_in"), 1, (width, mid), 1.0),
            blocks: (0..INNER_BLOCKS)
                .map(|index| inner(random, index))
                .collect(),
            post: random.norm(&format!("{name}.post"), mid),
            conv_out: random.conv(&format!("{name}.conv_out"), 1, (mid, width), scale),
        }))
    }

    fn heads(&self, random: &mut Random) -> Heads {
        match &self.flat_heads {
            None => Heads::Pooled(Box::new(PooledHeads {
                policy: self.policy_head(random),
                value: self.value_head(random),
            })),
            Some(FlatWidths { policy, value }) => Heads::Flat(Box::new(FlatHeads {
                policy: self.flat_head(random, "policy", policy, POLICY_SCALE),
                value: self.flat_head(random, "value", value, VALUE_SCALE),
            })),
        }
    }

    /// Channels of the convolution, and outputs of each layer.
    fn flat_head(&self, random: &mut Random, head: &str, widths: &[usize], scale: f64) -> FlatHead {
        let name = |layer: &str| format!("flat_heads.{head}.{layer}");
        let (own, outputs) = (widths[0], &widths[1..]);
        let mut inputs = own * FLAT_AREA;
        let layer = |(index, &outputs): (usize, &usize)| {
            let is_last = index + 2 == widths.len();
            let scale = if is_last { scale } else { 1.0 };
            let at = |part: &str| name(&format!("layers.{index}.{part}"));
            let matmul = random.matmul(&at("matmul"), (inputs, outputs), scale);
            inputs = outputs;
            DenseLayer {
                matmul,
                bias: random.bias(&at("bias"), outputs),
                activation: match is_last {
                    true => Activation::Identity,
                    false => self.activation,
                },
            }
        };
        let layers = outputs.iter().enumerate().map(layer).collect();
        FlatHead {
            conv: random.conv(&name("conv"), 1, (self.tip_channels(), own), 1.0),
            norm: random.norm(&name("norm"), own),
            layers,
        }
    }

    fn policy_head(&self, random: &mut Random) -> PolicyHead {
        let (width, own) = (self.tip_channels(), self.heads.policy);
        let logits = if self.version >= 12 { 2 } else { 1 };
        let name = |layer: &str| format!("policy_head.{layer}");
        PolicyHead {
            conv: random.conv(&name("conv"), 1, (width, own), MAIN_SCALE),
            pool_conv: random.conv(&name("pool_conv"), 1, (width, own), 1.0),
            pool_norm: random.norm(&name("pool_norm"), own),
            pool_matmul: random.matmul(&name("pool_matmul"), (3 * own, own), SIDE_SCALE),
            norm: random.norm(&name("norm"), own),
            conv_out: random.conv(&name("conv_out"), 1, (own, logits), POLICY_SCALE),
            pass: self.pass_head(random, logits),
        }
    }

    fn pass_head(&self, random: &mut Random, logits: usize) -> PassHead {
        let own = self.heads.policy;
        if self.version < 15 {
            return PassHead::Linear(random.matmul(
                "policy_head.pass",
                (3 * own, logits),
                POLICY_SCALE,
            ));
        }
        PassHead::Hidden {
            hidden: random.matmul("policy_head.pass.hidden", (3 * own, own), 1.0),
            bias: random.bias("policy_head.pass.bias", own),
            activation: self.activation,
            output: random.matmul("policy_head.pass.output", (own, logits), POLICY_SCALE),
        }
    }

    fn value_head(&self, random: &mut Random) -> ValueHead {
        let width = self.tip_channels();
        let (own, hidden) = (self.heads.value, self.heads.value_hidden);
        let scores = score_outputs(self.version);
        let name = |layer: &str| format!("value_head.{layer}");
        ValueHead {
            conv: random.conv(&name("conv"), 1, (width, own), 1.0),
            norm: random.norm(&name("norm"), own),
            hidden: random.matmul(&name("hidden"), (3 * own, hidden), 1.0),
            hidden_bias: random.bias(&name("hidden_bias"), hidden),
            hidden_activation: self.activation,
            value: random.matmul(&name("value"), (hidden, 3), VALUE_SCALE),
            value_bias: random.bias(&name("value_bias"), 3),
            score: random.matmul(&name("score"), (hidden, scores), VALUE_SCALE),
            score_bias: random.bias(&name("score_bias"), scores),
            ownership: random.conv(&name("ownership"), 1, (own, 1), OWNERSHIP_SCALE),
        }
    }
}

/// Scale of the last convolution of each residual block.
fn residual_scale(blocks: usize) -> f64 {
    1.0 / (blocks as f64).sqrt()
}
