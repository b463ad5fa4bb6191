//! Lowering of Leela Zero's networks: a tower whose blocks end in an activation, and fully connected
//! heads. A convolution is normed before the residual is added, which is the activated trunk.

use super::builder::{Builder, Stream, merged};
use super::{Bias, Conv, Extent, Outputs, Plan, Residual, ValueId, Work};
use crate::go::BoardSize;
use crate::nn::desc::leela::{LeelaNet, NormedConv, PLANES, SIDE};
use crate::nn::desc::{Activation, InputVersion, MatMul, NormAct};

impl Plan {
    /// Lowers a network of Leela Zero's.
    pub fn of_leela(net: &LeelaNet) -> Plan {
        let mut builder = Builder::default();
        let inputs = builder.inputs(InputVersion::LeelaZero, false);
        let tip = builder.tower(net);
        let trunk = builder.operations.len();
        let policy = builder.flat("policy", &net.policy_conv, tip);
        let (matrix, bias) = &net.policy;
        let linear = (Some(&bias.weights[..]), Activation::Identity);
        let policy = builder.dense("policy", policy, matrix, linear, None);
        let value = builder.flat("value", &net.value_conv, tip);
        let hidden = &net.value_hidden;
        let finish = (Some(&hidden.bias.weights[..]), hidden.activation);
        let value = builder.dense("value, hidden", value, &hidden.matmul, finish, None);
        let (matrix, bias): &(MatMul, _) = &net.value;
        let linear = (Some(&bias.weights[..]), Activation::Identity);
        let value = builder.dense("value", value, matrix, linear, None);
        let outputs = Outputs::LeelaZero { policy, value };
        builder.plan(trunk, inputs, outputs, Some(BoardSize::square(SIDE)))
    }
}

impl Builder {
    /// The tower's output, activated.
    fn tower(&mut self, net: &LeelaNet) -> ValueId {
        let planes = self.planes(PLANES);
        let is_read = !net.blocks.is_empty();
        let mut stream = self.tower_conv("initial conv", &net.input, (planes, None), is_read);
        for (index, [first, second]) in net.blocks.iter().enumerate() {
            let name = format!("block {index}, conv a");
            let conv = Conv::of(&first.conv, stream.normed());
            let inner = self.normed_conv(&name, conv, &relu(first));
            let (name, is_read) = (
                format!("block {index}, conv b"),
                index + 1 < net.blocks.len(),
            );
            stream = self.tower_conv(&name, second, (inner, stream.raw), is_read);
        }
        stream.normed()
    }

    /// A convolution normed by itself, before the residual is added. `is_read` is whether the sum is the
    /// residual of another.
    fn tower_conv(
        &mut self,
        name: &str,
        layer: &NormedConv,
        (input, residual): (ValueId, Option<ValueId>),
        is_read: bool,
    ) -> Stream {
        let norm = merged(&layer.norm);
        let channels = layer.conv.outputs;
        let conv = Conv {
            scale: Some(norm.scale),
            bias: Some(Bias::Constant(norm.bias)),
            residual: residual.map(|from| Residual {
                from,
                is_rectified: true,
            }),
            raw: is_read.then(|| self.value(name, Extent::Points, channels)),
            normed: Some(self.activated(name, channels, Activation::Relu)),
            ..Conv::of(&layer.conv, input)
        };
        self.push_conv(name, conv)
    }

    /// All results of a head's convolution as one vector.
    fn flat(&mut self, head: &str, layer: &NormedConv, tip: ValueId) -> ValueId {
        let name = format!("{head}, conv");
        let from = self.normed_conv(&name, Conv::of(&layer.conv, tip), &relu(layer));
        let channels = layer.conv.outputs * SIDE * SIDE;
        let to = self.value(&name, Extent::Boards, channels);
        self.push(&format!("{head}, points"), Work::Flatten { from, to });
        to
    }
}

fn relu(layer: &NormedConv) -> NormAct {
    NormAct {
        norm: layer.norm.clone(),
        activation: Activation::Relu,
    }
}
