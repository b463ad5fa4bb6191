//! Weights of a plan in the form in which kernels read them.

use bytemuck::NoUninit;
use half::f16;

use super::Format;
use super::attention::turns;
use super::attention_block::AttentionBlock;
use super::feed_forward::FeedForward;
use super::layout::ALIGNMENT;
use super::products::Products;
use crate::nn::desc;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Affine, Plan, Work};

/// Channels of eight values, which are copied at once.
const PIECE: usize = 8;

/// All weights of a plan, one after another.
#[derive(Debug, Default)]
pub struct Weights {
    /// As they lie on the device.
    pub bytes: Vec<u8>,
    /// Of each operation.
    pub places: Vec<Places>,
}

/// Where the weights of an operation lie, in bytes. Each has up to three parts: kernel, affine transform and what
/// [`turns`] of attention there are, with the number of heads; or matrix and bias; or all
/// matrices of the block that begins with the operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    pub first: usize,
    pub second: usize,
    pub turns: Option<(usize, usize)>,
}

impl Weights {
    /// Of all operations but those convolutions on tensor cores, whose form depends on their tile.
    pub fn new(plan: &Plan, products: &Products, format: Format) -> Weights {
        let mut weights = Weights::default();
        for (index, operation) in plan.operations.iter().enumerate() {
            let places = match products.of(plan, index) {
                Some(kernel) => weights.product(&operation.work, kernel, format),
                None => {
                    let feed_forward = FeedForward::at(plan, index, format);
                    let attention = AttentionBlock::at(plan, index, format);
                    let block = feed_forward.map(|block| block.weights());
                    match block.or_else(|| attention.map(|block| block.weights())) {
                        Some(block) => weights.block(&block),
                        None => weights.others(&operation.work),
                    }
                }
            };
            weights.places.push(places);
        }
        weights
    }

    fn product(&mut self, work: &Work, kernel: &desc::Conv, format: Format) -> Places {
        let first = match format {
            Format::F32 => self.floats(&plain_kernel(kernel)),
            Format::F16 => 0,
        };
        let norm = match work {
            Work::Conv(conv) => conv.normed.as_ref().and_then(|normed| normed.norm.as_ref()),
            _ => None,
        };
        let turns = match work {
            Work::Attention(attention) => turns(attention),
            _ => None,
        };
        Places {
            first,
            second: self.floats(&affine(norm, padded(kernel.outputs))),
            turns: turns.map(|(turns, heads)| (self.floats(&turns), heads)),
        }
    }

    fn block(&mut self, block: &[f16]) -> Places {
        Places {
            first: self.values(block),
            ..Places::default()
        }
    }

    fn others(&mut self, work: &Work) -> Places {
        let (first, second) = match work {
            Work::Dense(dense) => (
                self.floats(&dense.matrix.weights),
                dense.bias.as_ref().map_or(0, |bias| self.floats(bias)),
            ),
            Work::Maps(maps) => (self.floats(&rows_of_maps(&maps.kernel)), 0),
            Work::RmsNorm(norm) => {
                let norm = norm.normed.norm.as_ref();
                let of_norm = |norm: &Affine| affine(Some(norm), padded(norm.scale.len()));
                (0, norm.map_or(0, |norm| self.floats(&of_norm(norm))))
            }
            _ => (0, 0),
        };
        Places {
            first,
            second,
            turns: None,
        }
    }

    fn floats(&mut self, values: &[f32]) -> usize {
        self.values(values)
    }

    fn values<T: NoUninit>(&mut self, values: &[T]) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytemuck::cast_slice(values));
        start
    }
}

/// Scale and bias of so many channels; zeros without a norm.
fn affine(norm: Option<&Affine>, channels: usize) -> Vec<f32> {
    let mut affine = vec![0.0; 2 * channels];
    if let Some(norm) = norm {
        affine[..norm.scale.len()].copy_from_slice(&norm.scale);
        affine[channels..][..norm.bias.len()].copy_from_slice(&norm.bias);
    }
    affine
}

/// `[output][input]`, inputs padded.
fn rows_of_maps(kernel: &desc::Conv) -> Vec<f32> {
    let row = |output: usize| {
        let weights = kernel.weights[output..].iter().step_by(kernel.outputs);
        let zeros = padded(kernel.inputs) - kernel.inputs;
        weights.copied().chain(std::iter::repeat_n(0.0, zeros))
    };
    (0..kernel.outputs).flat_map(row).collect()
}

/// `[tap][input][output]`, padded.
fn plain_kernel(kernel: &desc::Conv) -> Vec<f32> {
    let (inputs, outputs) = (padded(kernel.inputs), padded(kernel.outputs));
    let taps = kernel.kernel_height * kernel.kernel_width;
    let mut padded = vec![0.0; taps * inputs * outputs];
    for (index, row) in kernel.weights.chunks(kernel.outputs).enumerate() {
        let (tap, input) = (index / kernel.inputs, index % kernel.inputs);
        padded[(tap * inputs + input) * outputs..][..row.len()].copy_from_slice(row);
    }
    padded
}

/// `[tile of columns][chunk of inputs][tap][column][input]` in f16, where the pieces of eight inputs of a
/// column are permuted as `permutation` in `kernels.cu` says.
pub fn tiled_kernel(kernel: &desc::Conv, columns: usize, depth: usize) -> Vec<f16> {
    let (inputs, outputs) = (padded(kernel.inputs), padded(kernel.outputs));
    let taps = kernel.kernel_height * kernel.kernel_width;
    let chunks = inputs / depth;
    let mut tiled = vec![f16::ZERO; taps * inputs * outputs];
    for (index, row) in kernel.weights.chunks(kernel.outputs).enumerate() {
        let (tap, input) = (index / kernel.inputs, index % kernel.inputs);
        let (chunk, input) = (input / depth, input % depth);
        for (output, &weight) in row.iter().enumerate() {
            let (tile, column) = (output / columns, output % columns);
            let piece = (input / PIECE) ^ permutation(column, depth);
            let stage = (tile * chunks + chunk) * taps + tap;
            let place = (stage * columns + column) * depth + piece * PIECE + input % PIECE;
            tiled[place] = f16::from_f32(weight.clamp(-65504.0, 65504.0));
        }
    }
    tiled
}

/// As `permutation` in `kernels.cu`.
fn permutation(row: usize, depth: usize) -> usize {
    match depth {
        64 => row & 7,
        _ => (row >> 1) & 3,
    }
}
