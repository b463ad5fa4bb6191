//! Convolutions: 3x3 by Winograd's algorithm, 1x1 as a matrix product, others as a matrix product
//! over gathered patches.

use super::boards::{Boards, Frame};
use super::epilogue::{Epilogue, EpilogueBuffers};
use super::memory::{Kind, Memory, Work};
use super::profiler::Stage;
use super::simd::{PLACES, Points, Rows, padded};
use super::weights::{Arithmetic, Operands, Weights, winograd_weights};
use crate::nn::desc;
use crate::nn::plan::ValueId;

/// Rows of a matrix product that are finished while they are in the cache: a multiple of most block
/// heights.
const CHUNK: usize = 36;

/// A convolution without bias.
#[derive(Clone, Debug)]
pub struct Conv {
    arithmetic: Arithmetic,
    /// Input channels, padded.
    inputs: usize,
    /// Output channels, padded.
    outputs: usize,
    method: Method,
}

/// A convolution of values, with its epilogue.
#[derive(Clone, Debug)]
pub struct ConvStep {
    /// What it reads.
    pub source: ValueId,
    /// Whether the operands are those of the convolution before.
    pub is_loaded: bool,
    pub conv: Conv,
    pub epilogue: Epilogue,
}

impl ConvStep {
    /// Loads its input, multiplies, and applies the epilogue.
    pub fn run(&self, memory: &mut Memory) {
        if !self.is_loaded {
            self.conv.load(self.source, memory);
        }
        self.conv.multiply(self.source, &self.epilogue, memory);
    }
}

#[derive(Clone, Debug)]
enum Method {
    /// A matrix for each place of a transformed tile.
    Winograd(Vec<Weights>),
    /// A matrix for all points.
    Dense(Weights),
    /// A kernel of this height and width, `[ky][kx][input]` by outputs.
    Gathered(usize, usize, Weights),
}

impl Conv {
    /// Packs the weights, multiplied by the output's scale if scales are given, for an input of this kind.
    ///
    /// # Panics
    ///
    /// Panics if it gets a padded layout without preferring it.
    pub fn new(
        arithmetic: Arithmetic,
        conv: &desc::Conv,
        input: Kind,
        scale: Option<&[f32]>,
    ) -> Conv {
        let Kind { frame, channels } = input;
        assert!(frame == Frame::Plain || frame == frame_for(conv));
        let (height, width) = (conv.kernel_height, conv.kernel_width);
        let weight = |y: usize, x: usize, input: usize, output: usize| {
            let index = ((y * width + x) * conv.inputs + input) * conv.outputs + output;
            conv.weights[index] as f64 * scale.map_or(1.0, |scale| scale[output] as f64)
        };
        let pack = |depth, value: &dyn Fn(usize, usize) -> f64| {
            Weights::new(arithmetic, depth, conv.outputs, value)
        };
        let method = match (height, width) {
            _ if frame == Frame::Padded => {
                let (inputs, outputs) = (conv.inputs, conv.outputs);
                Method::Winograd(winograd_weights(arithmetic, inputs, outputs, weight))
            }
            (1, 1) => Method::Dense(pack(conv.inputs, &|input, output| {
                weight(0, 0, input, output)
            })),
            _ => {
                let inputs = channels;
                let value = |row: usize, output: usize| {
                    let (tap, input) = (row / inputs, row % inputs);
                    if input < conv.inputs {
                        weight(tap / width, tap % width, input, output)
                    } else {
                        0.0
                    }
                };
                Method::Gathered(height, width, pack(height * width * inputs, &value))
            }
        };
        Conv {
            arithmetic,
            inputs: channels,
            outputs: padded(conv.outputs),
            method,
        }
    }

    /// Whether the operands that one loads are those of the other, for the same input.
    pub fn shares_operands_with(&self, other: &Conv) -> bool {
        let is_same = match (&self.method, &other.method) {
            (Method::Winograd(_), Method::Winograd(_)) | (Method::Dense(_), Method::Dense(_)) => {
                true
            }
            (Method::Gathered(h, w, _), Method::Gathered(height, width, _)) => {
                (h, w) == (height, width)
            }
            _ => false,
        };
        is_same && self.arithmetic.is_integer == other.arithmetic.is_integer
    }

    /// Whether it reads all of its input before it writes anything.
    pub fn reads_first(&self) -> bool {
        !matches!(self.method, Method::Dense(Weights::Floats(_)))
    }

    /// Input channels, with padding.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Output channels, with padding.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Preferred layout of its input.
    pub fn frame(&self) -> Frame {
        match self.method {
            Method::Winograd(_) => Frame::Padded,
            Method::Dense(_) | Method::Gathered(..) => Frame::Plain,
        }
    }

