//! All weights of a net as one list.

use super::{
    AttentionBlock, Bias, Block, Conv, DenseLayer, MatMul, Net, NormAct, PassHead, PolicyHead,
    RmsNorm, RmsNormAct, Rope, Tip, Trunk, ValueHead,
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
        let norm = &self.norm;
        tensors.extend([norm.mean.as_slice(), &norm.variance]);
        tensors.extend(norm.scale.iter().chain(&norm.bias).map(Vec::as_slice));
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
