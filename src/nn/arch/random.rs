//! Layers and simple blocks with random weights.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use super::super::desc::{
    Activation, AttentionBlock, BatchNorm, Bias, Block, ChainPoolingBlock, Conv, FeedForwardBlock,
    GlobalPoolingBlock, MatMul, NormAct, OrdinaryBlock, PlainBlock, RmsNorm, Rope,
};
use super::PlainShape;
use crate::nn::regions::VALUES;

/// Scale of the first of two branches whose sum should have the variance of one: the squares add up
/// to 1.
pub const MAIN_SCALE: f64 = 0.8;
/// Scale of the second.
pub const SIDE_SCALE: f64 = 0.6;
const NORM_EPSILON: f32 = 1e-4;
/// Channels per attention head; this and the next constants are as in KataGo's b7c96h3tfrs.
const HEAD_WIDTH: usize = 32;
/// Base of the rotary angles.
const THETA: f32 = 100.0;
/// Epsilon of RMS norms.
const RMS_EPSILON: f32 = 1e-6;
/// Width of gated layers relative to the trunk, in thirds, before rounding up to steps.
const HIDDEN_THIRDS: usize = 8;
const HIDDEN_STEP: usize = 16;

/// Creates layers one after another. Scales are relative to variance-preserving weights.
pub struct Random {
    generator: ChaCha8Rng,
    /// Activation after each norm, and so before each layer with weights.
    activation: Activation,
}

impl Random {
    /// Reproducible by the seed.
    pub fn new(seed: u64, activation: Activation) -> Random {
        Random {
            generator: ChaCha8Rng::seed_from_u64(seed),
            activation,
        }
    }

    /// A convolution with a square kernel; `sides` are its inputs and outputs.
    pub fn conv(&mut self, name: &str, side: usize, sides: (usize, usize), scale: f64) -> Conv {
        let (inputs, outputs) = sides;
        let fan_in = side * side * inputs;
        Conv {
            name: name.to_string(),
            kernel_height: side,
            kernel_width: side,
            inputs,
            outputs,
            weights: self.weights(fan_in, fan_in * outputs, scale),
        }
    }

    /// A matrix; `sides` are its inputs and outputs.
    pub fn matmul(&mut self, name: &str, sides: (usize, usize), scale: f64) -> MatMul {
        let (inputs, outputs) = sides;
        MatMul {
            name: name.to_string(),
            inputs,
            outputs,
            weights: self.weights(inputs, inputs * outputs, scale),
        }
    }

    fn weights(&mut self, fan_in: usize, count: usize, scale: f64) -> Vec<f32> {
        let deviation = scale * gain(self.activation) / (fan_in as f64).sqrt();
        let normal = Normal::new(0.0, deviation).expect("the deviation is finite");
        let weights = normal.sample_iter(&mut self.generator).take(count);
        weights.map(|weight| weight as f32).collect()
    }

    /// A matrix whose inputs are not activated.
    fn linear(&mut self, name: &str, sides: (usize, usize), scale: f64) -> MatMul {
        self.matmul(name, sides, scale / gain(self.activation))
    }

    /// Zeros.
    pub fn bias(&self, name: &str, channels: usize) -> Bias {
        Bias {
            name: name.to_string(),
            weights: vec![0.0; channels],
        }
    }

    /// An identity norm (except for its epsilon), and the activation.
    pub fn norm(&self, name: &str, channels: usize) -> NormAct {
        NormAct {
            norm: BatchNorm {
                name: name.to_string(),
                epsilon: NORM_EPSILON,
                mean: vec![0.0; channels],
                variance: vec![1.0; channels],
                scale: Some(vec![1.0; channels]),
                bias: Some(vec![0.0; channels]),
            },
            activation: self.activation,
        }
    }

    /// On a trunk of `width` channels with `mid` between its convolutions; `scale` is that of the
    /// last one.
    pub fn ordinary(&mut self, name: &str, width: usize, mid: usize, scale: f64) -> Block {
        let name = |layer: &str| format!("{name}.{layer}");
        Block::Ordinary(Box::new(OrdinaryBlock {
            pre: self.norm(&name("pre"), width),
            conv_a: self.conv(&name("conv_a"), 3, (width, mid), 1.0),
            mid: self.norm(&name("mid"), mid),
            conv_b: self.conv(&name("conv_b"), 3, (mid, width), scale),
        }))
    }

