//! Lowering of Leela Zero's networks: a tower whose blocks end in an activation, and fully connected
//! heads. A convolution is normed before the residual is added, which is the activated trunk.

use super::builder::{Builder, Stream, merged};
use super::{Bias, Conv, Extent, Outputs, Plan, Residual, ValueId};
use crate::nn::desc::leela::{LeelaNet, NormedConv, PLANES, SIDE};
use crate::nn::desc::{Activation, InputVersion, NormAct};
use crate::nn::input_shape::InputShape;

impl Plan {
    /// Lowers a network of Leela Zero's.
    pub fn of_leela(net: &LeelaNet) -> Plan {
        let mut builder = Builder::default();
        let inputs = builder.inputs(InputVersion::LeelaZero, InputShape::of_leela());
        let tip = builder.tower(net);
        let trunk = builder.operations.len();
        let area = SIDE * SIDE;
        let policy = builder.flat_head("policy", &net.heads.policy, tip, area);
        let value = builder.flat_head("value", &net.heads.value, tip, area);
        let outputs = Outputs::LeelaZero { policy, value };
        builder.plan(trunk, inputs, outputs)
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
}

fn relu(layer: &NormedConv) -> NormAct {
    NormAct {
        norm: layer.norm.clone(),
        activation: Activation::Relu,
    }
}
