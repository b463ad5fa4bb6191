//! A network on a GPU that goes on with the CPU when the GPU fails.

use std::io::Write;
use std::sync::OnceLock;

use anyhow::{Context, Result};

use super::inputs::Checked;
use super::{Device, Executor};
use crate::nn::cpu;
use crate::nn::cpu::simd::Isa;
use crate::nn::features::InputBatch;
use crate::nn::output::RawOutput;

/// An executor, and what replaces it.
pub struct WithFallback<D: Device> {
    executor: Executor<D>,
    /// Made when the GPU has failed.
    on_cpu: OnceLock<cpu::Executor>,
    report: fn(&str),
}

impl<D: Device> WithFallback<D> {
    /// `report` is told once why the CPU takes over.
    pub fn new(executor: Executor<D>, report: fn(&str)) -> WithFallback<D> {
        WithFallback {
            executor,
            on_cpu: OnceLock::new(),
            report,
        }
    }

    /// The executor.
    pub fn executor(&self) -> &Executor<D> {
        &self.executor
    }

    /// One output for each position of the batch.
    pub fn forward(&self, batch: &InputBatch) -> Result<Vec<RawOutput>> {
        if let Some(on_cpu) = self.on_cpu.get() {
            return on_cpu.forward(batch);
        }
        Checked::new(self.executor.plan(), batch)?;
        match self.executor.forward(batch) {
            Ok(found) => Ok(found),
            Err(error) => {
                let isa = Isa::chosen().with_context(|| format!("the GPU failed: {error:#}"))?;
                let on_cpu = self.on_cpu.get_or_init(|| {
                    (self.report)(&format!("the GPU failed, the CPU goes on: {error:#}"));
                    cpu::Executor::new(self.executor.plan().clone(), isa, false)
                });
                on_cpu.forward(batch)
            }
        }
    }
}

/// Writes to standard error.
pub fn to_stderr(message: &str) {
    // Without standard error there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{message}");
}
