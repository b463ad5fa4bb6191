//! RMS norms.

use anyhow::Result;

use super::super::arguments::{NormArguments, activation_number};
use super::{Binding, Launch, number};
use crate::nn::plan::RmsNorm;

/// Threads of a block, and its rows where each has a mean of its own.
const THREADS: usize = 256;
const ROWS: usize = 16;

impl Binding<'_> {
    /// With the weights of the norm after it, if there is one.
    pub(super) fn rms_norm(&self, norm: &RmsNorm, affine: u64) -> Result<Launch> {
        let (channels, area) = (self.plan.value(norm.from).channels, self.size.area());
        let of_mean = channels * if norm.is_spatial { area } else { 1 };
        let arguments = NormArguments {
            from: self.address(norm.from),
            affine: norm.normed.norm.as_ref().map_or(0, |_| affine),
            to: self.address(norm.normed.to),
            rows: number(self.rows())?,
            area: number(area)?,
            stride: number(self.stride(norm.from))?,
            activation: activation_number(norm.normed.activation),
            inverse_count: (1.0 / of_mean as f64) as f32,
            epsilon: norm.epsilon,
        };
        let (kernel, blocks, shared) = match norm.is_spatial {
            true => ("rms_norm_boards", self.boards, THREADS * size_of::<f32>()),
            false => ("rms_norm", self.rows().div_ceil(ROWS), 0),
        };
        Ok(Launch {
            kernel: self.format.of_kernel(kernel),
            blocks,
            threads: THREADS,
            shared,
            arguments: arguments.into(),
        })
    }
}
