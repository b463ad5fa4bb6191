//! The kernels of a step: weights from parameters, the forward pass and the backward pass.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use anyhow::{Result, ensure};

use super::arguments::{
    ActivationArguments, BoardSumsArguments, ChainsBackArguments, ClearArguments, CopyArguments,
    DenseBackArguments, DenseWeightsArguments, NormBackArguments, PointsBackArguments,
    PoolBackArguments, SlicesArguments, TileWeightsArguments, WeightGradientArguments,
};
use super::layout::{Constants, Layout};
use super::tape::{Conv, Dense, Extent, Id, Norm, Operation, Tape};
use crate::go::BoardSize;
use crate::nn::desc::Activation;
use crate::nn::gpu::arguments::{
    ChainsArguments, ConvArguments, DenseArguments, PlanesArguments, PointsArguments,
    PoolArguments, PoolFactors, activation_number,
};
use crate::nn::gpu::launches::number;
use crate::nn::gpu::tiles::{Shape, Tile};
use crate::nn::gpu::{Format, Launch};
use crate::nn::plan::Third;
use crate::nn::plan::memory::padded;

/// Threads of a block of all kernels but convolutions and their gradients.
const THREADS: usize = 256;
/// Channels that a thread computes.
const PACK: usize = 8;
/// Blocks of a kernel whose blocks go through all rows: three for each of a large GPU's processors.
const BLOCKS: usize = 396;
/// Blocks of gradients of weights, which leave no room for another on a processor.
const GRADIENT_BLOCKS: usize = 132;
/// Slices of rows of `gradient_plain`, and of boards of `dense_weights`.
const PLAIN_SLICES: usize = 8;
const DENSE_SLICES: usize = 16;
/// Channels of a block of `board_sums` and `pool_back`, and shares of the rows.
const GROUP: (usize, usize) = (64, 32);
/// Stages of the pipeline of copies, as `GRADIENT_STAGES` in `training.cuh`, and zeros in front of them.
const STAGES: usize = 3;
const ZERO_BYTES: usize = 128;
/// Taps of a block of the gradient of weights, unless there is only one.
const TAPS: usize = 9;
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

    /// Brings parameters into the forms that kernels read.
    pub fn load(&self) -> Result<Vec<Launch>> {
        let mut list = Vec::new();
        for (operation, places) in self.tape.operations.iter().zip(&self.constants.places) {
            match operation {
                Operation::Conv(conv) => {
                    let [forward, backward] = sizes(conv);
                    list.push(self.weights(conv, forward, places.forward, false)?);
                    list.push(self.weights(conv, backward, places.backward, true)?);
                    for (row, place) in conv
                        .norm
                        .iter()
                        .flat_map(|norm| [&norm.gain, &norm.bias])
                        .enumerate()
                    {
                        let to = places.affine + row * padded(conv.outputs) * FLOAT;
                        list.push(self.copy(
                            place,
                            self.constant(to),
                            (1, conv.outputs),
                            (0, 1),
                        )?);
                    }
                }
                Operation::Points { from, weights, to } => {
                    let [inputs, outputs] = [from, to].map(|id| self.tape.value(*id).channels);
                    let (sizes, strides) = ((inputs, outputs), (1, padded(inputs)));
                    list.push(self.copy(weights, self.constant(places.forward), sizes, strides)?);
                }
                _ => {}
            }
        }
        Ok(list)
    }

    fn weights(&self, conv: &Conv, size: Size, to: usize, is_backward: bool) -> Result<Launch> {
        let [height, width, inputs, outputs] = size;
        let tile = self.tiles.get(&size);
        let arguments = TileWeightsArguments {
            from: self.parameter(&conv.weights),
            to: self.constant(to),
            taps: number(height * width)?,
            inputs: number(conv.inputs)?,
            outputs: number(conv.outputs)?,
            padded_inputs: number(inputs)?,
            padded_outputs: number(outputs)?,
            columns: number(tile.map_or(0, |tile| tile.columns))?,
            depth: number(tile.map_or(0, |tile| tile.depth))?,
            is_backward: i32::from(is_backward),
        };
        let threads = (height * width * inputs * outputs, THREADS);
        Ok(Launch::of_threads(
            self.format.of_kernel("weights"),
            threads,
            arguments,
        ))
    }

    fn copy(
        &self,
        place: &Range<usize>,
        to: u64,
        (first, second): (usize, usize),
        (first_stride, second_stride): (usize, usize),
    ) -> Result<Launch> {
        let arguments = CopyArguments {
            from: self.parameter(place),
            to,
            first: number(first)?,
            second: number(second)?,
            first_stride: number(first_stride)?,
            second_stride: number(second_stride)?,
        };
        Ok(Launch::of_threads(
            "copy".to_owned(),
            (first * second, THREADS),
            arguments,
        ))
    }

    /// Makes all gradients of so many parameters 0.
    pub fn clear(&self, parameters: usize) -> Result<Vec<Launch>> {
        let arguments = ClearArguments {
            to: self.constant(self.constants.gradient),
            count: number(parameters)?,
            reserved: 0,
        };
        Ok(vec![Launch::of_threads(
            "zero".to_owned(),
            (parameters, THREADS),
            arguments,
        )])
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

    /// A convolution of a size, which does not fit any more tile than its own.
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

    /// From inputs to outputs.
    pub fn forward(&self) -> Result<Vec<Launch>> {
        let operations = self.all.tape.operations.iter().enumerate();
        operations
            .map(|(index, operation)| self.forward_of(index, operation))
            .collect()
    }

    fn forward_of(&self, index: usize, operation: &Operation) -> Result<Launch> {
        let places = self.all.constants.places[index];
        Ok(match operation {
            Operation::Planes { to } => {
                let arguments = PlanesArguments {
                    is_packed: self.values_at,
                    values: self.values_at + self.layout.planes as u64,
                    to: self.value(*to),
                    rows: number(self.rows())?,
                    planes: number(self.all.tape.planes)?,
                    channels: number(self.stride(*to))?,
                    reserved: 0,
                };
                Launch::planes(self.all.format, arguments, self.rows() * self.stride(*to))
            }
            Operation::Conv(conv) => {
                let [size, _] = sizes(conv);
                let input = self.value(conv.input);
                let products = self.products(size, input, places.forward, self.value(conv.raw))?;
                let norm = conv.norm.as_ref();
                let arguments = ConvArguments {
                    residual: self.optional(conv.residual),
                    board_bias: self.optional(conv.board_bias),
                    affine: self.all.constant(places.affine),
                    normed: self.optional(norm.map(|norm| norm.to)),
                    bias_stride: number(conv.outputs)?,
                    activation: norm.map_or(0, |norm| activation_number(norm.activation)),
                    ..products
                };
                self.conv(size, arguments)?
            }
            Operation::Pool { from, to, third } => {
                let arguments = PoolArguments {
                    from: self.value(*from),
                    to: self.value(*to),
                    boards: number(self.boards)?,
                    area: number(self.size.area())?,
                    channels: number(self.channels(*from))?,
                    stride: number(self.stride(*from))?,
                    with_maximum: i32::from(*third == Third::Maximum),
                    factors: PoolFactors::of(self.size),
                };
                Launch::pool(self.all.format, arguments, self.boards, self.stride(*from))
            }
            Operation::Dense(dense) => {
                let arguments = DenseArguments {
                    from: self.value(dense.from),
                    matrix: self.all.parameter(&dense.weights),
                    bias: dense
                        .bias
                        .as_ref()
                        .map_or(0, |bias| self.all.parameter(bias)),
                    plus: 0,
                    to: self.value(dense.to),
                    boards: number(self.boards)?,
                    inputs: number(dense.inputs)?,
                    outputs: number(dense.outputs)?,
                    activation: activation_number(Activation::Identity),
                };
                Launch::dense(arguments, self.boards, dense.outputs)
            }
            Operation::Activation {
                from,
                to,
                activation,
            } => self.activation(*from, (self.value(*to), false), *activation)?,
            Operation::Chains { from, to } => self.chains(*from, *to)?,
            Operation::Points { from, to, .. } => {
                let arguments = PointsArguments {
                    from: self.value(*from),
                    weights: self.all.constant(places.forward),
                    to: self.value(*to),
                    rows: number(self.rows())?,
                    area: number(self.size.area())?,
                    channels: number(self.stride(*from))?,
                    outputs: number(self.channels(*to))?,
                };
                Launch::points(self.all.format, arguments, self.rows())
            }
        })
    }

    fn activation(
        &self,
        from: Id,
        (to, is_backward): (u64, bool),
        activation: Activation,
    ) -> Result<Launch> {
        let count = self.boards * self.channels(from);
        let arguments = ActivationArguments {
            from: self.value(from),
            to,
            count: number(count)?,
            activation: activation_number(activation),
            is_backward: i32::from(is_backward),
            reserved: 0,
        };
        Ok(Launch::of_threads(
            "activation".to_owned(),
            (count, THREADS),
            arguments,
        ))
    }

    fn points_by_region(&self) -> u64 {
        self.values_at + self.layout.regions as u64
    }

    fn chains(&self, from: Id, to: Id) -> Result<Launch> {
        let arguments = ChainsArguments {
            from: self.value(from),
            points: self.points_by_region(),
            to: self.value(to),
            boards: number(self.boards)?,
            area: number(self.size.area())?,
            channels: number(self.channels(from))?,
            stride: number(self.stride(from))?,
            to_stride: number(self.stride(to))?,
            reserved: 0,
        };
        Ok(Launch::chains(self.all.format, arguments))
    }

    fn chains_back(&self, from: Id, pooled: Id) -> Result<Launch> {
        let arguments = ChainsBackArguments {
            from: self.value(from),
            points: self.points_by_region(),
            of_pooled: self.of(pooled),
            of_from: self.of(from),
            boards: number(self.boards)?,
            area: number(self.size.area())?,
            channels: number(self.channels(from))?,
            stride: number(self.stride(from))?,
            pooled_stride: number(self.stride(pooled))?,
            reserved: 0,
        };
        Ok(Launch {
            kernel: self.kernel("chains_back"),
            blocks: self.boards * self.stride(from) / PACK,
            threads: THREADS,
            shared: 0,
            arguments: arguments.into(),
        })
    }

    /// From gradients of outputs to those of all parameters, which are added to what is there.
    pub fn backward(&self) -> Result<Vec<Launch>> {
        let mut list = Backward {
            batch: self,
            launches: Vec::new(),
            written: self
                .all
                .tape
                .outputs
                .iter()
                .map(|id| self.of(*id))
                .collect(),
        };
        for (index, operation) in self.all.tape.operations.iter().enumerate().rev() {
            list.add(index, operation)?;
        }
        Ok(list.launches)
    }
}

