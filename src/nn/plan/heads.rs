//! Lowering of the heads.

use super::builder::Builder;
use super::{Conv, Extent, Maps, Third, ValueId, Work};
use crate::nn::desc::{self, Activation, FlatHead, MatMul, PassHead, PolicyHead, ValueHead};

impl Builder {
    /// Logits of points and of a pass.
    pub fn policy_head(&mut self, head: &PolicyHead, tip: ValueId) -> (ValueId, ValueId) {
        let pooling = (&head.pool_conv, &head.pool_norm, &head.pool_matmul);
        let (pooled, bias) = self.pooled_bias("policy", pooling, tip);
        let conv = Conv {
            bias: Some(bias),
            ..Conv::of(&head.conv, tip)
        };
        let inner = self.normed_conv("policy, conv", conv, &head.norm);
        let points = self.maps("policy, points", &head.conv_out, inner);
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
        (points, pass)
    }

    /// Value with score, and ownership.
    pub fn value_head(&mut self, head: &ValueHead, tip: ValueId) -> (ValueId, ValueId) {
        let inner = self.normed_conv("value, conv", Conv::of(&head.conv, tip), &head.norm);
        let pooled = self.pool("value, pool", inner, Third::Square);
        let finish = (Some(&head.hidden_bias.weights[..]), head.hidden_activation);
        let hidden = self.dense("value, hidden", pooled, &head.hidden, finish, None);
        let matrix = side_by_side(&head.value, &head.score);
        let bias = [&head.value_bias.weights[..], &head.score_bias.weights].concat();
        let finish = (Some(&bias[..]), Activation::Identity);
        let value = self.dense("value, value and score", hidden, &matrix, finish, None);
        let ownership = self.maps("value, ownership", &head.ownership, inner);
        (value, ownership)
    }

    /// Values of boards by a fully connected head, on boards of this many points.
    pub fn flat_head(&mut self, name: &str, head: &FlatHead, tip: ValueId, area: usize) -> ValueId {
        let conv = Conv::of(&head.conv, tip);
        let from = self.normed_conv(&format!("{name}, conv"), conv, &head.norm);
        let mut values = self.value(
            &format!("{name}, points"),
            Extent::Boards,
            head.conv.outputs * area,
        );
        let flat = Work::Flatten { from, to: values };
        self.push(&format!("{name}, points"), flat);
        for (index, layer) in head.layers.iter().enumerate() {
            let name = format!("{name}, layer {}", index + 1);
            let finish = (Some(&layer.bias.weights[..]), layer.activation);
            values = self.dense(&name, values, &layer.matmul, finish, None);
        }
        values
    }

    fn maps(&mut self, name: &str, kernel: &desc::Conv, from: ValueId) -> ValueId {
        let to = self.value(name, Extent::Maps, kernel.outputs);
        let maps = Maps {
            from,
            to,
            kernel: kernel.clone(),
        };
        self.push(name, Work::Maps(maps.into()));
        to
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
