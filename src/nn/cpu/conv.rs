//! Convolutions: 3x3 by Winograd's algorithm, 1x1 as a matrix product, others as a matrix product
//! over gathered patches.

use rayon::prelude::*;

use super::boards::{Boards, Frame};
use super::memory::{Memory, Slot, Work};
use super::simd::{
    Finish, Kernels, MAX_INTEGER_DEPTH, Output, PATCH, PLACES, Packed, Points, Rows, RowsMut,
    Stack, padded,
};
use super::watch::Stage;
use crate::nn::desc::{self, Activation};

/// Rows of a matrix product that are finished while they are in the cache: a multiple of most
/// block heights.
const CHUNK: usize = 36;

/// How layers compute.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Of the machine.
    pub kernels: Kernels,
    /// Whether large layers round to 16-bit integers.
    pub is_integer: bool,
}

/// Packed weights.
#[derive(Clone, Debug)]
pub enum Weights {
    /// As they are.
    Floats(Packed<f32>),
    /// Rounded.
    Integers(Packed<i16>),
}

impl Weights {
    /// Packs a matrix given by its values at (row, column).
    pub fn new(
        arithmetic: Arithmetic,
        depth: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
    ) -> Weights {
        let shape = arithmetic.kernels.shape();
        if arithmetic.is_integer && padded(depth) <= MAX_INTEGER_DEPTH {
            let value = |k, c| if k < depth { value(k, c) } else { 0.0 };
            Weights::Integers(Packed::integers(shape, padded(depth), columns, value))
        } else {
            let value = |k, c| value(k, c) as f32;
            Weights::Floats(Packed::floats(shape, depth, columns, value))
        }
    }

    fn depth(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.depth(),
            Weights::Integers(packed) => packed.depth(),
        }
    }

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Weights::Floats(packed) => packed.bytes(),
            Weights::Integers(packed) => packed.bytes(),
        }
    }
}

/// A convolution without bias.
#[derive(Clone, Debug)]
pub struct Conv {
    arithmetic: Arithmetic,
    /// Padded.
    inputs: usize,
    /// Padded.
    outputs: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A matrix for each place of a transformed tile.
    Winograd(Vec<Weights>),
    /// A matrix for all points.
    Dense(Weights),
    /// Of a kernel so high and wide, `[ky][kx][input]` by outputs.
    Gathered(usize, usize, Weights),
}

/// What becomes of a layer's results.
#[derive(Clone, Debug)]
pub struct Sink {
    /// The residual connection.
    pub stack: Option<Slot>,
    /// Whether they are added to it; otherwise they replace it.
    pub adds: bool,
    /// What is made of the sum.
    pub then: Option<Then>,
}

impl Sink {
    /// No residual connection.
    pub fn into(then: Then) -> Sink {
        Sink {
            stack: None,
            adds: false,
            then: Some(then),
        }
    }
}

/// A norm and an activation, and where their results go.
#[derive(Clone, Debug)]
pub struct Then {
    /// Scale and shift by channel, padded with zeros.
    pub norm: Option<(Vec<f32>, Vec<f32>)>,
    /// Last.
    pub activation: Activation,
    /// Where to.
    pub slot: Slot,
}

