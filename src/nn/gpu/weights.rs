//! Weights of a plan in the form in which kernels read them.

use half::f16;

use super::Format;
use super::layout::ALIGNMENT;
use crate::nn::desc;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Normed, Operation, Plan, Work};

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

/// Where the weights of an operation lie, in bytes. Each has one or two parts: kernel and affine
/// transform, or matrix and bias.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    pub first: usize,
    pub second: usize,
}

impl Weights {
    /// Of all operations but those convolutions on tensor cores, whose form depends on their tile.
    pub fn new(plan: &Plan, format: Format) -> Weights {
        let mut weights = Weights::default();
        for operation in &plan.operations {
            let places = weights.places_of(operation, format);
            weights.places.push(places);
        }
        weights
    }

    fn places_of(&mut self, operation: &Operation, format: Format) -> Places {
        match &operation.work {
            Work::Conv(conv) => {
                let first = match format {
                    Format::F32 => self.floats(&plain_kernel(&conv.kernel)),
                    Format::F16 => 0,
                };
                let outputs = padded(conv.kernel.outputs);
                let mut affine = vec![0.0; 2 * outputs];
                if let Some(Normed {
                    norm: Some(norm), ..
                }) = &conv.normed
                {
                    affine[..norm.scale.len()].copy_from_slice(&norm.scale);
                    affine[outputs..][..norm.bias.len()].copy_from_slice(&norm.bias);
                }
                Places {
                    first,
                    second: self.floats(&affine),
                }
            }
            Work::Dense(dense) => Places {
                first: self.floats(&dense.matrix.weights),
                second: dense.bias.as_ref().map_or(0, |bias| self.floats(bias)),
            },
            Work::Maps(maps) => Places {
                first: self.floats(&rows_of_maps(&maps.kernel)),
                second: 0,
            },
            _ => Places::default(),
        }
    }

    fn floats(&mut self, values: &[f32]) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytemuck::cast_slice(values));
        start
    }
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
