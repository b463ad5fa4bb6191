//! Lowering of the heads.

use anyhow::{Result, ensure};

use super::builder::{Builder, Sources};
use super::{Extent, Third, ValueId, Work};
use crate::nn::desc::{Activation, Conv, MatMul, PassHead, PolicyHead, ValueHead};

/// Most maps of one convolution.
const MOST_MAPS: usize = 4;

impl Builder {
    /// Logits of points and of a pass.
    pub fn policy_head(&mut self, head: &PolicyHead, tip: ValueId) -> Result<(ValueId, ValueId)> {
        let sources = Sources::only(tip);
        let (conv, norm) = (&head.pool_conv, &head.pool_norm);
        let pooled = self.normed_conv("policy, pool conv", conv, sources, norm)?;
        let pooled = self.pool("policy, pool", pooled, Third::Maximum);
        let bias = self.product("policy, pool matrix", pooled, &head.pool_matmul);
        let sources = Sources {
            board_bias: Some(bias),
            ..sources
        };
        let inner = self.normed_conv("policy, conv", &head.conv, sources, &head.norm)?;
        let points = self.maps("policy, points", &head.conv_out, inner)?;
        let pass = match &head.pass {
            PassHead::Linear(matrix) => self.product("policy, pass", pooled, matrix),
            PassHead::Hidden {
                hidden,
                bias,
                activation,
                output,
            } => {
                let finish = (Some(&bias.weights[..]), *activation);
                let inner = self.dense("policy, pass hidden", pooled, hidden, finish, None);
                self.product("policy, pass", inner, output)
            }
        };
        Ok((points, pass))
    }

    /// Value with score, and ownership.
    pub fn value_head(&mut self, head: &ValueHead, tip: ValueId) -> Result<(ValueId, ValueId)> {
        let inner = self.normed_conv("value, conv", &head.conv, Sources::only(tip), &head.norm)?;
        let pooled = self.pool("value, pool", inner, Third::Square);
        let finish = (Some(&head.hidden_bias.weights[..]), head.hidden_activation);
        let hidden = self.dense("value, hidden", pooled, &head.hidden, finish, None);
        let matrix = side_by_side(&head.value, &head.score);
        let bias = [&head.value_bias.weights[..], &head.score_bias.weights].concat();
        let finish = (Some(&bias[..]), Activation::Identity);
        let value = self.dense("value, value and score", hidden, &matrix, finish, None);
        let ownership = self.maps("value, ownership", &head.ownership, inner)?;
        Ok((value, ownership))
    }

    fn maps(&mut self, name: &str, conv: &Conv, from: ValueId) -> Result<ValueId> {
        let is_simple = conv.kernel_height == 1 && conv.kernel_width == 1;
        ensure!(
            is_simple && conv.outputs <= MOST_MAPS,
            "{name}: {} outputs of a kernel of {}x{}",
            conv.outputs,
            conv.kernel_height,
            conv.kernel_width
        );
        let outputs = conv.outputs;
        let of_output = |output: usize| conv.weights[output..].iter().step_by(outputs).copied();
        let weights = (0..outputs).flat_map(of_output).collect();
        let to = self.value(name, Extent::Maps, outputs);
        self.push(name, Work::Maps { from, to, weights });
        Ok(to)
    }
}

/// One matrix with the outputs of two.
fn side_by_side(a: &MatMul, b: &MatMul) -> MatMul {
    let rows = a.weights.chunks(a.outputs).zip(b.weights.chunks(b.outputs));
    MatMul {
        name: format!("{}, {}", a.name, b.name),
        inputs: a.inputs,
        outputs: a.outputs + b.outputs,
        weights: rows.flat_map(|(a, b)| [a, b].concat()).collect(),
    }
}