/// A constant for every point: one value per channel, the same for all boards or one row each.
#[derive(Clone, Copy, Debug)]
pub enum Biases<'a> {
    /// The same for all boards.
    Common(&'a [f32]),
    /// `[board][channel]`
    PerBoard(&'a [f32]),
}

impl Conv {
    /// Packs the weights, those of each output multiplied by a scale where there are scales.
    pub fn new(arithmetic: Arithmetic, conv: &desc::Conv, scale: Option<&[f32]>) -> Conv {
        Conv::plan(arithmetic, conv, scale, false)
    }

    /// The same of a convolution that reads a plain buffer, whatever its kernel.
    pub fn on_points(arithmetic: Arithmetic, conv: &desc::Conv) -> Conv {
        Conv::plan(arithmetic, conv, None, true)
    }

    fn plan(
        arithmetic: Arithmetic,
        conv: &desc::Conv,
        scale: Option<&[f32]>,
        on_points: bool,
    ) -> Conv {
        let (height, width) = (conv.kernel_height, conv.kernel_width);
        let weight = |y: usize, x: usize, input: usize, output: usize| {
            let index = ((y * width + x) * conv.inputs + input) * conv.outputs + output;
            conv.weights[index] as f64 * scale.map_or(1.0, |scale| scale[output] as f64)
        };
        let pack = |depth, value: &dyn Fn(usize, usize) -> f64| {
            Weights::new(arithmetic, depth, conv.outputs, value)
        };
        let kind = match (height, width) {
            (3, 3) if !on_points => Kind::Winograd(winograd_weights(
                arithmetic,
                conv.inputs,
                conv.outputs,
                weight,
            )),
            (1, 1) => Kind::Dense(pack(conv.inputs, &|input, output| {
                weight(0, 0, input, output)
            })),
            _ => {
                let inputs = padded(conv.inputs);
                let value = |row: usize, output: usize| {
                    let (tap, input) = (row / inputs, row % inputs);
                    if input < conv.inputs {
                        weight(tap / width, tap % width, input, output)
                    } else {
                        0.0
                    }
                };
                Kind::Gathered(height, width, pack(height * width * inputs, &value))
            }
        };
        Conv {
            arithmetic,
            inputs: padded(conv.inputs),
            outputs: padded(conv.outputs),
            kind,
        }
    }

    /// A matrix product at each point.
    pub fn of_matrix(arithmetic: Arithmetic, matmul: &desc::MatMul) -> Conv {
        let weight = |i: usize, o: usize| matmul.weights[i * matmul.outputs + o] as f64;
        Conv {
            arithmetic,
            inputs: padded(matmul.inputs),
            outputs: padded(matmul.outputs),
            kind: Kind::Dense(Weights::new(
                arithmetic,
                matmul.inputs,
                matmul.outputs,
                weight,
            )),
        }
    }

    /// Whether the operands of one serve both.
    pub fn shares_operands_with(&self, other: &Conv) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Winograd(_), Kind::Winograd(_)) | (Kind::Dense(_), Kind::Dense(_)) => true,
            (Kind::Gathered(h, w, _), Kind::Gathered(height, width, _)) => {
                (h, w) == (height, width)
            }
            _ => false,
        }
    }

    /// Channels written, with those of padding.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// How it wants its input arranged.
    pub fn frame(&self) -> Frame {
        match self.kind {
            Kind::Winograd(_) => Frame::Padded,
            Kind::Dense(_) | Kind::Gathered(..) => Frame::Plain,
        }
    }

    /// Memory of the weights, in bytes.
    pub fn bytes(&self) -> usize {
        self.weights().iter().map(Weights::bytes).sum()
    }

    /// For each tile or, with a plain frame, each point.
    pub fn multiply_adds(&self) -> usize {
        let depth: usize = self.weights().iter().map(Weights::depth).sum();
        depth * self.outputs
    }

    fn weights(&self) -> &[Weights] {
        match &self.kind {
            Kind::Winograd(weights) => weights,
            Kind::Dense(weights) | Kind::Gathered(_, _, weights) => std::slice::from_ref(weights),
        }
    }

    /// Reads its input into the work memory. The operands also serve another convolution of the
    /// same kernel and arithmetic.
    pub fn load(&self, source: Slot, memory: &mut Memory) {
        let boards = memory.boards();
        let (values, work) = memory.with_work(source);
        match &self.kind {
            Kind::Winograd(weights) => {
                self.transform(&weights[0], values, work, boards);
                work.watch.lap(Stage::Inputs);
            }
            Kind::Dense(Weights::Floats(_)) => {}
            Kind::Dense(Weights::Integers(_)) => {
                self.round(values, self.inputs, boards.count * boards.area(), work);
            }
            Kind::Gathered(height, width, weights) => {
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
        let rows = PLACES * boards.tiles(0).total;
        for board in 0..boards.count {
            let tiles = boards.tiles(board);
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
        let values = &values[..count * len];
        let kernels = &self.arithmetic.kernels;
        kernels.round_rows(values, len, &mut work.integers, &mut work.scales);
    }

    /// Multiplies what was loaded with the weights, and finishes the results.
    pub fn multiply(&self, source: Slot, bias: Biases, sink: &Sink, memory: &mut Memory) {
        match &self.kind {
            Kind::Winograd(weights) => {
                self.multiply_places(weights, memory);
                memory.work.watch.lap(Stage::Products);
                self.finish_tiles(bias, sink, memory);
                memory.work.watch.lap(Stage::Results);
            }
            Kind::Dense(weights @ Weights::Floats(_)) => {
                let values = memory.take(source);
                self.multiply_rows(weights, &values, bias, sink, memory);
                memory.put(source, values);
            }
            Kind::Dense(weights) => self.multiply_rows(weights, &[], bias, sink, memory),
            Kind::Gathered(_, _, weights) => {
                let values = std::mem::take(&mut memory.work.floats);
                self.multiply_rows(weights, &values, bias, sink, memory);
                memory.work.floats = values;
            }
        }
    }

    fn multiply_places(&self, weights: &[Weights], memory: &mut Memory) {
        let count = memory.boards().tiles(0).total;
        let work = &mut memory.work;
        work.products.grow(PLACES * count * self.outputs);
        let places = work.products.chunks_exact_mut(count * self.outputs);
        for (place, (weights, products)) in weights.iter().zip(places).enumerate() {
            let operands = Operands {
                floats: &work.floats,
                integers: &work.integers,
                scales: &work.scales,
                stride: self.inputs,
            };
            let rows = (place * count, count);
            operands.multiply(&self.arithmetic.kernels, weights, rows, products);
        }
    }

    fn finish_tiles(&self, bias: Biases, sink: &Sink, memory: &mut Memory) {
        let boards = memory.boards();
        let kernels = self.arithmetic.kernels;
        let (mut ending, work) = Ending::new(self.outputs, bias, sink, memory);
        for board in 0..boards.count {
            let finish = ending.of_board(board, boards);
            kernels.winograd_output(&work.products, self.outputs, boards.tiles(board), finish);
        }
    }

    fn multiply_rows(
        &self,
        weights: &Weights,
        floats: &[f32],
        bias: Biases,
        sink: &Sink,
        memory: &mut Memory,
    ) {
        let (boards, kernels) = (memory.boards(), self.arithmetic.kernels);
        let (width, height) = (boards.size.width(), boards.size.height());
        let (mut ending, work) = Ending::new(self.outputs, bias, sink, memory);
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
            operands.multiply(&kernels, weights, rows, &mut work.products);
            let points = Points {
                width,
                first,
                count,
            };
            let finish = ending.of_board(board, boards);
            kernels.finish(&work.products, self.outputs, points, height, finish);
        }
        work.watch.lap(Stage::Points);
    }
}

/// How a convolution wants its input arranged.
pub fn frame_for(conv: &desc::Conv) -> Frame {
    match (conv.kernel_height, conv.kernel_width) {
        (3, 3) => Frame::Padded,
        _ => Frame::Plain,
    }
}

/// Rows of left operands, as floats or integers.
struct Operands<'a> {
    floats: &'a [f32],
    integers: &'a [i16],
    scales: &'a [f32],
    stride: usize,
}