/// The backward pass so far.
struct Backward<'a> {
    batch: &'a BatchBinding<'a>,
    launches: Vec<Launch>,
    /// Addresses of gradients to which further ones are added.
    written: HashSet<u64>,
}

impl Backward<'_> {
    fn add(&mut self, index: usize, operation: &Operation) -> Result<()> {
        match operation {
            Operation::Planes { .. } => Ok(()),
            Operation::Conv(conv) => self.conv(index, conv),
            Operation::Pool { from, to, third } => self.pool(*from, *to, *third),
            Operation::Dense(dense) => self.dense(dense),
            Operation::Activation {
                from,
                to,
                activation,
            } => {
                let launch =
                    self.batch
                        .activation(*from, (self.batch.of(*to), true), *activation)?;
                self.launches.push(launch);
                Ok(())
            }
            Operation::Chains { from, to } => {
                let is_first = self.written.insert(self.batch.of(*from));
                ensure!(is_first, "pooled by chains and otherwise");
                self.launches.push(self.batch.chains_back(*from, *to)?);
                Ok(())
            }
            Operation::Points { from, weights, to } => self.points(index, (*from, *to), weights),
        }
    }

    /// Adds sums over slices to the gradient of parameters `[first][second]`.
    fn slices(
        &mut self,
        (from, slices, slice_stride): (u64, usize, usize),
        place: &Range<usize>,
        (first, second): (usize, usize),
        (first_stride, second_stride): (usize, usize),
    ) -> Result<()> {
        let arguments = SlicesArguments {
            from,
            to: self.batch.all.gradient(place),
            slices: number(slices)?,
            slice_stride: number(slice_stride)?,
            first: number(first)?,
            second: number(second)?,
            first_stride: number(first_stride)?,
            second_stride: number(second_stride)?,
        };
        let threads = (first * second, THREADS);
        self.launches
            .push(Launch::of_threads("slices".to_owned(), threads, arguments));
        Ok(())
    }

    fn conv(&mut self, index: usize, conv: &Conv) -> Result<()> {
        let batch = self.batch;
        let places = batch.all.constants.places[index];
        if let Some(norm) = &conv.norm {
            self.norm(conv, norm, batch.all.constant(places.affine))?;
        }
        let of_raw = batch.of(conv.raw);
        if let Some(bias) = conv.board_bias {
            self.board_sums(conv, bias)?;
        }
        self.weights(conv, of_raw)?;
        if matches!(batch.all.tape.operations[0], Operation::Planes { to } if to == conv.input) {
            return Ok(());
        }
        let [_, size] = sizes(conv);
        let of_input = batch.of(conv.input);
        let products = batch.products(size, of_raw, places.backward, of_input)?;
        let arguments = ConvArguments {
            residual: if self.written.insert(of_input) {
                0
            } else {
                of_input
            },
            ..products
        };
        self.launches.push(batch.conv(size, arguments)?);
        Ok(())
    }

    fn norm(&mut self, conv: &Conv, norm: &Norm, affine: u64) -> Result<()> {
        let batch = self.batch;
        let (of_normed, of_raw) = (batch.of(norm.to), batch.of(conv.raw));
        ensure!(self.written.contains(&of_normed), "an unused value");
        let channels = padded(conv.outputs);
        let blocks = blocks_of(batch.rows(), channels);
        let arguments = NormBackArguments {
            raw: batch.value(conv.raw),
            of_normed,
            affine,
            of_raw,
            sums: batch.scratch(),
            rows: number(batch.rows())?,
            channels: number(channels)?,
            activation: activation_number(norm.activation),
            adds: i32::from(of_raw != of_normed && !self.written.insert(of_raw)),
            blocks: number(blocks)?,
            reserved: 0,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("norm_back"),
            blocks,
            threads: THREADS,
            shared: 2 * THREADS * PACK * FLOAT,
            arguments: arguments.into(),
        });
        for (row, place) in [&norm.gain, &norm.bias].into_iter().enumerate() {
            let from = batch.scratch() + (row * channels * FLOAT) as u64;
            self.slices(
                (from, blocks, 2 * channels),
                place,
                (1, conv.outputs),
                (0, 1),
            )?;
        }
        Ok(())
    }

    fn board_sums(&mut self, conv: &Conv, bias: Id) -> Result<()> {
        let (batch, (of_group, shares)) = (self.batch, GROUP);
        let of_bias = batch.of(bias);
        ensure!(self.written.insert(of_bias), "a bias of two convolutions");
        let stride = padded(conv.outputs);
        let arguments = BoardSumsArguments {
            from: batch.of(conv.raw),
            to: of_bias,
            boards: number(batch.boards)?,
            area: number(batch.size.area())?,
            channels: number(conv.outputs)?,
            stride: number(stride)?,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("board_sums"),
            blocks: batch.boards * stride.div_ceil(of_group),
            threads: THREADS,
            shared: of_group * shares * FLOAT,
            arguments: arguments.into(),
        });
        Ok(())
    }

    /// The gradient of a convolution's weights.
    fn weights(&mut self, conv: &Conv, of_raw: u64) -> Result<()> {
        let batch = self.batch;
        let [[height, width, inputs, outputs], _] = sizes(conv);
        let taps = height * width;
        let cut = Cut::new(conv, batch.all.format, batch.rows());
        let arguments = WeightGradientArguments {
            input: batch.value(conv.input),
            of_output: of_raw,
            sums: batch.scratch(),
            rows: number(batch.rows())?,
            area: number(batch.size.area())?,
            width: number(batch.size.width())?,
            height: number(batch.size.height())?,
            inputs: number(inputs)?,
            outputs: number(outputs)?,
            kernel_height: number(height)?,
            kernel_width: number(width)?,
            slices: number(cut.slices)?,
            reserved: 0,
        };
        self.launches
            .push(cut.launch(conv, batch.size.width(), arguments));
        let per_slice = taps * inputs * outputs;
        if inputs == conv.inputs {
            let rows = taps * inputs;
            let from = (batch.scratch(), cut.slices, per_slice);
            return self.slices(from, &conv.weights, (rows, conv.outputs), (outputs, 1));
        }
        for tap in 0..taps {
            let from = batch.scratch() + (tap * inputs * outputs * FLOAT) as u64;
            let start = conv.weights.start + tap * conv.inputs * conv.outputs;
            let place = start..start + conv.inputs * conv.outputs;
            let sizes = (conv.inputs, conv.outputs);
            self.slices((from, cut.slices, per_slice), &place, sizes, (outputs, 1))?;
        }
        Ok(())
    }

    fn pool(&mut self, from: Id, to: Id, third: Third) -> Result<()> {
        let (batch, (of_group, shares)) = (self.batch, GROUP);
        let (of_from, stride) = (batch.of(from), batch.stride(from));
        let arguments = PoolBackArguments {
            from: batch.value(from),
            of_pooled: batch.of(to),
            of_from,
            boards: number(batch.boards)?,
            area: number(batch.size.area())?,
            channels: number(batch.channels(from))?,
            stride: number(stride)?,
            with_maximum: i32::from(third == Third::Maximum),
            adds: i32::from(!self.written.insert(of_from)),
            factors: PoolFactors::of(batch.size),
            reserved: 0,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("pool_back"),
            blocks: batch.boards * stride.div_ceil(of_group),
            threads: THREADS,
            shared: (2 * shares + 3) * of_group * FLOAT,
            arguments: arguments.into(),
        });
        Ok(())
    }

    fn dense(&mut self, dense: &Dense) -> Result<()> {
        let batch = self.batch;
        let of_to = batch.of(dense.to);
        ensure!(self.written.contains(&of_to), "an unused value");
        let (inputs, outputs) = (dense.inputs, dense.outputs);
        if batch.all.tape.globals != Some(dense.from) {
            let of_from = batch.of(dense.from);
            let arguments = DenseBackArguments {
                of_to,
                matrix: batch.all.parameter(&dense.weights),
                of_from,
                boards: number(batch.boards)?,
                inputs: number(inputs)?,
                outputs: number(outputs)?,
                adds: i32::from(!self.written.insert(of_from)),
            };
            let threads = (batch.boards * inputs, THREADS);
            self.launches.push(Launch::of_threads(
                "dense_back".to_owned(),
                threads,
                arguments,
            ));
        }
        let (slices, weights) = (DENSE_SLICES.min(batch.boards), (inputs + 1) * outputs);
        let arguments = DenseWeightsArguments {
            from: batch.value(dense.from),
            of_to,
            sums: batch.scratch(),
            boards: number(batch.boards)?,
            inputs: number(inputs)?,
            outputs: number(outputs)?,
            slices: number(slices)?,
        };
        let threads = (slices * weights, THREADS);
        self.launches.push(Launch::of_threads(
            "dense_weights".to_owned(),
            threads,
            arguments,
        ));
        let from = (batch.scratch(), slices, weights);
        self.slices(from, &dense.weights, (inputs, outputs), (outputs, 1))?;
        if let Some(bias) = &dense.bias {
            let from = batch.scratch() + (inputs * outputs * FLOAT) as u64;
            self.slices((from, slices, weights), bias, (1, outputs), (0, 1))?;
        }
        Ok(())
    }

    fn points(&mut self, index: usize, (from, to): (Id, Id), weights: &Range<usize>) -> Result<()> {
        let batch = self.batch;
        let (channels, outputs) = (batch.stride(from), batch.channels(to));
        let (blocks, of_from) = (blocks_of(batch.rows(), channels), batch.of(from));
        let arguments = PointsBackArguments {
            of_to: batch.of(to),
            weights: batch
                .all
                .constant(batch.all.constants.places[index].forward),
            from: batch.value(from),
            of_from,
            sums: batch.scratch(),
            rows: number(batch.rows())?,
            area: number(batch.size.area())?,
            channels: number(channels)?,
            outputs: number(outputs)?,
            adds: i32::from(!self.written.insert(of_from)),
            blocks: number(blocks)?,
        };
        self.launches.push(Launch {
            kernel: batch.kernel("points_back"),
            blocks,
            threads: THREADS,
            shared: THREADS * PACK * FLOAT,
            arguments: arguments.into(),
        });
        let sizes = (batch.channels(from), outputs);
        let from = (batch.scratch(), blocks, outputs * channels);
        self.slices(from, weights, sizes, (1, channels))
    }
}

