//! The kernels of a step: weights from parameters, the forward pass, the losses and the backward pass.

mod backward;
mod forward;
mod load;
mod losses;
mod weights;

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Result, ensure};

use super::layout::{Constants, Layout};
use super::tape::{Conv, Id, Operation, Tape};
use crate::go::BoardSize;
use crate::nn::gpu::arguments::ConvArguments;
use crate::nn::gpu::launches::number;
use crate::nn::gpu::tiles::{Shape, Tile};
use crate::nn::gpu::{Format, Launch};
use crate::nn::plan::memory::padded;
use weights::Cut;

/// Threads of a block of all kernels but convolutions and their gradients.
const THREADS: usize = 256;
/// Channels that a thread computes.
const PACK: usize = 8;
/// Blocks of a kernel whose blocks go through all rows: three for each of a large GPU's processors.
const BLOCKS: usize = 396;
/// Slices of boards of `dense_weights`.
const DENSE_SLICES: usize = 16;
const FLOAT: usize = size_of::<f32>();

/// A convolution's kernel size, and channels with padding: height, width, inputs, outputs.
pub type Size = [usize; 4];

/// The tile of each kind of convolution on tensor cores.
pub type Tiles = HashMap<Size, Tile>;

/// What lists are made from.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    pub tape: &'a Tape,
    pub format: Format,
    /// Of convolutions in f16.
    pub tiles: &'a Tiles,
    pub constants: &'a Constants,
    /// Where they lie.
    pub constants_at: u64,
}

/// The same with the memory of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchBinding<'a> {
    pub all: Binding<'a>,
    pub layout: &'a Layout,
    /// Where it lies.
    pub values_at: u64,
    pub size: BoardSize,
    pub boards: usize,
}

/// The kernel of a convolution, and of the one from its outputs to its inputs.
pub fn sizes(conv: &Conv) -> [Size; 2] {
    let (height, width) = (conv.kernel_height, conv.kernel_width);
    let (inputs, outputs) = (padded(conv.inputs), padded(conv.outputs));
    [
        [height, width, inputs, outputs],
        [height, width, outputs, inputs],
    ]
}

/// A convolution of so many rows.
pub fn shape(
    [kernel_height, kernel_width, inputs, outputs]: Size,
    rows: usize,
    width: usize,
) -> Shape {
    Shape {
        rows,
        width,
        inputs,
        outputs,
        kernel_height,
        kernel_width,
    }
}

impl Binding<'_> {
    fn constant(&self, place: usize) -> u64 {
        self.constants_at + place as u64
    }

    fn parameter(&self, place: &Range<usize>) -> u64 {
        self.constant(self.constants.parameters + place.start * FLOAT)
    }

    fn gradient(&self, place: &Range<usize>) -> u64 {
        self.constant(self.constants.gradient + place.start * FLOAT)
    }
}

impl BatchBinding<'_> {
    fn rows(&self) -> usize {
        self.boards * self.size.area()
    }

    fn value(&self, id: Id) -> u64 {
        self.values_at + self.layout.of(id) as u64
    }

    fn optional(&self, id: Option<Id>) -> u64 {
        id.map_or(0, |id| self.value(id))
    }

    fn of(&self, id: Id) -> u64 {
        self.values_at + self.layout.gradient(id) as u64
    }

    fn scratch(&self) -> u64 {
        self.values_at + self.layout.scratch as u64
    }

    fn channels(&self, id: Id) -> usize {
        self.all.tape.value(id).channels
    }

    fn stride(&self, id: Id) -> usize {
        padded(self.channels(id))
    }

    fn kernel(&self, name: &str) -> String {
        self.all.format.of_kernel(name)
    }

    /// A convolution of a size, on tensor cores with its tile.
    pub fn conv(&self, size: Size, arguments: ConvArguments) -> Result<Launch> {
        let shape = shape(size, self.rows(), self.size.width());
        match self.all.tiles.get(&size) {
            Some(tile) => Ok(Launch::conv_tiled(*tile, &shape, arguments)),
            None => {
                ensure!(
                    self.all.format == Format::F32,
                    "a convolution without a tile"
                );
                Ok(Launch::conv_plain(self.all.format, &shape, arguments))
            }
        }
    }

    /// What all convolutions have in common: the sum of products alone.
    pub fn products(
        &self,
        size: Size,
        input: u64,
        weights: usize,
        raw: u64,
    ) -> Result<ConvArguments> {
        let [kernel_height, kernel_width, inputs, outputs] = size;
        Ok(ConvArguments {
            input,
            weights: self.all.constant(weights),
            residual: 0,
            board_bias: 0,
            affine: self.all.constant(self.all.constants.zeros),
            raw,
            normed: 0,
            rows: number(self.rows())?,
            area: number(self.size.area())?,
            width: number(self.size.width())?,
            height: number(self.size.height())?,
            inputs: number(inputs)?,
            outputs: number(outputs)?,
            bias_stride: number(outputs)?,
            kernel_height: number(kernel_height)?,
            kernel_width: number(kernel_width)?,
            activation: 0,
        })
    }
}

/// Blocks of a kernel in which a thread has eight channels of a row.
fn blocks_of(rows: usize, channels: usize) -> usize {
    let at_once = THREADS / (channels / PACK);
    rows.div_ceil(at_once.max(1)).min(BLOCKS)
}

/// Most bytes of sums in slices.
pub fn scratch_bytes(tape: &Tape, format: Format, boards: usize, area: usize) -> usize {
    let rows = boards * area;
    let of_operation = |operation: &Operation| match operation {
        Operation::Conv(conv) => {
            let [[height, width, inputs, outputs], _] = sizes(conv);
            let weights = Cut::new(conv, format, rows).slices * height * width * inputs * outputs;
            weights.max(blocks_of(rows, outputs) * 2 * outputs)
        }
        Operation::Dense(dense) => DENSE_SLICES.min(boards) * (dense.inputs + 1) * dense.outputs,
        Operation::Points { from, to, .. } => {
            let channels = padded(tape.value(*from).channels);
            blocks_of(rows, channels) * tape.value(*to).channels * channels
        }
        _ => 0,
    };
    tape.operations.iter().map(of_operation).max().unwrap_or(0) * FLOAT
}