impl Operands<'_> {
    /// Multiplies some rows, given by the first and their number.
    fn multiply(
        &self,
        kernels: &Kernels,
        weights: &Weights,
        (first, count): (usize, usize),
        products: &mut [f32],
    ) {
        let stride = self.stride;
        match weights {
            Weights::Floats(weights) => {
                let values = &self.floats[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm(rows, weights, to, false);
            }
            Weights::Integers(weights) => {
                let values = &self.integers[first * stride..];
                let (rows, to) = sides(values, stride, count, products, weights.columns());
                kernels.gemm_integers(rows, &self.scales[first..], weights, to);
            }
        }
    }
}

fn sides<'a, T>(
    values: &'a [T],
    stride: usize,
    count: usize,
    products: &'a mut [f32],
    columns: usize,
) -> (Rows<'a, T>, RowsMut<'a>) {
    (
        Rows {
            values,
            stride,
            count,
        },
        RowsMut {
            values: products,
            stride: columns,
        },
    )
}

/// A sink with its buffers at hand.
pub struct Ending<'a> {
    channels: usize,
    bias: Biases<'a>,
    sink: &'a Sink,
    stack: Option<&'a mut [f32]>,
    output: Option<&'a mut [f32]>,
    frame: Frame,
}

impl<'a> Ending<'a> {
    /// For results of so many channels.
    pub fn new(
        channels: usize,
        bias: Biases<'a>,
        sink: &'a Sink,
        memory: &'a mut Memory,
    ) -> (Ending<'a>, &'a mut Work) {
        let slot = sink.then.as_ref().map(|then| then.slot);
        let frame = slot.map_or(Frame::Plain, |slot| memory.frame(slot));
        let ([stack, output], work) = memory.for_writing([sink.stack, slot]);
        let ending = Ending {
            channels,
            bias,
            sink,
            stack,
            output,
            frame,
        };
        (ending, work)
    }

