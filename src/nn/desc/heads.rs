//! The heads: move probabilities, result, score and ownership.

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
    /// Norm before pooling.
    pub pool_norm: NormAct,
    /// From the pooled values to the head's width.
    pub pool_matmul: MatMul,
    /// Norm after the pooled values are added.
    pub norm: NormAct,
    /// To 1, 2 or 4 logits per point: ordinary, optimistic, and two that are not move
    /// probabilities.
    pub conv_out: Conv,
    /// The logits of a pass.
    pub pass: PassHead,
}

/// From the pooled values of the policy head to the logits of a pass.
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

/// Outputs from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueHead {
    /// From the trunk's width.
    pub conv: Conv,
    /// Pooled, and also read by `ownership`.
    pub norm: NormAct,
    /// From the pooled values (mean, and two multiples of it by board size) to the hidden width.
    pub hidden: MatMul,
    /// Its bias.
    pub hidden_bias: Bias,
    /// Of the hidden width.
    pub hidden_activation: Activation,
    /// Logits of win, loss and no result.
    pub value: MatMul,
    /// Its bias.
    pub value_bias: Bias,
    /// Raw score outputs; their number depends on the version.
    pub score: MatMul,
    /// Its bias.
    pub score_bias: Bias,
    /// One channel, before tanh.
    pub ownership: Conv,
}

/// The square root of the board's area, less 14. KataGo's networks pool from each channel the mean,
/// the mean times a tenth of this, and the maximum or the mean times (a hundredth of its square
/// less 0.1).
pub fn relative_side(size: BoardSize) -> f64 {
    (size.area() as f64).sqrt() - 14.0
}
