//! The backward pass.

mod outputs;

use std::collections::HashSet;
use std::ops::Range;

use anyhow::{Result, ensure};

use super::super::arguments::{
    BoardSumsArguments, ChainsBackArguments, NormBackArguments, SlicesArguments,
    WeightGradientArguments,
};
use super::super::tape::{Conv, Id, Norm, Operation};
use super::weights::Cut;
use super::{BatchBinding, FLOAT, PACK, THREADS, blocks_of, sizes};
use crate::nn::gpu::Launch;
use crate::nn::gpu::arguments::{ConvArguments, activation_number};
use crate::nn::gpu::launches::number;
use crate::nn::plan::memory::padded;

/// Channels of a block of `board_sums` and `pool_back`, and shares of the rows.
const GROUP: (usize, usize) = (64, 32);

impl BatchBinding<'_> {
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
}
