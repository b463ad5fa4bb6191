//! Convolutions of values pooled over chains and empty regions.

use super::conv::Conv;
use super::epilogue::{Epilogue, EpilogueBuffers};
use super::memory::Memory;
use super::profiler::Stage;
use super::simd::{Kernels, Points};
use crate::nn::plan::ValueId;
use crate::nn::regions::{Rows, VALUES};

/// A convolution that is computed once per region, not per point.
#[derive(Debug)]
pub struct ChainPooling {
    pub kernels: Kernels,
    /// What is pooled.
    pub source: ValueId,
    /// A matrix of floats.
    pub conv: Conv,
    /// Inputs of the matrix, three for each pooled channel.
    pub inputs: usize,
    pub epilogue: Epilogue,
}

impl ChainPooling {
    /// Writes the results of all points.
    pub fn run(&self, memory: &mut Memory) {
        let (boards, outputs) = (memory.boards(), self.conv.outputs());
        let mut results = std::mem::take(&mut memory.work.of_points);
        results.grow(boards.count * boards.area() * outputs);
        self.spread_products(&mut results, memory);
        let points = Points {
            width: boards.size.width(),
            first: 0,
            count: boards.area(),
        };
        let (mut buffers, work) = EpilogueBuffers::new(outputs, &self.epilogue, memory);
        let of_boards = results.chunks_exact(boards.area() * outputs);
        for (board, results) in of_boards.enumerate().take(boards.count) {
            let (height, finish) = (boards.size.height(), buffers.of_board(board, boards));
            self.kernels
                .finish(results, outputs, points, height, finish);
        }
        work.profiler.lap(Stage::Pooling);
        memory.work.of_points = results;
    }

    /// Pools over each region, multiplies the result by the matrix, and copies the products to the
    /// region's points.
    fn spread_products(&self, results: &mut [f32], memory: &mut Memory) {
        let stride = memory.kind(self.source).channels;
        let (values, work) = memory.with_work(self.source);
        let from = Rows { values, stride };
        let (inputs, outputs) = (self.conv.inputs(), self.conv.outputs());
        let count = work.regions.count();
        work.floats.grow(count * inputs);
        work.products.grow(count * outputs);
        let mut rows = work.floats.chunks_exact_mut(inputs);
        work.regions
            .pool_each(from, self.inputs / VALUES, |_, pooled| {
                let row = rows.next().expect("a row for each region");
                row[..pooled.len()].copy_from_slice(pooled);
            });
        self.conv
            .multiply_floats(&work.floats, count, &mut work.products);
        let products = work.products.chunks_exact(outputs);
        for (cells, product) in work.regions.iter().zip(products) {
            for &cell in cells {
                results[cell as usize * outputs..][..outputs].copy_from_slice(product);
            }
        }
    }
}
