//! Building blocks of plans.

use anyhow::{Result, ensure};

use super::{Conv, Dense, Extent, Normed, Operation, Third, Value, ValueId, Work};
use crate::nn::desc::{self, Activation, MatMul, NormAct};

/// Largest number of points that a kernel reads: that of 5x5.
const MOST_TAPS: usize = 25;

/// What a convolution writes for its readers.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Whether the sum itself is read.
    pub raw: bool,
    /// The norm and activation that the next layer begins with.
    pub norm: Option<&'a NormAct>,
}

/// Inputs of a convolution besides its kernel.
#[derive(Clone, Copy)]
pub struct Sources {
    /// Values of points.
    pub input: ValueId,
    /// Added at all points of a board.
    pub board_bias: Option<ValueId>,
    /// Added.
    pub residual: Option<ValueId>,
}

impl Sources {
    /// Nothing is added.
    pub fn only(input: ValueId) -> Sources {
        Sources {
            input,
            board_bias: None,
            residual: None,
        }
    }
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

    /// The sum and the activated sum, as far as they are wanted.
    pub fn conv(
        &mut self,
        name: &str,
        kernel: &desc::Conv,
        from: Sources,
        wanted: Wanted,
    ) -> Result<(Option<ValueId>, Option<ValueId>)> {
        let (height, width) = (kernel.kernel_height, kernel.kernel_width);
        ensure!(
            height * width <= MOST_TAPS,
            "{name}: a kernel of {height}x{width}"
        );
        let channels = kernel.outputs;
        let raw = wanted.raw;
        let raw = raw.then(|| self.value(name, Extent::Points, channels));
        let normed = wanted.norm.map(|norm| {
            let (scale, bias) = norm.norm.merged();
            Normed {
                to: self.value(&format!("{name}, normed"), Extent::Points, channels),
                scale,
                bias,
                activation: norm.activation,
            }
        });
        let results = (raw, normed.as_ref().map(|normed| normed.to));
        let conv = Conv {
            input: from.input,
            kernel: kernel.clone(),
            board_bias: from.board_bias,
            residual: from.residual,
            raw,
            normed,
        };
        self.push(name, Work::Conv(conv.into()));
        Ok(results)
    }

    /// A convolution of which only the activated results are read.
    pub fn normed_conv(
        &mut self,
        name: &str,
        kernel: &desc::Conv,
        from: Sources,
        norm: &NormAct,
    ) -> Result<ValueId> {
        let norm = Some(norm);
        let (_, normed) = self.conv(name, kernel, from, Wanted { raw: false, norm })?;
        Ok(normed.expect("it was wanted"))
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
