//! The list of kernels for batches of one size.

mod attention;
mod attention_block;
mod chains;
mod feed_forward;
mod norms;

use anyhow::{Context, Result, bail};
use bytemuck::Zeroable;

use super::Format;
use super::arguments::{
    Arguments, ConvArguments, DenseArguments, GATED, PlanesArguments, PointsArguments,
    PoolArguments, PoolFactors, activation_number,
};
use super::layout::Layout;
use super::tiles::{Shape, Tile};
use super::weights::Places;
use crate::go::BoardSize;
use crate::nn::desc;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Conv, Dense, Operation, Plan, Third, ValueId, Work};

/// Channels that a thread computes.
const PACK: usize = 8;
/// Threads of a block of `conv_plain` and `gated`, and the rows of a thread of the former.
const PLAIN: (usize, usize) = (128, 4);
/// Threads of a block of `planes`, and of `points`.
const PLANES_THREADS: usize = 256;
const POINTS_THREADS: usize = 128;
/// Threads of a block of `pool`, channels of a block, and shared memory.
const POOL: (usize, usize, usize) = (256, 64, 2 * 32 * 64 * size_of::<f32>());
/// The same of `dense`.
const DENSE: (usize, usize, usize) = (256, 32, 256 * size_of::<f32>());

/// A kernel with its arguments.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Its name in `kernels.cu`.
    pub kernel: String,
    /// Number of blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Its arguments.
    pub arguments: Arguments,
}

impl Launch {
    /// A kernel without shared memory, with at least so many threads.
    pub fn of_threads(
        kernel: String,
        (all, of_block): (usize, usize),
        arguments: impl Into<Arguments>,
    ) -> Launch {
        Launch {
            kernel,
            blocks: all.div_ceil(of_block),
            threads: of_block,
            shared: 0,
            arguments: arguments.into(),
        }
    }

    /// Of so many values of points.
    pub fn planes(format: Format, arguments: PlanesArguments, values: usize) -> Launch {
        let threads = (values / PACK, PLANES_THREADS);
        Launch::of_threads(format.of_kernel("planes"), threads, arguments)
    }

    /// A convolution without tensor cores.
    pub fn conv_plain(format: Format, shape: &Shape, arguments: ConvArguments) -> Launch {
        let (threads, rows) = PLAIN;
        let all = shape.rows.div_ceil(rows) * shape.outputs / PACK;
        Launch::of_threads(format.of_kernel("conv_plain"), (all, threads), arguments)
    }

    /// A convolution on tensor cores, with weights for its tile.
    pub fn conv_tiled(tile: Tile, shape: &Shape, arguments: ConvArguments) -> Launch {
        Launch {
            kernel: tile.kernel(),
            blocks: tile.blocks(shape),
            threads: tile.threads(),
            shared: tile.shared(shape),
            arguments: arguments.into(),
        }
    }

    /// Of so many boards, and channels with padding.
    pub fn pool(format: Format, arguments: PoolArguments, boards: usize, stride: usize) -> Launch {
        let (threads, of_block, shared) = POOL;
        Launch {
            kernel: format.of_kernel("pool"),
            blocks: boards * stride.div_ceil(of_block),
            threads,
            shared,
            arguments: arguments.into(),
        }
    }

    /// Of so many boards and outputs.
    pub fn dense(arguments: DenseArguments, boards: usize, outputs: usize) -> Launch {
        let (threads, of_block, shared) = DENSE;
        Launch {
            kernel: "dense".to_owned(),
            blocks: boards * outputs.div_ceil(of_block),
            threads,
            shared,
            arguments: arguments.into(),
        }
    }

    /// Of so many points.
    pub fn points(format: Format, arguments: PointsArguments, rows: usize) -> Launch {
        let threads = (rows, POINTS_THREADS);
        Launch::of_threads(format.of_kernel("points"), threads, arguments)
    }
}