/// Blocks of a kernel in which a thread has eight channels of a row.
fn blocks_of(rows: usize, channels: usize) -> usize {
    let at_once = THREADS / (channels / PACK);
    rows.div_ceil(at_once.max(1)).min(BLOCKS)
}

/// How the gradient of a convolution's weights is cut into blocks.
struct Cut {
    /// Slices of rows.
    slices: usize,
    /// Inputs and outputs of a block on tensor cores.
    tile: Option<(usize, usize)>,
}

impl Cut {
    fn new(conv: &Conv, format: Format, rows: usize) -> Cut {
        if format == Format::F32 {
            return Cut {
                slices: PLAIN_SLICES.min(rows),
                tile: None,
            };
        }
        let side = |channels: usize| if channels.is_multiple_of(64) { 64 } else { 32 };
        let (inputs, outputs) = (padded(conv.inputs), padded(conv.outputs));
        let tile = (side(inputs), side(outputs));
        let (of_chunk, _) = rows_of_chunk(conv);
        let tiles = (inputs / tile.0) * (outputs / tile.1) * tap_groups(conv);
        let chunks = rows.div_ceil(of_chunk);
        Cut {
            slices: (GRADIENT_BLOCKS / tiles).clamp(1, chunks),
            tile: Some(tile),
        }
    }