    /// Memory of the weights, in bytes.
    pub fn bytes(&self) -> usize {
        match &self.method {
            Method::Winograd(places) => places.iter().map(Weights::bytes).sum(),
            Method::Dense(weights) | Method::Gathered(_, _, weights) => weights.bytes(),
        }
    }

    /// Multiply-adds for each place of a tile or, with a plain layout, each point.
    pub fn multiply_adds(&self) -> usize {
        let depth = match &self.method {
            Method::Winograd(_) => self.inputs,
            Method::Dense(weights) | Method::Gathered(_, _, weights) => weights.depth(),
        };
        depth * self.outputs
    }

    /// Loads its input into the work memory. The operands also fit another convolution of the same
    /// kernel and arithmetic.
    fn load(&self, source: ValueId, memory: &mut Memory) {
        let boards = memory.boards();
        let (values, work) = memory.with_work(source);
        match &self.method {
            Method::Winograd(weights) => {
                self.transform(&weights[0], values, work, boards);
                work.profiler.lap(Stage::Inputs);
            }
            Method::Dense(Weights::Floats(_)) => {}
            Method::Dense(Weights::Integers(_)) => {
                self.round(values, self.inputs, boards.count * boards.area(), work);
            }
            Method::Gathered(height, width, weights) => {
                let mut patches = std::mem::take(&mut work.floats);
                let row = height * width * self.inputs;
                patches.grow(boards.count * boards.area() * row);
                gather(values, self.inputs, (*height, *width), boards, &mut patches);
                if let Weights::Integers(_) = weights {
                    self.round(&patches, row, boards.count * boards.area(), work);
                }
                work.floats = patches;
            }
        }
    }

    fn transform(&self, weights: &Weights, values: &[f32], work: &mut Work, boards: Boards) {
        let kernels = &self.arithmetic.kernels;
        for board in 0..boards.count {
            let tiles = boards.tiles(board);
            let rows = tiles.rows();
            let values = &values[board * tiles.padded_cells() * self.inputs..];
            match weights {
                Weights::Floats(_) => {
                    work.floats.grow(rows * self.inputs);
                    kernels.winograd_input(values, self.inputs, tiles, &mut work.floats);
                }
                Weights::Integers(_) => {
                    work.integers.grow(rows * self.inputs);
                    work.scales.grow(rows);
                    work.tile.grow(PLACES * self.inputs);
                    let to = (&mut *work.integers, &mut *work.scales);
                    kernels.winograd_input_integers(values, self.inputs, tiles, to, &mut work.tile);
                }
            }
        }
    }

    fn round(&self, values: &[f32], len: usize, count: usize, work: &mut Work) {
        work.integers.grow(count * len);
        work.scales.grow(count);
        let rows = Rows {
            values,
            stride: len,
            count,
        };
        let kernels = &self.arithmetic.kernels;
        kernels.round_rows(rows, len, &mut work.integers, &mut work.scales);
    }

    /// Multiplies the loaded operands with the weights, and applies the epilogue.
    fn multiply(&self, source: ValueId, epilogue: &Epilogue, memory: &mut Memory) {
        match &self.method {
            Method::Winograd(weights) => {
                self.multiply_places(weights, memory);
                memory.work.profiler.lap(Stage::Products);
                self.finish_tiles(epilogue, memory);
                memory.work.profiler.lap(Stage::Results);
            }
            Method::Dense(weights @ Weights::Floats(_)) => {
                let values = memory.take(source);
                self.multiply_rows(weights, &values, epilogue, memory);
                memory.put(source, values);
            }
            Method::Dense(weights) => self.multiply_rows(weights, &[], epilogue, memory),
            Method::Gathered(_, _, weights) => {
                let values = std::mem::take(&mut memory.work.floats);
                self.multiply_rows(weights, &values, epilogue, memory);
                memory.work.floats = values;
            }
        }
    }

    /// Multiplies rows of input values with the matrix of a 1x1 convolution in floats.
    ///
    /// # Panics
    ///
    /// Panics for other kinds of convolutions.
    pub fn multiply_floats(&self, rows: &[f32], count: usize, products: &mut [f32]) {
        let Method::Dense(weights @ Weights::Floats(_)) = &self.method else {
            panic!("not a matrix of floats")
        };
        let operands = Operands {
            floats: rows,
            integers: &[],
            scales: &[],
            stride: self.inputs,
        };
        let kernels = &self.arithmetic.kernels;
        operands.multiply(kernels, (weights, None), (0, count), products);
    }