    /// What becomes of the results of one board.
    pub fn of_board(&mut self, board: usize, boards: Boards) -> Finish<'_> {
        let channels = self.channels;
        let part = |cells: usize| board * cells * channels..(board + 1) * cells * channels;
        let stack = self.stack.as_deref_mut();
        let output = self.output.as_deref_mut().zip(self.sink.then.as_ref());
        Finish {
            bias: match self.bias {
                Biases::Common(bias) => bias,
                Biases::PerBoard(biases) => &biases[board * channels..][..channels],
            },
            stack: stack.map(|stack| Stack {
                values: &mut stack[part(boards.area())],
                adds: self.sink.adds,
            }),
            output: output.map(|(values, then)| Output {
                norm: then
                    .norm
                    .as_ref()
                    .map(|(scale, shift)| (&scale[..], &shift[..])),
                activation: then.activation,
                values: &mut values[part(boards.cells(self.frame))],
                layout: boards.layout(self.frame),
            }),
        }
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

/// The matrices of the transformed kernels, one for each place of a tile. `weight` is that at (y, x)
/// from an input to an output.
fn winograd_weights(
    arithmetic: Arithmetic,
    inputs: usize,
    outputs: usize,
    weight: impl Fn(usize, usize, usize, usize) -> f64 + Sync,
) -> Vec<Weights> {
    let of_input = |input: usize| -> Vec<[f32; PLACES]> {
        let kernel = |output| [0, 1, 2].map(|y| [0, 1, 2].map(|x| weight(y, x, input, output)));
        (0..outputs)
            .map(|output| transformed(kernel(output)))
            .collect()
    };
    let kernels: Vec<_> = (0..inputs).into_par_iter().map(of_input).collect();
    let pack = |place| {
        Weights::new(arithmetic, inputs, outputs, |input, output| {
            kernels[input][output][place] as f64
        })
    };
    (0..PLACES).into_par_iter().map(pack).collect()
}

/// `G kernel G^T`, see [`super::simd`].
fn transformed(kernel: [[f64; 3]; 3]) -> [f32; PLACES] {
    const G: [[f64; 3]; PATCH] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let half = G.map(|row| [0, 1, 2].map(|x| dot(row, kernel.map(|line| line[x]))));
    std::array::from_fn(|place| dot(half[place / PATCH], G[place % PATCH]) as f32)
}