    fn launch(&self, conv: &Conv, width: usize, arguments: WeightGradientArguments) -> Launch {
        let taps = conv.kernel_height * conv.kernel_width;
        let (inputs, outputs) = (padded(conv.inputs), padded(conv.outputs));
        let Some((tile_inputs, tile_outputs)) = self.tile else {
            let threads = (self.slices * taps * inputs * outputs, THREADS);
            return Launch::of_threads("gradient_plain_f32".to_owned(), threads, arguments);
        };
        let (rows, warps) = rows_of_chunk(conv);
        let halo = conv.kernel_height / 2 * width + conv.kernel_width / 2;
        let of_stage = ((rows + 2 * halo) * tile_inputs + rows * tile_outputs) * size_of::<u16>()
            + rows * size_of::<u32>();
        Launch {
            kernel: format!("gradient_{tile_inputs}x{tile_outputs}x{}", taps.min(TAPS)),
            blocks: self.slices
                * (inputs / tile_inputs)
                * (outputs / tile_outputs)
                * tap_groups(conv),
            threads: warps * 32,
            shared: ZERO_BYTES + STAGES * of_stage,
            arguments: arguments.into(),
        }
    }
}

/// Rows of a chunk, and warps of a block, as `GradientTile` in `training.cuh`.
fn rows_of_chunk(conv: &Conv) -> (usize, usize) {
    match conv.kernel_height * conv.kernel_width {
        1 => (128, 8),
        _ => (64, TAPS),
    }
}

/// Blocks that share the taps of a convolution.
fn tap_groups(conv: &Conv) -> usize {
    (conv.kernel_height * conv.kernel_width).div_ceil(TAPS)
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
            debug_assert_eq!(tape.value(*to).extent, Extent::Maps);
            blocks_of(rows, channels) * tape.value(*to).channels * channels
        }
        _ => 0,
    };
    tape.operations.iter().map(of_operation).max().unwrap_or(0) * FLOAT
}