    fn multiply_places(&self, weights: &[Weights], memory: &mut Memory) {
        let tiles = memory.boards().tiles(0);
        let work = &mut memory.work;
        work.products.grow(tiles.rows() * self.outputs);
        for (place, matrix) in weights.iter().enumerate() {
            let rows = tiles.rows_of(place);
            let products = &mut work.products[rows.start * self.outputs..];
            let operands = Operands {
                floats: &work.floats,
                integers: &work.integers,
                scales: &work.scales,
                stride: self.inputs,
            };
            let matrices = (matrix, weights.get(place + 1));
            let rows = (rows.start, rows.len());
            operands.multiply(&self.arithmetic.kernels, matrices, rows, products);
        }
    }

    fn finish_tiles(&self, epilogue: &Epilogue, memory: &mut Memory) {
        let boards = memory.boards();
        let kernels = self.arithmetic.kernels;
        let (mut buffers, work) = EpilogueBuffers::new(self.outputs, epilogue, memory);
        for board in 0..boards.count {
            let finish = buffers.of_board(board, boards);
            kernels.winograd_output(&work.products, self.outputs, boards.tiles(board), finish);
        }
    }

    fn multiply_rows(
        &self,
        weights: &Weights,
        floats: &[f32],
        epilogue: &Epilogue,
        memory: &mut Memory,
    ) {
        if let Some(to) = epilogue.plain_output()
            && memory.kind(to).frame == Frame::Plain
        {
            return self.multiply_into(to, weights, floats, memory);
        }
        let (boards, kernels) = (memory.boards(), self.arithmetic.kernels);
        let (width, height) = (boards.size.width(), boards.size.height());
        let (mut buffers, work) = EpilogueBuffers::new(self.outputs, epilogue, memory);
        let operands = Operands {
            floats,
            integers: &work.integers,
            scales: &work.scales,
            stride: weights.depth().max(self.inputs),
        };
        let area = boards.area();
        let chunks = area.div_ceil(CHUNK);
        work.products.grow(CHUNK * self.outputs);
        for (board, chunk) in (0..boards.count).flat_map(|b| (0..chunks).map(move |c| (b, c))) {
            let first = area * chunk / chunks;
            let count = area * (chunk + 1) / chunks - first;
            let rows = (board * area + first, count);
            operands.multiply(&kernels, (weights, None), rows, &mut work.products);
            let points = Points {
                width,
                first,
                count,
            };
            let finish = buffers.of_board(board, boards);
            kernels.finish(&work.products, self.outputs, points, height, finish);
        }
        work.profiler.lap(Stage::Points);
    }

    /// Multiplies all rows, and stores the results as they are.
    fn multiply_into(&self, to: ValueId, weights: &Weights, floats: &[f32], memory: &mut Memory) {
        let mut results = memory.take(to);
        let work = &mut memory.work;
        let operands = Operands {
            floats,
            integers: &work.integers,
            scales: &work.scales,
            stride: weights.depth().max(self.inputs),
        };
        let kernels = &self.arithmetic.kernels;
        for (index, chunk) in results.chunks_mut(CHUNK * self.outputs).enumerate() {
            let rows = (index * CHUNK, chunk.len() / self.outputs);
            operands.multiply(kernels, (weights, None), rows, chunk);
        }
        work.profiler.lap(Stage::Points);
        memory.put(to, results);
    }
}

/// Preferred layout of a convolution's input.
pub fn frame_for(conv: &desc::Conv) -> Frame {
    match (conv.kernel_height, conv.kernel_width) {
        (3, 3) => Frame::Padded,
        _ => Frame::Plain,
    }
}

/// Copies the patches around all points, `[point][ky][kx][channel]`, zero outside the board.
fn gather(
    values: &[f32],
    channels: usize,
    (height, width): (usize, usize),
    boards: Boards,
    to: &mut [f32],
) {
    let (columns, rows) = (boards.size.width(), boards.size.height());
    let mut taps = to.chunks_exact_mut(channels);
    for board in 0..boards.count {
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            for (ky, kx) in (0..height).flat_map(|ky| (0..width).map(move |kx| (ky, kx))) {
                let tap = taps.next().expect("room for all patches");
                let (y, x) = (
                    (y + ky).wrapping_sub(height / 2),
                    (x + kx).wrapping_sub(width / 2),
                );
                if y < rows && x < columns {
                    let point = board * boards.area() + y * columns + x;
                    tap.copy_from_slice(&values[point * channels..][..channels]);
                } else {
                    tap.fill(0.0);
                }
            }
        }
    }
}