/// What lists are made from.
pub struct Binding<'a> {
    /// The network.
    pub plan: &'a Plan,
    /// Of activations.
    pub format: Format,
    /// Of all boards of a batch.
    pub size: BoardSize,
    /// Number of boards.
    pub boards: usize,
    /// Where values lie, from this address on.
    pub layout: &'a Layout,
    /// See `layout`.
    pub values: u64,
    /// Where weights lie, from this address on.
    pub places: &'a [Places],
    /// See `places`.
    pub weights: u64,
}

impl Binding<'_> {
    fn rows(&self) -> usize {
        self.boards * self.size.area()
    }

    fn address(&self, id: ValueId) -> u64 {
        self.values + self.layout.of(id) as u64
    }

    fn optional(&self, id: Option<ValueId>) -> u64 {
        id.map_or(0, |id| self.address(id))
    }

    /// Values of points that an operation keeps between its kernels.
    fn scratch(&self) -> u64 {
        self.values + self.layout.scratch as u64
    }

    /// Padded channels.
    fn stride(&self, id: ValueId) -> usize {
        padded(self.plan.value(id).channels)
    }

    /// Size of a convolution.
    pub fn shape(&self, kernel: &desc::Conv) -> Shape {
        Shape {
            rows: self.rows(),
            width: self.size.width(),
            inputs: padded(kernel.inputs),
            outputs: padded(kernel.outputs),
            kernel_height: kernel.kernel_height,
            kernel_width: kernel.kernel_width,
        }
    }

    /// The kernel of an operation without a product on all points.
    pub fn launch(&self, index: usize) -> Result<Launch> {
        let operation: &Operation = &self.plan.operations[index];
        let places = self.places[index];
        let weights = |place: usize| self.weights + place as u64;
        match &operation.work {
            Work::Planes { to } => self.planes(*to),
            Work::RmsNorm(norm) => self.rms_norm(norm, weights(places.second)),
            Work::Pool { from, to, third } => self.pool(*from, *to, *third),
            Work::Dense(dense) => {
                let bias = dense.bias.as_ref().map_or(0, |_| weights(places.second));
                self.dense(dense, weights(places.first), bias)
            }
            Work::Maps(maps) => self.points(maps.from, maps.to, weights(places.first)),
            _ => bail!("{}: no kernel for it", operation.name),
        }
    }

    /// The kernel before the product of an operation.
    pub fn before_product(&self, index: usize) -> Result<Option<Launch>> {
        match &self.plan.operations[index].work {
            Work::Conv(conv) if conv.pools_chains => self.chains(conv).map(Some),
            _ => Ok(None),
        }
    }

    /// The kernel after the product of an operation.
    pub fn after_product(&self, index: usize) -> Result<Option<Launch>> {
        let operation = &self.plan.operations[index];
        match &operation.work {
            Work::Attention(attention) => {
                let turns = self.turns(index);
                self.attention(operation, attention, turns).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn planes(&self, to: ValueId) -> Result<Launch> {
        let channels = self.stride(to);
        let arguments = PlanesArguments {
            is_packed: self.values,
            values: self.values + self.layout.planes as u64,
            to: self.address(to),
            rows: number(self.rows())?,
            planes: number(self.plan.inputs.shape.planes)?,
            channels: number(channels)?,
            reserved: 0,
        };
        Ok(Launch::planes(
            self.format,
            arguments,
            self.rows() * channels,
        ))
    }

    /// Of the product of an operation, with its epilogue.
    fn product_arguments(
        &self,
        index: usize,
        kernel: &desc::Conv,
        weights: u64,
    ) -> Result<ConvArguments> {
        let shape = self.shape(kernel);
        let arguments = ConvArguments {
            weights,
            affine: self.weights + self.places[index].second as u64,
            rows: number(self.rows())?,
            area: number(self.size.area())?,
            width: number(self.size.width())?,
            height: number(self.size.height())?,
            inputs: number(shape.inputs)?,
            outputs: number(shape.outputs)?,
            bias_stride: number(kernel.outputs)?,
            kernel_height: number(shape.kernel_height)?,
            kernel_width: number(shape.kernel_width)?,
            ..ConvArguments::zeroed()
        };
        let operation = &self.plan.operations[index];
        match &operation.work {
            Work::Conv(conv) => Ok(self.with_values(conv, arguments)),
            Work::Attention(attention) => Ok(ConvArguments {
                input: self.address(attention.from),
                raw: self.scratch(),
                ..arguments
            }),
            Work::Gated(gated) => Ok(ConvArguments {
                input: self.address(gated.from),
                normed: self.address(gated.to),
                activation: GATED,
                ..arguments
            }),
            _ => bail!("{}: not a product", operation.name),
        }
    }

    fn with_values(&self, conv: &Conv, arguments: ConvArguments) -> ConvArguments {
        let normed = conv.normed.as_ref();
        ConvArguments {
            input: match conv.pools_chains {
                true => self.scratch(),
                false => self.address(conv.input),
            },
            residual: self.optional(conv.residual.map(|residual| residual.from)),
            board_bias: self.optional(conv.board_bias()),
            raw: self.optional(conv.raw),
            normed: self.optional(normed.map(|normed| normed.to)),
            activation: normed.map_or(0, |normed| activation_number(normed.activation)),
            ..arguments
        }
    }

    /// The product of an operation in f32.
    pub fn plain(&self, index: usize, kernel: &desc::Conv) -> Result<Launch> {
        let (threads, rows) = PLAIN;
        let packs = self.shape(kernel).outputs / PACK;
        let (name, all) = match &self.plan.operations[index].work {
            Work::Gated(_) => ("gated", self.rows() * packs / 2),
            _ => ("conv_plain", self.rows().div_ceil(rows) * packs),
        };
        let weights = self.weights + self.places[index].first as u64;
        let arguments = self.product_arguments(index, kernel, weights)?;
        let kernel = self.format.of_kernel(name);
        Ok(Launch::of_threads(kernel, (all, threads), arguments))
    }

    /// The product of an operation on tensor cores, with weights for its tile.
    pub fn tiled(
        &self,
        index: usize,
        kernel: &desc::Conv,
        tile: Tile,
        weights: u64,
    ) -> Result<Launch> {
        let arguments = self.product_arguments(index, kernel, weights)?;
        Ok(Launch::conv_tiled(tile, &self.shape(kernel), arguments))
    }

    fn pool(&self, from: ValueId, to: ValueId, third: Third) -> Result<Launch> {
        let arguments = PoolArguments {
            from: self.address(from),
            to: self.address(to),
            boards: number(self.boards)?,
            area: number(self.size.area())?,
            channels: number(self.plan.value(from).channels)?,
            stride: number(self.stride(from))?,
            with_maximum: i32::from(third == Third::Maximum),
            factors: PoolFactors::of(self.size),
        };
        let stride = self.stride(from);
        Ok(Launch::pool(self.format, arguments, self.boards, stride))
    }

    fn dense(&self, dense: &Dense, matrix: u64, bias: u64) -> Result<Launch> {
        let arguments = DenseArguments {
            from: self.address(dense.from),
            matrix,
            bias,
            plus: self.optional(dense.plus),
            to: self.address(dense.to),
            boards: number(self.boards)?,
            inputs: number(dense.matrix.inputs)?,
            outputs: number(dense.matrix.outputs)?,
            activation: activation_number(dense.activation),
        };
        Ok(Launch::dense(arguments, self.boards, dense.matrix.outputs))
    }

    fn points(&self, from: ValueId, to: ValueId, weights: u64) -> Result<Launch> {
        let arguments = PointsArguments {
            from: self.address(from),
            weights,
            to: self.address(to),
            rows: number(self.rows())?,
            area: number(self.size.area())?,
            channels: number(self.stride(from))?,
            outputs: number(self.plan.value(to).channels)?,
        };
        Ok(Launch::points(self.format, arguments, self.rows()))
    }
}

/// A number as kernels have it. It is an error if there are too many.
pub fn number(value: usize) -> Result<i32> {
    value.try_into().context("a batch is too large")
}
