//! Norm, projections and attention in one kernel.

use anyhow::Result;

use super::super::arguments::AttentionArguments;
use super::super::attention::TILE;
use super::super::attention_block::AttentionBlock;
use super::{Binding, Launch, number};

impl Binding<'_> {
    /// The block that begins with an operation.
    pub fn attention_block(&self, index: usize, block: &AttentionBlock) -> Result<Launch> {
        let (area, (key, value)) = (self.size.area(), block.widths);
        let (norm, attention) = (block.norm, block.attention);
        let (blocks, splits) = self.shares_of_queries(attention);
        let arguments = AttentionArguments {
            projected: 0,
            chunk: number(area.next_multiple_of(TILE))?,
            splits: number(splits)?,
            from: self.address(norm.from),
            weights: self.weights + self.places[index].first as u64,
            inputs: number(block.inputs)?,
            inverse_count: (1.0 / self.plan.value(norm.from).channels as f64) as f32,
            epsilon: norm.epsilon,
            ..self.attention_arguments(attention, self.turns(index + 1))?
        };
        Ok(Launch {
            kernel: format!("attention_block_{key}x{value}"),
            blocks,
            threads: super::attention::THREADS.0,
            shared: block.shared(area),
            arguments: arguments.into(),
        })
    }
}
