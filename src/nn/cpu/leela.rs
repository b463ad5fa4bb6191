//! Leela Zero networks: a tower whose blocks end in an activation, and fully connected heads.
//!
//! The trunk holds sums before their activation. A block adds to the activation of the stored sum.

use super::blocks::Residual;
use super::boards::Frame;
use super::builder::Builder;
use super::epilogue::{Epilogue, NormedOutput};
use super::heads::Part;
use super::memory::{Memory, Slot, Use};
use super::pool::Layer;
use super::simd::ResidualMode;
use super::stem::Stem;
use crate::nn::desc::leela::{LeelaNet, NormedConv};
use crate::nn::desc::{Activation, NormAct};
use crate::nn::output::{RawOutput, raw_leela};

/// The input convolution, and its epilogue.
pub fn entry(net: &LeelaNet, tip: Slot, builder: &mut Builder) -> (Stem, Epilogue) {
    let (scale, shift) = net.input.norm.merged();
    let stem = Stem::of_planes(builder.kernels(), &net.input.conv, Some((&scale, &shift)));
    let is_last = net.blocks.is_empty();
    (
        stem,
        epilogue(net, ResidualMode::Replaces, is_last, tip, builder),
    )
}

/// The blocks of the tower, which ends in the tip.
pub fn blocks(net: &LeelaNet, tip: Slot, builder: &mut Builder) -> Vec<Residual> {
    let count = net.blocks.len();
    let block = |(index, block): (usize, &[NormedConv; 2])| {
        let epilogue = epilogue(
            net,
            ResidualMode::AddsToRelu,
            index + 1 == count,
            tip,
            builder,
        );
        Residual::normed(block, epilogue, builder)
    };
    net.blocks.iter().enumerate().map(block).collect()
}

fn epilogue(
    net: &LeelaNet,
    residual_mode: ResidualMode,
    is_last: bool,
    tip: Slot,
    builder: &mut Builder,
) -> Epilogue {
    let width = net.input.conv.outputs;
    let slot = match is_last {
        true => tip,
        false => builder.slot(Use::Input, Frame::Padded, width),
    };
    Epilogue {
        stack: Some(builder.slot(Use::Stack(0), Frame::Plain, width)),
        residual_mode,
        output: Some(NormedOutput {
            norm: None,
            activation: Activation::Relu,
            slot,
        }),
    }
}

/// Policy and value, see [`LeelaNet`].
#[derive(Debug)]
pub struct LeelaHeads {
    policy: Part,
    policy_channels: usize,
    policy_layer: Layer,
    value: Part,
    value_layers: [Layer; 2],
}

impl LeelaHeads {
    /// Reads the output of the tower.
    pub fn new(net: &LeelaNet, tip: Slot, builder: &mut Builder) -> LeelaHeads {
        let mut part = |layer: &NormedConv, purpose| {
            let relu = NormAct {
                norm: layer.norm.clone(),
                activation: Activation::Relu,
            };
            Part::new(&layer.conv, Some(&relu), tip, purpose, builder)
        };
        let hidden = &net.value_hidden;
        let linear = |(matmul, bias)| Layer::new(matmul, Some(bias), Activation::Identity);
        LeelaHeads {
            policy: part(&net.policy_conv, Use::Pooled),
            policy_channels: net.policy_conv.conv.outputs,
            policy_layer: linear((&net.policy.0, &net.policy.1)),
            value: part(&net.value_conv, Use::Inner),
            value_layers: [
                Layer::new(&hidden.matmul, Some(&hidden.bias), hidden.activation),
                linear((&net.value.0, &net.value.1)),
            ],
        }
    }

    /// Writes policy and value of each board.
    pub fn run(&self, memory: &mut Memory, outputs: &mut [RawOutput]) {
        self.policy.run(None, memory);
        self.value.run(None, memory);
        let boards = self.policy.results(memory).zip(self.value.results(memory));
        for (output, (policy, value)) in outputs.iter_mut().zip(boards) {
            let planes = self.policy.planes(policy, self.policy_channels);
            let plane = self.value.planes(value, 1);
            let [hidden, last] = &self.value_layers;
            let value = last.of(&hidden.of(&plane))[0];
            *output = raw_leela(self.policy_layer.of(&planes), value);
        }
    }
}
