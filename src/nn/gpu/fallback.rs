//! A network on one or more GPUs that goes on with the rest, and in the end with the CPU, when a GPU fails.

use std::io::Write;
use std::sync::{Mutex, OnceLock};

use anyhow::{Context, Error, Result};

use super::inputs::Checked;
use super::{Device, Executor};
use crate::nn::cpu;
use crate::nn::cpu::simd::Isa;
use crate::nn::features::InputBatch;
use crate::nn::output::RawOutput;
use crate::threads::locked;

/// Executors of one network, and what replaces them.
pub struct WithFallback<D: Device> {
    executors: Vec<Executor<D>>,
    /// Batches that each has not answered; none for one that has failed.
    in_hand: Mutex<Vec<Option<usize>>>,
    /// Made when all have failed.
    on_cpu: OnceLock<cpu::Executor>,
    report: fn(&str),
}

impl<D: Device> WithFallback<D> {
    /// Of at least one executor. `report` is told once of each GPU that fails.
    pub fn new(executors: Vec<Executor<D>>, report: fn(&str)) -> WithFallback<D> {
        WithFallback {
            in_hand: Mutex::new(vec![Some(0); executors.len()]),
            executors,
            on_cpu: OnceLock::new(),
            report,
        }
    }

    /// The first executor.
    pub fn executor(&self) -> &Executor<D> {
        &self.executors[0]
    }

    /// One output for each position of the batch, by the GPU that has the fewest batches in hand.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        self.forward_parts(&[batch])
    }

    /// The same for a batch in at least one part, all of boards of the same size.
    pub fn forward_parts(&self, parts: &[&InputBatch]) -> Result<Vec<RawOutput>> {
        Checked::new(self.executor().plan(), parts)?;
        let mut last = None;
        while let Some(number) = self.take_least_busy() {
            let found = self.executors[number].forward_parts(parts);
            let mut in_hand = locked(&self.in_hand);
            match found {
                Ok(found) => {
                    in_hand[number] = in_hand[number].map(|count| count - 1);
                    return Ok(found);
                }
                Err(error) => {
                    let worked = in_hand[number].take().is_some();
                    drop(in_hand);
                    if worked {
                        self.report_failure(number, &error);
                    }
                    last = Some(error);
                }
            }
        }
        let batch = InputBatch::joined(parts);
        if let Some(on_cpu) = self.on_cpu.get() {
            return on_cpu.forward(&batch);
        }
        let isa = Isa::chosen().with_context(|| match &last {
            Some(error) => format!("the GPU failed: {error:#}"),
            None => "the GPU failed".to_owned(),
        })?;
        let plan = || self.executor().plan().clone();
        let on_cpu = self
            .on_cpu
            .get_or_init(|| cpu::Executor::new(plan(), isa, false));
        on_cpu.forward(&batch)
    }

    fn take_least_busy(&self) -> Option<usize> {
        let mut in_hand = locked(&self.in_hand);
        let gpus = in_hand.iter_mut().enumerate();
        let working = gpus.filter_map(|(number, count)| Some((number, count.as_mut()?)));
        let (number, count) = working.min_by_key(|(_, count)| **count)?;
        *count += 1;
        Some(number)
    }

    fn report_failure(&self, number: usize, error: &Error) {
        let others = locked(&self.in_hand).iter().flatten().count();
        (self.report)(&match (self.executors.len(), others) {
            (1, _) => format!("the GPU failed, the CPU goes on: {error:#}"),
            (_, 0) => format!("the last GPU failed, the CPU goes on: {error:#}"),
            _ => format!("GPU {} failed, the others go on: {error:#}", number + 1),
        });
    }
}

/// Writes to standard error.
pub fn to_stderr(message: &str) {
    // Without standard error there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{message}");
}
