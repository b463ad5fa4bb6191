//! Blocks that pool over chains and empty regions.

use super::blocks::normed_output;
use super::boards::Frame;
use super::builder::Builder;
use super::conv::Conv;
use super::epilogue::{Biases, Epilogue, EpilogueBuffers};
use super::memory::{Memory, Slot, Use};
use super::profiler::Stage;
use super::simd::{Kernels, Points};
use crate::nn::desc;
use crate::nn::regions::Rows;

/// See [`desc::ChainPoolingBlock`]. The last convolution is computed once per region, not per
/// point.
#[derive(Debug)]
pub struct ChainPooling {
    kernels: Kernels,
    input: Slot,
    conv: Conv,
    norm: Epilogue,
    /// Number of pooled channels.
    channels: usize,
    normed: Slot,
    conv_out: Conv,
    /// Buffer of the results of each point.
    results: Slot,
    /// Number of results per point.
    no_bias: Vec<f32>,
    epilogue: Epilogue,
}

impl ChainPooling {
    /// For a residual connection with this epilogue.
    pub fn new(
        block: &desc::ChainPoolingBlock,
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> ChainPooling {
        let channels = block.conv.outputs;
        let normed = builder.slot(Use::Pooled, Frame::Plain, channels);
        let conv_out = builder.exact_conv(&block.conv_out);
        ChainPooling {
            kernels: builder.kernels(),
            input: builder.slot(Use::Input, Frame::Plain, block.conv.inputs),
            conv: builder.exact_conv(&block.conv),
            norm: Epilogue::into(normed_output(&block.norm, normed)),
            channels,
            normed,
            results: builder.slot(Use::Inner, Frame::Plain, conv_out.outputs()),
            no_bias: vec![0.0; conv_out.outputs()],
            conv_out,
            epilogue,
        }
    }

    /// Adds the block's output to the trunk.
    pub fn run(&self, memory: &mut Memory) {
        self.conv.run(self.input, None, &self.norm, memory);
        let mut results = memory.take(self.results);
        self.spread_products(&mut results, memory);
        let boards = memory.boards();
        let outputs = self.conv_out.outputs();
        let points = Points {
            width: boards.size.width(),
            first: 0,
            count: boards.area(),
        };
        let bias = Biases::Common(&self.no_bias);
        let (mut buffers, work) = EpilogueBuffers::new(outputs, bias, &self.epilogue, memory);
        let of_boards = results.chunks_exact(boards.area() * outputs);
        for (board, results) in of_boards.enumerate() {
            let (height, finish) = (boards.size.height(), buffers.of_board(board, boards));
            self.kernels
                .finish(results, outputs, points, height, finish);
        }
        work.profiler.lap(Stage::Pooling);
        memory.put(self.results, results);
    }

    /// Pools over each region, multiplies the result by the last matrix, and copies the products to
    /// the region's points.
    fn spread_products(&self, results: &mut [f32], memory: &mut Memory) {
        let (values, work) = memory.with_work(self.normed);
        let from = Rows {
            values,
            stride: self.conv.outputs(),
        };
        let (inputs, outputs) = (self.conv_out.inputs(), self.conv_out.outputs());
        let count = work.regions.count();
        work.floats.grow(count * inputs);
        work.products.grow(count * outputs);
        let mut rows = work.floats.chunks_exact_mut(inputs);
        work.regions.pool_each(from, self.channels, |_, pooled| {
            let row = rows.next().expect("a row for each region");
            row[..pooled.len()].copy_from_slice(pooled);
        });
        self.conv_out
            .multiply_floats(&work.floats, count, &mut work.products);
        let products = work.products.chunks_exact(outputs);
        for (cells, product) in work.regions.iter().zip(products) {
            for &cell in cells {
                results[cell as usize * outputs..][..outputs].copy_from_slice(product);
            }
        }
    }
}