    /// On a trunk of `width` channels, pooling this many; `scale` is that of the last convolution.
    pub fn chain_pooling(&mut self, name: &str, width: usize, pooled: usize, scale: f64) -> Block {
        let name = |layer: &str| format!("{name}.{layer}");
        Block::ChainPooling(Box::new(ChainPoolingBlock {
            pre: self.norm(&name("pre"), width),
            conv: self.conv(&name("conv"), 1, (width, pooled), 1.0),
            norm: self.norm(&name("norm"), pooled),
            conv_out: self.conv(&name("conv_out"), 1, (VALUES * pooled, width), scale),
        }))
    }

    /// A convolution that replaces the trunk.
    pub fn plain(&mut self, name: &str, shape: PlainShape) -> Block {
        let PlainShape {
            side,
            inputs,
            outputs,
        } = shape;
        let name = |layer: &str| format!("{name}.{layer}");
        Block::Plain(Box::new(PlainBlock {
            pre: self.norm(&name("pre"), inputs),
            conv: self.conv(&name("conv"), side, (inputs, outputs), 1.0),
        }))
    }

    /// On a trunk of `width` channels, with heads of 32 channels each; narrow trunks have one
    /// narrower head. `scale` is that of the last matrix.
    pub fn attention(&mut self, name: &str, width: usize, scale: f64) -> Block {
        let heads = (width / HEAD_WIDTH).max(1);
        let head_width = HEAD_WIDTH.min(width.next_multiple_of(2));
        let name = |layer: &str| format!("{name}.{layer}");
        let (to_heads, back) = ((width, heads * head_width), (heads * head_width, width));
        Block::Attention(Box::new(AttentionBlock {
            norm: self.rms_norm(&name("norm"), width),
            heads,
            kv_heads: heads,
            key_width: head_width,
            value_width: head_width,
            query: self.linear(&name("query"), to_heads, 1.0),
            key: self.linear(&name("key"), to_heads, 1.0),
            value: self.linear(&name("value"), to_heads, 1.0),
            output: self.linear(&name("output"), back, scale),
            rope: Some(Rope::Fixed { theta: THETA }),
        }))
    }

    /// On a trunk of `width` channels; `scale` is that of the last matrix.
    pub fn feed_forward(&mut self, name: &str, width: usize, scale: f64) -> Block {
        let hidden = (width * HIDDEN_THIRDS / 3).next_multiple_of(HIDDEN_STEP);
        let name = |layer: &str| format!("{name}.{layer}");
        Block::FeedForward(Box::new(FeedForwardBlock {
            norm: self.rms_norm(&name("norm"), width),
            inner: self.linear(&name("inner"), (width, hidden), 1.0),
            gate: self.linear(&name("gate"), (width, hidden), 1.0),
            output: self.linear(
                &name("output"),
                (hidden, width),
                scale * gain(Activation::Silu),
            ),
        }))
    }

    fn rms_norm(&self, name: &str, channels: usize) -> RmsNorm {
        RmsNorm {
            name: name.to_string(),
            epsilon: RMS_EPSILON,
            weights: vec![1.0; channels],
        }
    }

    /// The same as `ordinary` with global pooling of `pooled` of the `mid` channels; the others
    /// belong to the regular convolution.
    pub fn global_pooling(
        &mut self,
        name: &str,
        width: usize,
        (mid, pooled): (usize, usize),
        scale: f64,
    ) -> Block {
        let regular = mid - pooled;
        let name = |layer: &str| format!("{name}.{layer}");
        let to_regular = (3 * pooled, regular);
        Block::GlobalPooling(Box::new(GlobalPoolingBlock {
            pre: self.norm(&name("pre"), width),
            conv_a: self.conv(&name("conv_a"), 3, (width, regular), MAIN_SCALE),
            pool_conv: self.conv(&name("pool_conv"), 3, (width, pooled), 1.0),
            pool_norm: self.norm(&name("pool_norm"), pooled),
            pool_matmul: self.matmul(&name("pool_matmul"), to_regular, SIDE_SCALE),
            mid: self.norm(&name("mid"), regular),
            conv_b: self.conv(&name("conv_b"), 3, (regular, width), scale),
        }))
    }
}

/// The gain that compensates for the variance lost in an activation of normal values.
fn gain(activation: Activation) -> f64 {
    match activation {
        Activation::Identity => 1.0,
        Activation::Relu => 2f64.sqrt(),
        Activation::Mish => 2.210277f64.sqrt(),
        Activation::Silu => 2.8108f64.sqrt(),
    }
}
