//! A network in training as a list of operations, each of which has a forward and a backward pass on
//! the GPU. Parameters are ranges in the list of all parameters.

mod builder;

use std::ops::Range;

use anyhow::Result;

use crate::nn::desc::{Activation, Net};
use crate::nn::plan::Third;
use crate::train::register::Parameter;

/// A value of the forward pass; its gradient has the same form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id(pub usize);

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// `[row][channel]` in the format of activations, padded; a row is a point of a board.
    Points,
    /// `[board][channel]` in f32.
    Boards,
    /// `[board][channel][point]` in f32.
    Maps,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub extent: Extent,
    /// Without padding.
    pub channels: usize,
}

/// `to = activation(raw * gain + bias)`.
#[derive(Clone, Debug)]
pub struct Norm {
    pub gain: Range<usize>,
    pub bias: Range<usize>,
    pub activation: Activation,
    pub to: Id,
}

/// `raw = conv(input) + bias of the board + residual`, and its norm.
#[derive(Clone, Debug)]
pub struct Conv {
    pub input: Id,
    /// `[tap][input][output]`.
    pub weights: Range<usize>,
    pub kernel_height: usize,
    pub kernel_width: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub board_bias: Option<Id>,
    pub residual: Option<Id>,
    pub raw: Id,
    /// Every sum is normalized; that of a block by the next block.
    pub norm: Option<Norm>,
}

/// `to = from * weights + bias` for values of boards.
#[derive(Clone, Debug)]
pub struct Dense {
    pub from: Id,
    /// `[input][output]`.
    pub weights: Range<usize>,
    pub bias: Option<Range<usize>>,
    pub inputs: usize,
    pub outputs: usize,
    pub to: Id,
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Operation {
    /// The inputs of points.
    Planes {
        to: Id,
    },
    Conv(Box<Conv>),
    /// Global pooling.
    Pool {
        from: Id,
        to: Id,
        third: Third,
    },
    Dense(Box<Dense>),
    /// Of values of boards.
    Activation {
        from: Id,
        to: Id,
        activation: Activation,
    },
    /// Chain pooling: three values for each channel.
    Chains {
        from: Id,
        to: Id,
    },
    /// A 1x1 convolution `[input][output]` whose results leave the network.
    Points {
        from: Id,
        weights: Range<usize>,
        to: Id,
    },
}

/// The operations of a network.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    pub values: Vec<Value>,
    pub operations: Vec<Operation>,
    /// Values that are uploaded.
    pub globals: Option<Id>,
    /// Number of input planes.
    pub planes: usize,
    /// What the losses are computed of, in the order of [`crate::train::outputs::Outputs`].
    pub outputs: Vec<Id>,
    pub pools_chains: bool,
}

impl Tape {
    /// It is an error if the network has a layer without kernels for training.
    pub fn new(net: &Net, parameters: &[Parameter]) -> Result<Tape> {
        builder::tape(net, parameters)
    }

    pub fn value(&self, id: Id) -> Value {
        self.values[id.0]
    }
}
