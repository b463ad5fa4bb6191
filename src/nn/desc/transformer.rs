//! Transformer blocks, and the norm at the end of trunks with such blocks.

use serde::{Deserialize, Serialize};

use super::{Activation, MatMul};
use crate::go::point::MAX_SIZE;

/// Multi-head self-attention over board points: for each head `softmax(query * key /
/// sqrt(key_width)) * value` of the normalised trunk, then `output` of all heads, concatenated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionBlock {
    /// Norm before the projections.
    pub norm: RmsNorm,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; divides `heads`. Each is shared by `heads / kv_heads` consecutive query
    /// heads.
    pub kv_heads: usize,
    /// Channels of each head in `query` and `key`.
    pub key_width: usize,
    /// Channels of each head in `value` and `output`.
    pub value_width: usize,
    /// To `[head][key_width]`.
    pub query: MatMul,
    /// To `[kv_head][key_width]`.
    pub key: MatMul,
    /// To `[kv_head][value_width]`.
    pub value: MatMul,
    /// From `[head][value_width]` to the trunk.
    pub output: MatMul,
    /// Rotary position embedding of queries and keys, if any.
    pub rope: Option<Rope>,
}

/// Rotary position embedding: the channels `2p` and `2p + 1` of each query and key are rotated as a
/// vector, by an angle linear in the point's column and row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rope {
    /// Angles per column and row: `[kv_head][pair][0: column, 1: row]`.
    Learned(#[serde(skip)] Vec<f32>),
    /// The same for all heads. Of `n` pairs the first `n / 2` rotate with the row by `theta^(-2p /
    /// n)`, the others with the column by `theta^(-2 (p - n / 2) / n)`.
    Fixed {
        /// Above 0.
        theta: f32,
    },
}

/// `output(silu(inner(norm(trunk))) * gate(norm(trunk)))` at each point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedForwardBlock {
    pub norm: RmsNorm,
    /// To the hidden width, activated.
    pub inner: MatMul,
    /// To the hidden width, not activated.
    pub gate: MatMul,
    /// Back to the width of the trunk.
    pub output: MatMul,
}

/// RMS norm: `input * weights / sqrt(mean of squares + epsilon)`, the mean over all channels of the
/// point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RmsNorm {
    /// For error messages.
    pub name: String,
    /// Above 0, at most 1.
    pub epsilon: f32,
    /// One value per channel.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// `input * norm.weights / sqrt(mean of squares + norm.epsilon) + bias`, then the activation. The
/// result is 0 off the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RmsNormAct {
    pub norm: RmsNorm,
    /// One value per channel.
    #[serde(skip)]
    pub bias: Vec<f32>,
    /// Whether the mean is over all channels of all points of the board.
    pub is_spatial: bool,
    pub activation: Activation,
}

impl Rope {
    /// Angles per column and per row of each pair of the key heads, `[kv_head][pair]`.
    pub fn frequencies(&self, kv_heads: usize, key_width: usize) -> Vec<(f64, f64)> {
        match self {
            Rope::Learned(frequencies) => frequencies
                .chunks_exact(2)
                .map(|pair| (pair[0] as f64, pair[1] as f64))
                .collect(),
            Rope::Fixed { theta } => {
                let pairs = key_width / 2;
                let half = pairs / 2;
                let angle = |power: usize| (*theta as f64).powf(-2.0 * power as f64 / pairs as f64);
                let of_pair = |pair: usize| match pair {
                    _ if pair < half => (0.0, angle(pair)),
                    _ => (angle(pair - half), 0.0),
                };
                let head: Vec<_> = (0..pairs).map(of_pair).collect();
                head.repeat(kv_heads)
            }
        }
    }
}

/// Rotation of pairs with these angles per column and row at each point of the largest board,
/// `[row][column][pair]`.
pub fn angles(frequencies: &[(f64, f64)]) -> impl Iterator<Item = f64> {
    let points = (0..MAX_SIZE * MAX_SIZE).map(|point| (point % MAX_SIZE, point / MAX_SIZE));
    points.flat_map(|(x, y)| {
        let at = move |(by_x, by_y): &(f64, f64)| x as f64 * by_x + y as f64 * by_y;
        frequencies.iter().map(at)
    })
}
