//! Feed-forward blocks of transformers.

use anyhow::Result;

use super::super::arguments::{FeedForwardArguments, activation_number};
use super::super::feed_forward::FeedForward;
use super::{Binding, Launch, number};

/// Threads of a block, and its rows.
const THREADS: usize = 256;
const ROWS: usize = 128;

impl Binding<'_> {
    /// The block that begins with an operation.
    pub fn feed_forward(&self, index: usize, block: &FeedForward) -> Result<Launch> {
        let (norm, output) = (block.norm, block.output);
        let normed = output.normed.as_ref();
        let affine = self.places[index + 2].second;
        let arguments = FeedForwardArguments {
            from: self.address(norm.from),
            weights: self.weights + self.places[index].first as u64,
            affine: self.weights + affine as u64,
            raw: self.optional(output.raw),
            normed: self.optional(normed.map(|normed| normed.to)),
            rows: number(self.rows())?,
            steps: number(block.steps())?,
            activation: normed.map_or(0, |normed| activation_number(normed.activation)),
            inverse_count: (1.0 / self.plan.value(norm.from).channels as f64) as f32,
            epsilon: norm.epsilon,
            reserved: 0,
        };
        Ok(Launch {
            kernel: format!("feed_forward_{}", block.channels),
            blocks: self.rows().div_ceil(ROWS),
            threads: THREADS,
            shared: block.shared(),
            arguments: arguments.into(),
        })
    }
}
