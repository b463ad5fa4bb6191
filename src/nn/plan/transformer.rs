//! Lowering of transformer blocks, and of the norm after trunks with such blocks.
//!
//! The weights of a block's norm are merged into the matrices after it, so that only the division by
//! the root mean square is left.

use super::builder::Builder;
use super::trunk::part;
use super::{Affine, Attention, Extent, Gated, Normed, RmsNorm, ValueId, Work};
use crate::nn::desc::{self, AttentionBlock, FeedForwardBlock, MatMul, RmsNormAct};

impl Builder {
    /// Attention of the trunk's normed values.
    pub fn attention(&mut self, name: &str, block: &AttentionBlock, raw: ValueId) -> ValueId {
        let from = self.rms_norm(name, &block.norm, raw);
        let to = self.value(name, Extent::Points, block.output.inputs);
        let scale = 1.0 / (block.key_width as f32).sqrt();
        let mut query = block.query.clone();
        query.weights.iter_mut().for_each(|weight| *weight *= scale);
        let norm = &block.norm.weights;
        let attention = Attention {
            from,
            to,
            heads: block.heads,
            kv_heads: block.kv_heads,
            key_width: block.key_width,
            value_width: block.value_width,
            query: rows_scaled(&query, norm),
            key: rows_scaled(&block.key, norm),
            value: rows_scaled(&block.value, norm),
            rope: block.rope.clone(),
        };
        self.push(&part(name, "attention"), Work::Attention(attention.into()));
        to
    }

    /// A gated layer of the trunk's normed values.
    pub fn feed_forward(&mut self, name: &str, block: &FeedForwardBlock, raw: ValueId) -> ValueId {
        let from = self.rms_norm(name, &block.norm, raw);
        let to = self.value(name, Extent::Points, block.output.inputs);
        let norm = &block.norm.weights;
        let gated = Gated {
            from,
            to,
            inner: rows_scaled(&block.inner, norm),
            gate: rows_scaled(&block.gate, norm),
        };
        self.push(&part(name, "gate"), Work::Gated(gated.into()));
        to
    }

    /// Division by the root mean square.
    fn rms_norm(&mut self, name: &str, norm: &desc::RmsNorm, from: ValueId) -> ValueId {
        let name = part(name, "norm");
        let normed = self.activated(&name, norm.weights.len(), desc::Activation::Identity);
        self.push_norm(&name, from, (norm.epsilon, false), normed)
    }

    /// The norm after the trunk.
    pub fn rms_tip(&mut self, tip: &RmsNormAct, from: ValueId) -> ValueId {
        let norm = Affine {
            scale: tip.norm.weights.clone(),
            bias: tip.bias.clone(),
        };
        let normed = Normed {
            norm: Some(norm),
            ..self.activated("tip", tip.norm.weights.len(), tip.activation)
        };
        self.push_norm("tip", from, (tip.norm.epsilon, tip.is_spatial), normed)
    }

    fn push_norm(
        &mut self,
        name: &str,
        from: ValueId,
        (epsilon, is_spatial): (f32, bool),
        normed: Normed,
    ) -> ValueId {
        let to = normed.to;
        let norm = RmsNorm {
            from,
            epsilon,
            is_spatial,
            normed,
        };
        self.push(name, Work::RmsNorm(norm.into()));
        to
    }
}

/// A matrix with each row multiplied by a factor.
fn rows_scaled(matrix: &MatMul, factors: &[f32]) -> MatMul {
    let mut scaled = matrix.clone();
    let rows = scaled.weights.chunks_exact_mut(matrix.outputs);
    for (row, factor) in rows.zip(factors) {
        row.iter_mut().for_each(|weight| *weight *= factor);
    }
    scaled
}

/// A matrix as a convolution.
pub fn of_points(matrix: &MatMul) -> desc::Conv {
    desc::Conv {
        name: matrix.name.clone(),
        kernel_height: 1,
        kernel_width: 1,
        inputs: matrix.inputs,
        outputs: matrix.outputs,
        weights: matrix.weights.clone(),
    }
}
