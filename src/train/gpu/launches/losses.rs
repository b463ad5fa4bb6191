//! Losses, and the gradients of outputs.

use anyhow::Result;

use super::super::arguments::{LossArguments, LossSumsArguments};
use super::super::tape::Id;
use super::BatchBinding;
use crate::nn::gpu::Launch;
use crate::nn::gpu::launches::number;

/// Threads of a block of `losses`, which has two numbers in shared memory for each, and of `loss_sums`.
const LOSS_THREADS: usize = 128;
const SUM_THREADS: usize = 32;

impl BatchBinding<'_> {
    /// From outputs to their gradients and to sums of losses, which are added to what is there.
    pub fn losses(&self) -> Result<Vec<Launch>> {
        let all: [Id; 7] = self.all.tape.outputs[..].try_into()?;
        let channels = |index: usize| number(self.channels(all[index]));
        let targets = &self.layout.targets;
        let at = |place: usize| self.values_at + place as u64;
        let arguments = LossArguments {
            outputs: all.map(|id| self.value(id)),
            gradients: all.map(|id| self.of(id)),
            samples: at(targets.samples),
            policy: at(targets.policy),
            opponent: at(targets.opponent),
            ownership: at(targets.ownership),
            legal: at(targets.legal),
            objective: self.all.constant(self.all.constants.objective),
            losses: at(self.layout.losses),
            area: number(self.size.area())?,
            policies: channels(0)?,
            extra_policies: channels(1)?,
            values: channels(4)?,
            scores: channels(5)?,
            reserved: 0,
        };
        let sums = LossSumsArguments {
            losses: at(self.layout.losses),
            sums: self.all.constant(self.all.constants.sums),
            boards: number(self.boards)?,
            reserved: 0,
        };
        Ok(vec![
            Launch {
                kernel: "losses".to_owned(),
                blocks: self.boards,
                threads: LOSS_THREADS,
                shared: 2 * LOSS_THREADS * size_of::<f32>(),
                arguments: arguments.into(),
            },
            Launch::of_threads("loss_sums".to_owned(), (SUM_THREADS, SUM_THREADS), sums),
        ])
    }
}
