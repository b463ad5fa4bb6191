//! Softmax and gates on the CPU, several times as fast as candle's: their exponentials are computed
//! many at a time, and in the thread that asks. (Candle hands large tensors to a pool of threads of
//! its own, for which the threads of a search would queue.)

use anyhow::Result;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, D, DType, Layout, Shape, Tensor, bail};
use candle_nn::ops::{silu, softmax_last_dim};

use super::gradient::with_backward_to_one;

/// Values computed at a time.
const LANES: usize = 8;

/// Adding and subtracting this rounds a small number to an integer, which is in its last bits.
const ROUNDER: f32 = 12_582_912.0;
/// ln 2 in two parts, the first exact in few bits.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Beyond, results would not be normal numbers.
const LEAST_EXPONENT: f32 = -87.0;
const GREATEST_EXPONENT: f32 = 88.0;
/// Of the Taylor series of exp, highest power first.
const SERIES: [f32; 8] = [
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// e^x, as 2^n e^r with |r| <= ln 2 / 2. Written so that compilers compute several at a time.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = if x > LEAST_EXPONENT {
        x
    } else {
        LEAST_EXPONENT
    };
    let x = if x < GREATEST_EXPONENT {
        x
    } else {
        GREATEST_EXPONENT
    };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    let series = SERIES.iter().fold(0.0, |sum, factor| sum * r + factor);
    let exponent = shifted
        .to_bits()
        .wrapping_sub(ROUNDER.to_bits())
        .wrapping_add(127);
    f32::from_bits(exponent << 23) * series
}

/// Which operations are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointwise {
    /// Those of this file for f32 on a CPU, for all else candle's.
    Own,
    /// Candle's.
    Candle,
}

impl Pointwise {
    /// Softmax over the last index.
    pub fn softmax(self, values: &Tensor) -> Result<Tensor> {
        let x = values.detach();
        let shares = match self {
            Pointwise::Own if is_plain(&x) => x.apply_op1_no_bwd(&Softmax)?,
            _ => softmax_last_dim(&x)?,
        };
        let kept = shares.clone();
        let back = move |of_shares: &Tensor| {
            let product = (of_shares * &kept)?;
            let sum = product.sum_keepdim(D::Minus1)?;
            product - kept.broadcast_mul(&sum)?
        };
        Ok(with_backward_to_one(shares, values, back)?)
    }

    /// `silu(inner) * gate`.
    pub fn gated(self, inner: &Tensor, gate: &Tensor) -> Result<Tensor> {
        let is_trained = inner.track_op() || gate.track_op();
        if self == Pointwise::Own && !is_trained && is_plain(inner) && is_plain(gate) {
            return Ok(inner.apply_op2_no_bwd(gate, &Gated)?);
        }
        Ok((silu(inner)? * gate)?)
    }
}

fn is_plain(values: &Tensor) -> bool {
    values.device().is_cpu() && values.dtype() == DType::F32 && values.is_contiguous()
}

/// The floats of a contiguous tensor.
fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> candle_core::Result<&'a [f32]> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        bail!("the tensor is not contiguous")
    };
    Ok(&storage.as_slice::<f32>()?[start..end])
}

struct Softmax;

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(
        &self,
        storage: &CpuStorage,
        layout: &Layout,
    ) -> candle_core::Result<(CpuStorage, Shape)> {
        let mut values = floats(storage, layout)?.to_vec();
        let len = layout.dims().last().copied().unwrap_or(1).max(1);
        values.chunks_exact_mut(len).for_each(softmax_row);
        Ok((CpuStorage::F32(values), layout.shape().clone()))
    }
}

fn softmax_row(row: &mut [f32]) {
    let greater = |a: f32, b: f32| if a > b { a } else { b };
    let max = reduce(row, f32::MIN, greater);
    row.iter_mut().for_each(|value| *value = exp(*value - max));
    let scale = 1.0 / reduce(row, 0.0, |a, b| a + b);
    row.iter_mut().for_each(|value| *value *= scale);
}

/// Joins all values, in an order that lets several be joined at a time.
fn reduce(values: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let (lanes, rest) = values.as_chunks::<LANES>();
    let mut joined = [start; LANES];
    for values in lanes {
        for (joined, value) in joined.iter_mut().zip(values) {
            *joined = join(*joined, *value);
        }
    }
    joined
        .iter()
        .chain(rest)
        .fold(start, |joined, value| join(joined, *value))
}

struct Gated;

impl CustomOp2 for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn cpu_fwd(
        &self,
        inner: &CpuStorage,
        inner_layout: &Layout,
        gate: &CpuStorage,
        gate_layout: &Layout,
    ) -> candle_core::Result<(CpuStorage, Shape)> {
        let inner = floats(inner, inner_layout)?;
        let gate = floats(gate, gate_layout)?;
        let product = |(x, gate): (&f32, &f32)| x / (1.0 + exp(-x)) * gate;
        let values = inner.iter().zip(gate).map(product).collect();
        Ok((CpuStorage::F32(values), inner_layout.shape().clone()))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        for step in -8_700..=8_800 {
            let x = step as f32 / 100.0;
            let expected = (x as f64).exp();
            let error = (exp(x) as f64 / expected - 1.0).abs();
            assert!(error < 4e-7, "{x}: {error}");
        }
        assert!(exp(-1e30) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn rows_and_gates_are_those_of_candle() {
        let waves = |height: f32, step: f32| {
            let values = (0..3 * 7 * 37).map(|index| height * (index as f32 * step).sin());
            let tensor = Tensor::from_iter(values, &Device::Cpu).unwrap();
            tensor.reshape((3, 7, 37)).unwrap()
        };
        let (values, other) = (waves(12.0, 0.7), waves(2.0, 0.3));
        for (found, expected) in [
            (
                Pointwise::Own.softmax(&values).unwrap(),
                Pointwise::Candle.softmax(&values).unwrap(),
            ),
            (
                Pointwise::Own.gated(&values, &other).unwrap(),
                Pointwise::Candle.gated(&values, &other).unwrap(),
            ),
        ] {
            let differences = (found - expected).unwrap().abs().unwrap();
            let worst: f32 = differences
                .flatten_all()
                .unwrap()
                .max(D::Minus1)
                .unwrap()
                .to_scalar()
                .unwrap();
            assert!(worst < 5e-6, "{worst}");
        }
    }
}
