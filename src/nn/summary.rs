//! Statistics of a net: kinds of blocks, number of parameters, operations of an evaluation.

use std::iter::Sum;
use std::ops::Add;

use crate::go::BoardSize;

use super::desc::{
    AttentionBlock, Block, Conv, MatMul, Net, PassHead, PolicyHead, Trunk, ValueHead,
};

/// Multiply-adds of the convolutions and matrix products of one evaluation. Norms, activations and
/// pooling, a few percent, are not counted, and the board's edges are counted like its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Per pair of points, in attention.
    pub per_pair: u64,
    /// Per point of the board.
    pub per_point: u64,
    /// Per board.
    pub per_board: u64,
}

impl Cost {
    /// For one position on a board of this size.
    pub fn multiply_adds(self, size: BoardSize) -> u64 {
        let area = size.area() as u64;
        (self.per_pair * area + self.per_point) * area + self.per_board
    }

    /// Floating-point operations in billions, two per multiply-add.
    pub fn gflop(self, size: BoardSize) -> f64 {
        2e-9 * self.multiply_adds(size) as f64
    }

    /// Convolutions use each weight once at every point.
    fn of_convs(convs: &[&Conv]) -> Cost {
        Cost {
            per_point: convs.iter().map(|conv| conv.weights.len() as u64).sum(),
            ..Cost::default()
        }
    }

    /// Matrix products with the channels of each point.
    fn of_point_matmuls(matmuls: &[&MatMul]) -> Cost {
        Cost {
            per_point: matmuls.iter().map(|m| m.weights.len() as u64).sum(),
            ..Cost::default()
        }
    }

    /// Matrix products with values of the whole board.
    fn of_matmuls(matmuls: &[&MatMul]) -> Cost {
        Cost {
            per_board: matmuls.iter().map(|m| m.weights.len() as u64).sum(),
            ..Cost::default()
        }
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            per_pair: self.per_pair + other.per_pair,
            per_point: self.per_point + other.per_point,
            per_board: self.per_board + other.per_board,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Cost::add)
    }
}

impl Net {
    /// Number of weights, including statistics of norms.
    pub fn parameters(&self) -> usize {
        let tensors = self.tensors();
        tensors.iter().map(|tensor| tensor.weights.len()).sum()
    }

    /// Operations of an evaluation.
    pub fn cost(&self) -> Cost {
        trunk(&self.trunk) + policy_head(&self.policy_head) + value_head(&self.value_head)
    }
}

impl Block {
    /// The name of its kind, for display.
    pub fn kind(&self) -> &'static str {
        match self {
            Block::Ordinary(_) => "ordinary",
            Block::GlobalPooling(_) => "global pooling",
            Block::NestedBottleneck(_) => "nested bottleneck",
            Block::Attention(_) => "attention",
            Block::FeedForward(_) => "feed-forward",
            Block::Plain(_) => "plain",
            Block::ChainPooling(_) => "chain pooling",
        }
    }

    /// The blocks inside it.
    pub fn inner(&self) -> &[Block] {
        match self {
            Block::NestedBottleneck(block) => &block.blocks,
            _ => &[],
        }
    }

    fn cost(&self) -> Cost {
        match self {
            Block::Ordinary(block) => Cost::of_convs(&[&block.conv_a, &block.conv_b]),
            Block::GlobalPooling(block) => {
                let convs = Cost::of_convs(&[&block.conv_a, &block.pool_conv, &block.conv_b]);
                convs + Cost::of_matmuls(&[&block.pool_matmul])
            }
            Block::NestedBottleneck(block) => {
                let inner: Cost = block.blocks.iter().map(Block::cost).sum();
                inner + Cost::of_convs(&[&block.conv_in, &block.conv_out])
            }
            Block::Attention(block) => attention(block),
            Block::FeedForward(block) => {
                Cost::of_point_matmuls(&[&block.inner, &block.gate, &block.output])
            }
            Block::Plain(block) => Cost::of_convs(&[&block.conv]),
            Block::ChainPooling(block) => Cost::of_convs(&[&block.conv, &block.conv_out]),
        }
    }
}

/// Attention: for each head, products of queries and keys, and weighted sums of values, for all
/// pairs of points.
fn attention(block: &AttentionBlock) -> Cost {
    let attention = Cost {
        per_pair: (block.heads * (block.key_width + block.value_width)) as u64,
        ..Cost::default()
    };
    attention + Cost::of_point_matmuls(&[&block.query, &block.key, &block.value, &block.output])
}

fn trunk(trunk: &Trunk) -> Cost {
    let blocks: Cost = trunk.blocks.iter().map(Block::cost).sum();
    let initial = Cost::of_convs(&[&trunk.initial_conv]);
    let players = trunk
        .metadata_encoder
        .as_ref()
        .map_or(Cost::default(), |encoder| {
            let (first, second) = (&encoder.first.matmul, &encoder.second.matmul);
            Cost::of_matmuls(&[first, second, &encoder.output])
        });
    let global = trunk.initial_global.iter();
    blocks + initial + players + global.map(|global| Cost::of_matmuls(&[global])).sum()
}

