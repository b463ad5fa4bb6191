//! All weights of a net as one list.

use super::leela::{LeelaNet, NormedConv};
use super::{
    AttentionBlock, BatchNorm, Bias, Block, Conv, DenseLayer, MatMul, Net, NormAct, PassHead,
    PolicyHead, RmsNorm, RmsNormAct, Rope, Tip, Trunk, ValueHead,
};

impl Net {
    /// Every block of weights, in the order of KataGo's files.
    pub fn tensors(&self) -> Vec<&[f32]> {
        let mut tensors = Vec::new();
        self.trunk.list(&mut tensors);
        self.policy_head.list(&mut tensors);
        self.value_head.list(&mut tensors);
        tensors
    }
}

impl LeelaNet {
    /// Every block of weights, in the order of declaration.
    pub fn tensors(&self) -> Vec<&[f32]> {
        let mut tensors = Vec::new();
        self.input.list(&mut tensors);
        for [first, second] in &self.blocks {
            list_all(&[first, second], &mut tensors);
        }
        let ((policy, policy_bias), (value, value_bias)) = (&self.policy, &self.value);
        list_all(&[&self.policy_conv, policy, policy_bias], &mut tensors);
        list_all(&[&self.value_conv, &self.value_hidden], &mut tensors);
        list_all(&[value, value_bias], &mut tensors);
        tensors
    }
}

/// Lists weights in the order of KataGo's files.
trait List {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>);
}

fn list_all<'a>(parts: &[&'a dyn List], tensors: &mut Vec<&'a [f32]>) {
    for part in parts {
        part.list(tensors);
    }
}

impl List for Trunk {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(&[&self.initial_conv, &self.initial_global], tensors);
        if let Some(encoder) = &self.metadata_encoder {
            list_all(&[&encoder.first, &encoder.second, &encoder.output], tensors);
        }
        list_all(&[&self.blocks, &self.tip], tensors);
    }
}

impl List for Vec<Block> {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        for block in self {
            match block {
                Block::Ordinary(b) => list_all(&[&b.pre, &b.conv_a, &b.mid, &b.conv_b], tensors),
                Block::GlobalPooling(b) => {
                    list_all(&[&b.pre, &b.conv_a, &b.pool_conv, &b.pool_norm], tensors);
                    list_all(&[&b.pool_matmul, &b.mid, &b.conv_b], tensors);
                }
                Block::NestedBottleneck(b) => {
                    list_all(
                        &[&b.pre, &b.conv_in, &b.blocks, &b.post, &b.conv_out],
                        tensors,
                    );
                }
                Block::Attention(block) => block.list(tensors),
                Block::FeedForward(b) => {
                    list_all(&[&b.norm, &b.inner, &b.gate, &b.output], tensors);
                }
            }
        }
    }
}

impl List for AttentionBlock {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(&[&self.norm, &self.query, &self.key], tensors);
        list_all(&[&self.value, &self.output], tensors);
        if let Some(Rope::Learned(frequencies)) = &self.rope {
            tensors.push(frequencies);
        }
    }
}

impl List for Tip {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        match self {
            Tip::Batch(tip) => tip.list(tensors),
            Tip::Rms(tip) => tip.list(tensors),
        }
    }
}

impl List for PolicyHead {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(
            &[
                &self.conv,
                &self.pool_conv,
                &self.pool_norm,
                &self.pool_matmul,
            ],
            tensors,
        );
        list_all(&[&self.norm, &self.conv_out], tensors);
        match &self.pass {
            PassHead::Linear(weights) => weights.list(tensors),
            PassHead::Hidden {
                hidden,
                bias,
                output,
                ..
            } => {
                list_all(&[hidden, bias, output], tensors);
            }
        }
    }
}

impl List for ValueHead {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(
            &[&self.conv, &self.norm, &self.hidden, &self.hidden_bias],
            tensors,
        );
        list_all(
            &[&self.value, &self.value_bias, &self.score, &self.score_bias],
            tensors,
        );
        self.ownership.list(tensors);
    }
}

impl List for Conv {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        tensors.push(&self.weights);
    }
}

impl List for MatMul {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        tensors.push(&self.weights);
    }
}

impl List for DenseLayer {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(&[&self.matmul, &self.bias], tensors);
    }
}

impl List for Bias {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        tensors.push(&self.weights);
    }
}

impl List for NormAct {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        self.norm.list(tensors);
    }
}

impl List for NormedConv {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        list_all(&[&self.conv, &self.norm], tensors);
    }
}

impl List for BatchNorm {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        tensors.extend([self.mean.as_slice(), &self.variance]);
        tensors.extend(self.scale.iter().chain(&self.bias).map(Vec::as_slice));
    }
}

impl List for RmsNorm {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        tensors.push(&self.weights);
    }
}

impl List for RmsNormAct {
    fn list<'a>(&'a self, tensors: &mut Vec<&'a [f32]>) {
        self.norm.list(tensors);
        tensors.push(&self.bias);
    }
}
