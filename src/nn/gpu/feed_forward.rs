//! Feed-forward blocks of transformers as one kernel: norm, gated layer, and the matrix back to the trunk.

use half::f16;

use super::Format;
use super::groups::is_division;
use super::tiles::SHARED_LIMIT;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Conv, Gated, Operation, Plan, RmsNorm, Work};

/// Padded channels of the trunk that there are kernels for, as in `kernels.cu`.
const CHANNELS: [usize; 4] = [64, 96, 128, 192];
/// Hidden channels of a step, and steps of a stage, as in `feed_forward.cuh`.
const STEP: usize = 16;
const STEPS_OF_STAGE: usize = 2;
/// Stages of the pipeline of copies, as in `feed_forward.cuh`.
const STAGES: usize = 3;
/// Columns of `inner` and of `gate` that alternate.
const PACK: usize = 8;
/// Products of eight inputs are copied at once.
const PIECE: usize = 8;
/// Operations of a block.
pub const OPERATIONS: usize = 3;

/// The operations of a block.
#[derive(Clone, Copy, Debug)]
pub struct FeedForward<'a> {
    /// The first.
    pub norm: &'a RmsNorm,
    /// The second.
    pub gated: &'a Gated,
    /// The third: adds to what the first one reads.
    pub output: &'a Conv,
    /// Padded channels of the trunk.
    pub channels: usize,
}

impl<'a> FeedForward<'a> {
    /// The block that begins with an operation, if it does and there is a kernel.
    pub fn at(plan: &'a Plan, index: usize, format: Format) -> Option<FeedForward<'a>> {
        let operations = plan.operations[index..].get(..OPERATIONS)?;
        let [norm, gated, output] = operations else {
            return None;
        };
        let (Work::RmsNorm(norm), Work::Gated(gated)) = (&norm.work, &gated.work) else {
            return None;
        };
        let output = plain_output(output)?;
        let channels = plan.value(norm.from).channels;
        let reads_trunk = output
            .residual
            .is_some_and(|residual| residual.from == norm.from && !residual.is_rectified);
        let is_chain = is_division(norm)
            && gated.from == norm.normed.to
            && output.input == gated.to
            && plan.readers(norm.normed.to).eq([index + 1])
            && plan.readers(gated.to).eq([index + 2]);
        let block = FeedForward {
            norm,
            gated,
            output,
            channels: padded(channels),
        };
        let is_known = format == Format::F16
            && CHANNELS.contains(&block.channels)
            && block.shared() <= SHARED_LIMIT
            && output.kernel.outputs == channels;
        (is_known && reads_trunk && is_chain).then_some(block)
    }

    /// Hidden channels in steps.
    pub fn steps(&self) -> usize {
        let hidden = self.gated.inner.outputs;
        hidden.next_multiple_of(STEP * STEPS_OF_STAGE) / STEP
    }

    /// Bytes of shared memory of a block.
    pub fn shared(&self) -> usize {
        STAGES * STEPS_OF_STAGE * self.values_of_step() * size_of::<f16>()
    }

    fn values_of_step(&self) -> usize {
        3 * STEP * self.channels
    }

    /// For each step two parts in f16, of rows of 16 values: `[16 inputs][column][input]` with columns of
    /// `inner` and `gate`, eight in turn; and `[output][hidden channel]`. Inputs and outputs are permuted.
    pub fn weights(&self) -> Vec<f16> {
        let of_step = self.values_of_step();
        let mut weights = vec![f16::ZERO; self.steps() * of_step];
        for (matrix, shift) in [(&self.gated.inner, 0), (&self.gated.gate, PACK)] {
            for (index, &weight) in matrix.weights.iter().enumerate() {
                let (input, hidden) = (index / matrix.outputs, index % matrix.outputs);
                let (step, within) = (hidden / STEP, hidden % STEP);
                let column = within / PACK * 2 * PACK + shift + within % PACK;
                let input = place_of_channel(input);
                let row = input / STEP * 2 * STEP + column;
                weights[step * of_step + place(row, row, input % STEP)] = rounded(weight);
            }
        }
        let kernel = &self.output.kernel;
        for (index, &weight) in kernel.weights.iter().enumerate() {
            let (hidden, output) = (index / kernel.outputs, index % kernel.outputs);
            let (step, within) = (hidden / STEP, hidden % STEP);
            let row = 2 * self.channels + place_of_channel(output);
            weights[step * of_step + place(row, row, within)] = rounded(weight);
        }
        weights
    }
}

/// A 1x1 convolution with nothing that the kernel does not know.
fn plain_output(operation: &Operation) -> Option<&Conv> {
    let Work::Conv(conv) = &operation.work else {
        return None;
    };
    let (height, width) = (conv.kernel.kernel_height, conv.kernel.kernel_width);
    let is_plain = height * width == 1
        && !conv.pools_chains
        && conv.scale.is_none()
        && conv.bias.is_none()
        && conv.has_norm() == conv.normed.is_some();
    is_plain.then_some(conv)
}

/// The place of a channel of the trunk among inputs of products: of 32 channels each of four threads has eight
/// neighboring ones, four for each of two products, of which it has the places `2 t`, `2 t + 1`, `2 t + 8` and `2 t + 9`.
pub fn place_of_channel(channel: usize) -> usize {
    let (block, thread, own) = (channel / 32, channel % 32 / 8, channel % 8);
    let (product, high, low) = (own / 4, own % 4 / 2, own % 2);
    block * 32 + product * STEP + high * 8 + thread * 2 + low
}

/// The place of a value of a row of 16, which is this `column` of its matrix, as `piece_permutation<16>` in
/// `attention.cuh` has it.
pub fn place(row: usize, column: usize, value: usize) -> usize {
    let piece = (value / PIECE) ^ ((column >> 2) & 1);
    row * STEP + piece * PIECE + value % PIECE
}

/// In f16, cut to its range.
pub fn rounded(weight: f32) -> f16 {
    f16::from_f32(weight.clamp(-65504.0, 65504.0))
}
