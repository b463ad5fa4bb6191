//! 3x3 convolutions in 16-bit integers by Winograd's algorithm, with the kernels for play: a
//! quarter of the products on 19x19, and less rounding error than bf16 without Winograd.

use std::sync::OnceLock;

use crate::nn::cpu::simd::{
    Finish, Kernels, Layout, Output, PATCH, PLACES, Packed, ResidualMode, Rows, RowsMut, Stack,
    Tiles, padded, transformed,
};
use crate::nn::desc::Activation;

use super::layers::add;
use super::real::{Matrices, Shifted};

/// The weights of a convolution.
#[derive(Debug)]
pub struct Weights {
    kernels: Kernels,
    /// `[ky][kx][read][written]`, oriented as applied to the cells.
    values: Vec<f32>,
    /// Channels read.
    read: usize,
    /// Channels written.
    written: usize,
    /// Channels written, padded.
    zeros: Vec<f32>,
    /// Transformed: a matrix for each place of a tile.
    places: OnceLock<Vec<Packed<i16>>>,
}

/// Buffers between reading and writing the boards of a batch.
#[derive(Debug, Default)]
pub struct Scratch {
    /// One board with empty cells around; only channels of its points are ever written.
    padded: Vec<f32>,
    /// Channels of the padded board.
    channels: usize,
    tile: Vec<f32>,
    operands: Vec<i16>,
    scales: Vec<f32>,
    products: Vec<f32>,
    /// Results of one board.
    results: Vec<f32>,
}

impl Weights {
    /// Copies the weights. For the backward pass kernels are rotated by 180 degrees and transposed.
    pub fn new(kernels: Kernels, matrices: Matrices<f32>) -> Weights {
        let (read, written, last) = (matrices.depth(), matrices.columns(), matrices.count() - 1);
        let matrix = |tap: usize| match matrices.is_transposed {
            true => last - tap,
            false => tap,
        };
        let row = move |tap, k| (0..written).map(move |c| matrices.value(matrix(tap), k, c));
        let rows = (0..=last).flat_map(|tap| (0..read).map(move |k| (tap, k)));
        Weights {
            kernels,
            values: rows.flat_map(|(tap, k)| row(tap, k)).collect(),
            read,
            written,
            zeros: vec![0.0; padded(written)],
            places: OnceLock::new(),
        }
    }

    /// See [`super::real::Real::convolve`].
    pub fn convolve(
        &self,
        x: Shifted<f32>,
        (values, stride): (&mut [f32], usize),
        adds: bool,
        scratch: &mut Scratch,
    ) {
        let (grid, channels) = (x.grid, x.all.stride);
        let size = (grid.size.width(), grid.size.height());
        let tiles = |board: usize| Tiles::new(size, board, grid.boards);
        assert_eq!(stride, padded(self.written), "cells of the right width");
        scratch.load(x, self.kernels, tiles);
        self.multiply(tiles(0), channels, scratch);
        let Scratch {
            products, results, ..
        } = scratch;
        for board in 0..grid.boards {
            let to = &mut values[board * grid.board() * stride..];
            let mut finish = Finish {
                bias: &self.zeros,
                stack: None,
                output: None,
            };
            if adds {
                results.resize(grid.size.area() * stride, 0.0);
                finish.stack = Some(Stack {
                    values: results,
                    residual_mode: ResidualMode::Replaces,
                });
            } else {
                finish.output = Some(Output {
                    norm: None,
                    activation: Activation::Identity,
                    values: &mut *to,
                    layout: Layout {
                        origin: 0,
                        row: grid.line(),
                    },
                });
            }
            self.kernels
                .winograd_output(products, stride, tiles(board), finish);
            if adds {
                let lines = results.chunks_exact(size.0 * stride);
                for (to, line) in to.chunks_mut(grid.line() * stride).zip(lines) {
                    add(to, line);
                }
            }
        }
    }

    fn multiply(&self, tiles: Tiles, channels: usize, scratch: &mut Scratch) {
        let stride = padded(self.written);
        scratch.products.resize(tiles.rows() * stride, 0.0);
        let matrices = self.places.get_or_init(|| self.transformed());
        for (place, matrix) in matrices.iter().enumerate() {
            let numbers = tiles.rows_of(place);
            let first = numbers.start;
            let rows = Rows {
                values: &scratch.operands[first * channels..],
                stride: channels,
                count: numbers.len(),
            };
            let values = &mut scratch.products[first * stride..];
            let results = RowsMut { values, stride };
            self.kernels
                .gemm_integers(rows, &scratch.scales[first..], matrix, results);
        }
    }

    fn transformed(&self) -> Vec<Packed<i16>> {
        let shape = self.kernels.shape();
        let pack = |place: Vec<f32>| {
            let rows = Rows {
                values: &place[..],
                stride: self.written,
                count: self.read,
            };
            Packed::of_rounded_rows(shape, self.written, rows)
        };
        let places = (0..PATCH).flat_map(|line| transformed(line, &self.values, |g| g as f32));
        places.map(pack).collect()
    }
}

impl Scratch {
    /// Transforms the inputs of all boards of a batch.
    fn load(&mut self, x: Shifted<f32>, kernels: Kernels, tiles: impl Fn(usize) -> Tiles) {
        let (grid, stride) = (x.grid, x.all.stride);
        let all = tiles(0);
        self.operands.resize(all.rows() * stride, 0);
        self.scales.resize(all.rows(), 0.0);
        self.tile.resize(PLACES * stride, 0.0);
        if self.channels != x.all.channels {
            self.channels = x.all.channels;
            self.padded.clear();
            self.padded.resize(all.padded_cells() * stride, 0.0);
        }
        for board in 0..grid.boards {
            for (y, first) in grid.lines_of(board).enumerate() {
                let cells = x.all.values[first * stride..].chunks_exact(stride);
                let to = &mut self.padded[((y + 1) * all.padded_row() + 1) * stride..];
                let to = to.chunks_exact_mut(stride).take(grid.size.width());
                for (to, cell) in to.zip(cells) {
                    to[..self.channels].copy_from_slice(&cell[..self.channels]);
                }
            }
            let to = (&mut self.operands[..], &mut self.scales[..]);
            let tiles = tiles(board);
            kernels.winograd_input_integers(&self.padded, stride, tiles, to, &mut self.tile);
        }
    }
}
