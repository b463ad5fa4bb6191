//! Statistics of a net: kinds of blocks, number of parameters.

use super::desc::{Block, Net};

impl Net {
    /// Number of weights, including statistics of norms.
    pub fn parameters(&self) -> usize {
        let tensors = self.tensors();
        tensors.iter().map(|tensor| tensor.weights.len()).sum()
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::katago::read_bytes;
    use super::super::plan::{Plan, Products};
    use super::*;
    use crate::go::BoardSize;

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
    fn a_net_counted_by_hand() {
        let net = tiny();
        let convs = 9 * 22 * 2 + 9 * 2 * 3 + 3 * 2 + 2 + 2 + 1 + 2 + 1;
        let matmuls = 19 * 2 + 3 + 3 + 3 * 4 + 4 * 3 + 4 * 4;
        let norms_and_biases = 3 * (2 + 3 + 2 + 1 + 1 + 1) + 4 + 3 + 4;
        assert_eq!((convs, matmuls), (464, 84));
        assert_eq!(net.parameters(), 464 + 84 + norms_and_biases);
        let expected = Products {
            per_pair: 0,
            per_point: 464,
            per_board: 84,
        };
        let products = Plan::new(&net).products();
        assert_eq!(products, expected);
        let [small, large] = [2, 9].map(BoardSize::square);
        assert_eq!(products.multiply_adds(large), 464 * 81 + 84);
        assert_eq!(products.gflop(small), 2e-9 * (464.0 * 4.0 + 84.0));
    }
}