fn policy_head(head: &PolicyHead) -> Cost {
    let pass = match &head.pass {
        PassHead::Linear(matmul) => Cost::of_matmuls(&[matmul]),
        PassHead::Hidden { hidden, output, .. } => Cost::of_matmuls(&[hidden, output]),
    };
    let convs = Cost::of_convs(&[&head.conv, &head.pool_conv, &head.conv_out]);
    convs + Cost::of_matmuls(&[&head.pool_matmul]) + pass
}

fn value_head(head: &ValueHead) -> Cost {
    let convs = Cost::of_convs(&[&head.conv, &head.ownership]);
    convs + Cost::of_matmuls(&[&head.hidden, &head.value, &head.score])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::desc::RmsNorm;
    use super::super::katago::read_bytes;
    use super::*;

    /// A net of version 8 as text: trunk of 2 channels, one ordinary block with 3 between its
    /// convolutions, heads of 1 channel, a hidden layer of 4.
    fn tiny() -> Net {
        let zeros = |count: usize| "0 ".repeat(count);
        let conv = |side: usize, inputs: usize, outputs: usize| {
            let weights = zeros(side * side * inputs * outputs);
            format!("c {side} {side} {inputs} {outputs} 1 1 {weights}")
        };
        let matmul = |inputs: usize, outputs: usize| {
            format!("m {inputs} {outputs} {}", zeros(inputs * outputs))
        };
        let bias = |channels: usize| format!("b {channels} {}", zeros(channels));
        let norm = |channels: usize| {
            let weights = zeros(3 * channels);
            format!("n {channels} 0.001 0 1 {weights} a ")
        };
        let text = [
            "tiny 8 22 19 trunk 1 2 3 3 1 1 ".to_owned(),
            conv(3, 22, 2) + &matmul(19, 2) + "ordinary_block block ",
            norm(2) + &conv(3, 2, 3) + &norm(3) + &conv(1, 3, 2) + &norm(2),
            "policy ".to_owned() + &conv(1, 2, 1) + &conv(1, 2, 1) + &norm(1) + &matmul(3, 1),
            norm(1) + &conv(1, 1, 1) + &matmul(3, 1),
            "value ".to_owned() + &conv(1, 2, 1) + &norm(1) + &matmul(3, 4) + &bias(4) + "a ",
            matmul(4, 3) + &bias(3) + &matmul(4, 4) + &bias(4) + &conv(1, 1, 1),
        ];
        read_bytes(text.concat().as_bytes()).unwrap()
    }

    #[test]
    fn attention_counted_by_hand() {
        let matmul = |inputs: usize, outputs: usize| MatMul {
            name: String::new(),
            inputs,
            outputs,
            weights: vec![0.0; inputs * outputs],
        };
        let norm = RmsNorm {
            name: String::new(),
            epsilon: 1e-6,
            weights: vec![1.0; 8],
        };
        let block = AttentionBlock {
            norm,
            heads: 4,
            kv_heads: 2,
            key_width: 3,
            value_width: 5,
            query: matmul(8, 4 * 3),
            key: matmul(8, 2 * 3),
            value: matmul(8, 2 * 5),
            output: matmul(4 * 5, 8),
            rope: None,
        };
        let cost = Block::Attention(block.into()).cost();
        let per_point = 96 + 48 + 80 + 160;
        assert_eq!(
            (cost.per_pair, cost.per_point, cost.per_board),
            (4 * 8, per_point, 0)
        );
        let on_four_points = 16 * 32 + 4 * per_point;
        assert_eq!(cost.multiply_adds(BoardSize::square(2)), on_four_points);
    }

    #[test]
    fn a_net_counted_by_hand() {
        let net = tiny();
        let convs = 9 * 22 * 2 + 9 * 2 * 3 + 3 * 2 + 2 + 2 + 1 + 2 + 1;
        let matmuls = 19 * 2 + 3 + 3 + 3 * 4 + 4 * 3 + 4 * 4;
        let norms_and_biases = 3 * (2 + 3 + 2 + 1 + 1 + 1) + 4 + 3 + 4;
        assert_eq!((convs, matmuls), (464, 84));
        assert_eq!(net.parameters(), 464 + 84 + norms_and_biases);
        let expected = Cost {
            per_pair: 0,
            per_point: 464,
            per_board: 84,
        };
        assert_eq!(net.cost(), expected);
        assert_eq!(
            net.cost().multiply_adds(BoardSize::square(9)),
            464 * 81 + 84
        );
        assert_eq!(
            net.cost().gflop(BoardSize::square(2)),
            2e-9 * (464.0 * 4.0 + 84.0)
        );
    }
}
