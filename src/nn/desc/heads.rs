//! What becomes of the last stack: move probabilities, result, score and ownership.

use crate::go::BoardSize;
use serde::{Deserialize, Serialize};

use super::{Activation, Bias, Conv, MatMul, NormAct};

/// `conv_out(norm(conv(tip) + pooled * pool_matmul))`, and the pass from `pooled` alone, where
/// `pooled` is of `pool_norm(pool_conv(tip))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyHead {
    /// From the trunk's width to the head's.
    pub conv: Conv,
    /// From the trunk's width to the channels that are pooled.
    pub pool_conv: Conv,
    /// Before pooling.
    pub pool_norm: NormAct,
    /// From the pooled figures to the head's width.
    pub pool_matmul: MatMul,
    /// After the pooled figures are added.
    pub norm: NormAct,
    /// To 1, 2 or 4 logits a point: ordinary, optimistic, and two that are not move probabilities.
    pub conv_out: Conv,
    /// The logits of a pass.
    pub pass: PassHead,
}

/// From the pooled figures of the policy head to the logits of a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassHead {
    /// Versions below 15.
    Linear(MatMul),
    /// `output(activation(hidden(pooled) + bias))`.
    Hidden {
        /// To the hidden width.
        hidden: MatMul,
        /// Added to it.
        bias: Bias,
        /// Between the two.
        activation: Activation,
        /// To the logits.
        output: MatMul,
    },
}

/// Figures from the player to move's point of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueHead {
    /// From the trunk's width.
    pub conv: Conv,
    /// What is pooled, and read by `ownership`.
    pub norm: NormAct,
    /// From the pooled figures (mean, and two multiples of it by board size) to the hidden width.
    pub hidden: MatMul,
    /// Added to it.
    pub hidden_bias: Bias,
    /// Of the hidden width.
    pub hidden_activation: Activation,
    /// Logits of win, loss and no result.
    pub value: MatMul,
    /// Added to it.
    pub value_bias: Bias,
    /// Raw score figures; their number depends on the version.
    pub score: MatMul,
    /// Added to it.
    pub score_bias: Bias,
    /// One channel, before tanh.
    pub ownership: Conv,
}

/// The side of a square of the board's area, less 14. KataGo's networks pool of each channel the mean, the
/// mean times a tenth of this, and the maximum or the mean times a hundredth of its square less 0.1.
pub fn relative_side(size: BoardSize) -> f64 {
    (size.area() as f64).sqrt() - 14.0
}
