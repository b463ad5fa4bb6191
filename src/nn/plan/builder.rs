//! Building blocks of plans.

use super::{
    Affine, Conv, Dense, Extent, Inputs, Normed, Operation, Outputs, Plan, Third, Value, ValueId,
    Work,
};
use crate::nn::desc::{Activation, BatchNorm, MatMul, NormAct};

/// The trunk at some place: as it is, and normed for the next layer, as far as each is read.
#[derive(Clone, Copy)]
pub struct Stream {
    pub raw: Option<ValueId>,
    pub normed: Option<ValueId>,
}

impl Stream {
    /// The sums, which the next layer reads.
    pub fn raw(&self) -> ValueId {
        self.raw.expect("a layer says what it reads")
    }

    /// The activated sums, which the next layer reads.
    pub fn normed(&self) -> ValueId {
        self.normed.expect("a layer says what it reads")
    }
}

/// What a convolution writes for its readers.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Whether the sum itself is read.
    pub raw: bool,
    /// The norm and activation that the next layer begins with.
    pub norm: Option<&'a NormAct>,
}

/// Makes a plan.
#[derive(Default)]
pub struct Builder {
    /// So far.
    pub operations: Vec<Operation>,
    /// So far.
    pub values: Vec<Value>,
}

impl Builder {
    /// The plan of what has been built.
    pub fn plan(self, trunk: usize, inputs: Inputs, outputs: Outputs) -> Plan {
        Plan {
            operations: self.operations,
            trunk,
            values: self.values,
            inputs,
            outputs,
        }
    }

    /// A new value.
    pub fn value(&mut self, name: &str, extent: Extent, channels: usize) -> ValueId {
        self.values.push(Value {
            name: name.to_owned(),
            extent,
            channels,
        });
        ValueId(self.values.len() - 1)
    }

    /// Adds an operation.
    pub fn push(&mut self, name: &str, work: Work) {
        let name = name.to_owned();
        self.operations.push(Operation { name, work });
    }

    /// The input planes.
    pub fn planes(&mut self, count: usize) -> ValueId {
        let planes = self.value("planes", Extent::Points, count);
        self.push("planes", Work::Planes { to: planes });
        planes
    }

    /// Adds a convolution; it writes the sum and the activated sum, as far as they are wanted.
    pub fn conv(&mut self, name: &str, conv: Conv, wanted: Wanted) -> Stream {
        let (raw, channels) = (wanted.raw, conv.kernel.outputs);
        let raw = raw.then(|| self.value(name, Extent::Points, channels));
        let normed = wanted.norm.map(|norm| Normed {
            norm: Some(merged(&norm.norm)),
            ..self.activated(name, channels, norm.activation)
        });
        self.push_conv(
            name,
            Conv {
                raw,
                normed,
                ..conv
            },
        )
    }

    /// Adds a convolution that says itself what it writes.
    pub fn push_conv(&mut self, name: &str, conv: Conv) -> Stream {
        let stream = Stream {
            raw: conv.raw,
            normed: conv.normed.as_ref().map(|normed| normed.to),
        };
        self.push(name, Work::Conv(conv.into()));
        stream
    }

    /// A new value for activated results.
    pub fn activated(&mut self, name: &str, channels: usize, activation: Activation) -> Normed {
        Normed {
            to: self.value(&format!("{name}, normed"), Extent::Points, channels),
            norm: None,
            activation,
        }
    }

    /// A convolution of which only the activated results are read.
    pub fn normed_conv(&mut self, name: &str, conv: Conv, norm: &NormAct) -> ValueId {
        let norm = Some(norm);
        self.conv(name, conv, Wanted { raw: false, norm }).normed()
    }

    /// Global pooling.
    pub fn pool(&mut self, name: &str, from: ValueId, third: Third) -> ValueId {
        let channels = 3 * self.values[from.0].channels;
        let to = self.value(name, Extent::Boards, channels);
        self.push(name, Work::Pool { from, to, third });
        to
    }

    /// A layer for values of boards.
    pub fn dense(
        &mut self,
        name: &str,
        from: ValueId,
        matrix: &MatMul,
        (bias, activation): (Option<&[f32]>, Activation),
        plus: Option<ValueId>,
    ) -> ValueId {
        let to = self.value(name, Extent::Boards, matrix.outputs);
        let dense = Dense {
            from,
            matrix: matrix.clone(),
            bias: bias.map(<[f32]>::to_vec),
            plus,
            activation,
            to,
        };
        self.push(name, Work::Dense(dense.into()));
        to
    }

    /// A matrix alone.
    pub fn product(&mut self, name: &str, from: ValueId, matrix: &MatMul) -> ValueId {
        self.dense(name, from, matrix, (None, Activation::Identity), None)
    }
}

/// A norm as a factor and a value to add.
pub fn merged(norm: &BatchNorm) -> Affine {
    let (scale, bias) = norm.merged();
    Affine { scale, bias }
}
