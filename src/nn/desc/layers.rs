//! The layers that blocks and heads are made of.

use serde::{Deserialize, Serialize};

use super::presence;

/// A convolution that keeps the board's size, without bias: the output at (x, y) is the sum over
/// `ky`, `kx` of the input at `(x + kx - kernel_width / 2, y + ky - kernel_height / 2)` times the
/// weights, zero outside the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conv {
    /// For error messages.
    pub name: String,
    /// Odd.
    pub kernel_height: usize,
    /// Odd.
    pub kernel_width: usize,
    /// Channels read.
    pub inputs: usize,
    /// Channels written.
    pub outputs: usize,
    /// `[ky][kx][in][out]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// `outputs = inputs * weights`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatMul {
    /// For error messages.
    pub name: String,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// `[in][out]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A constant vector to add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    /// For error messages.
    pub name: String,
    /// One value per channel.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A batch norm and the activation that follows. The result is 0 off the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormAct {
    pub norm: BatchNorm,
    pub activation: Activation,
}

/// `(input - mean) / sqrt(variance + epsilon) * scale + bias`, by channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchNorm {
    /// For error messages.
    pub name: String,
    /// Above 0.
    pub epsilon: f32,
    /// One value per channel.
    #[serde(skip)]
    pub mean: Vec<f32>,
    /// One value per channel.
    #[serde(skip)]
    pub variance: Vec<f32>,
    /// One value per channel; 1 where there is none.
    #[serde(with = "presence")]
    pub scale: Option<Vec<f32>>,
    /// One value per channel; 0 where there is none.
    #[serde(with = "presence")]
    pub bias: Option<Vec<f32>>,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `x`.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x tanh(ln(1 + e^x))`.
    Mish,
    /// `x / (1 + e^-x)`.
    Silu,
}

impl BatchNorm {
    /// Scale and bias such that the norm is `input * scale + bias`.
    pub fn merged(&self) -> (Vec<f32>, Vec<f32>) {
        let channels = 0..self.mean.len();
        let scale = |c: usize| {
            let own = self.scale.as_ref().map_or(1.0, |scale| scale[c]);
            own / (self.variance[c] + self.epsilon).sqrt()
        };
        let bias = |c: usize| {
            let own = self.bias.as_ref().map_or(0.0, |bias| bias[c]);
            own - scale(c) * self.mean[c]
        };
        (
            channels.clone().map(scale).collect(),
            channels.map(bias).collect(),
        )
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.mean.len()
    }
}
