//! Where the points of a batch lie in memory, and the buffers of a forward and backward pass.
//!
//! Boards of one size lie one after another as rows of channels, each board with an empty column on
//! its right and an empty row below, which its neighbours share; before the first board and after
//! the last there is a margin of empty cells. So a neighbour of a cell is always the same number of
//! cells away, and a 3x3 convolution is nine matrix products of the whole batch, shifted. What
//! reads neighbours finds zeros in the empty cells; what writes cells without looking at their
//! neighbours may leave anything there, but for the margins, which nobody writes.

use crate::go::BoardSize;
use crate::nn::cpu::simd::{Kernels, Rows, padded};

use super::real::{Matrix, Real};

/// The boards of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Of all boards.
    pub size: BoardSize,
    /// How many.
    pub boards: usize,
}

impl Grid {
    /// Cells from one line of a board to the next.
    pub fn line(&self) -> usize {
        self.size.width() + 1
    }

    /// Cells from one board to the next.
    pub fn board(&self) -> usize {
        self.line() * (self.size.height() + 1)
    }

    /// Cells of all boards.
    pub fn cells(&self) -> usize {
        self.boards * self.board()
    }

    /// Empty cells before and after.
    pub fn margin(&self) -> usize {
        self.line() + 1
    }

    /// The board and the first cell (counted with the margin) of each line of points.
    pub fn lines(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (height, grid) = (self.size.height(), *self);
        let first =
            move |board: usize, y: usize| grid.margin() + board * grid.board() + y * grid.line();
        (0..self.boards).flat_map(move |board| (0..height).map(move |y| (board, first(board, y))))
    }

    /// The first cell of each line of one board.
    pub fn lines_of(&self, board: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.margin() + board * self.board();
        let line = self.line();
        (0..self.size.height()).map(move |y| first + y * line)
    }

    /// By how many cells a place differs that is `x` columns to the right and `y` lines below.
    pub fn offset(&self, x: isize, y: isize) -> isize {
        y * self.line() as isize + x
    }
}

/// Values of all cells, `[cell][channel]`, channels padded to a multiple of 16.
#[derive(Clone, Debug)]
pub struct Cells<T> {
    channels: usize,
    values: Vec<T>,
}

impl<T: Real> Cells<T> {
    /// Number of channels without padding.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Values from cell to cell.
    pub fn stride(&self) -> usize {
        padded(self.channels)
    }

    /// Values from a cell (counted with the margin) on.
    pub fn from(&self, cell: usize) -> &[T] {
        &self.values[cell * self.stride()..]
    }

    /// The same, to be written.
    pub fn from_mut(&mut self, cell: usize) -> &mut [T] {
        let stride = self.stride();
        &mut self.values[cell * stride..]
    }

    /// A line of `count` cells, cell by cell, without padding.
    pub fn line(&self, first: usize, count: usize) -> impl Iterator<Item = &[T]> {
        let cells = self.from(first).chunks_exact(self.stride()).take(count);
        cells.map(|cell| &cell[..self.channels])
    }

    /// The same, to be written.
    pub fn line_mut(&mut self, first: usize, count: usize) -> impl Iterator<Item = &mut [T]> {
        let (stride, channels) = (self.stride(), self.channels);
        let cells = self.from_mut(first).chunks_exact_mut(stride).take(count);
        cells.map(move |cell| &mut cell[..channels])
    }

    /// All cells of the boards as operands of a product, shifted by an offset.
    pub fn rows(&self, grid: Grid, offset: isize) -> Rows<'_, T> {
        Rows {
            values: self.from(grid.margin().strict_add_signed(offset)),
            stride: self.stride(),
            count: grid.cells(),
        }
    }

    /// Adds all values of another.
    pub fn add(&mut self, other: &Cells<T>) {
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += *value;
        }
    }

    /// Becomes equal to another with as many channels.
    pub fn copy_from(&mut self, other: &Cells<T>) {
        self.values.copy_from_slice(&other.values);
    }

    /// All values become 0.
    pub fn clear(&mut self) {
        self.values.fill(T::default());
    }

    /// The cells between and below the points become 0.
    pub fn clear_between(&mut self, grid: Grid) {
        let (stride, width) = (self.stride(), grid.size.width());
        for (_, first) in grid.lines() {
            self.from_mut(first + width)[..stride].fill(T::default());
        }
        for board in 0..grid.boards {
            let below = grid.margin() + (board + 1) * grid.board() - grid.line();
            self.from_mut(below)[..stride * grid.line()].fill(T::default());
        }
    }
}

/// What one thread needs besides weights: the kernels, and memory that is used again and again.
#[derive(Debug)]
pub struct Workspace<T: Real> {
    /// The instructions to use.
    pub kernels: Kernels,
    /// The boards of the pass.
    pub grid: Grid,
    free: Vec<Cells<T>>,
    transposed: Vec<T>,
    product: Vec<T>,
}

impl<T: Real> Workspace<T> {
    /// For passes over boards of one size and number.
    pub fn new(kernels: Kernels, grid: Grid) -> Workspace<T> {
        Workspace {
            kernels,
            grid,
            free: Vec::new(),
            transposed: Vec::new(),
            product: Vec::new(),
        }
    }

    /// A buffer with anything in its cells and zeros in the margins.
    pub fn take(&mut self, channels: usize) -> Cells<T> {
        let fits = |cells: &Cells<T>| padded(cells.channels) == padded(channels);
        match self.free.iter().rposition(fits) {
            Some(index) => Cells {
                channels,
                ..self.free.swap_remove(index)
            },
            None => {
                let cells = self.grid.cells() + 2 * self.grid.margin();
                let values = vec![T::default(); cells * padded(channels)];
                Cells { channels, values }
            }
        }
    }

    /// Takes buffers back that are no longer needed.
    pub fn give<const N: usize>(&mut self, cells: [Cells<T>; N]) {
        self.free.extend(cells);
    }

    /// For each of some shifts of `x` (in cells), the matrix `[channel of x][channel of y]` of sums
    /// over all cells of the products of `x`, shifted, and `y`; each is handed to `add`, its rows
    /// `stride` values apart: `add(index, matrix, stride)`.
    pub fn products(
        &mut self,
        x: &Cells<T>,
        y: &Cells<T>,
        offsets: impl Iterator<Item = isize>,
        mut add: impl FnMut(usize, &[T], usize),
    ) {
        let (grid, kernels) = (self.grid, self.kernels);
        self.transpose(x);
        let right = T::right(
            kernels,
            Matrix {
                values: y.from(grid.margin()),
                depth: grid.cells(),
                columns: y.channels,
                stride: y.stride(),
                is_transposed: false,
            },
        );
        self.product.resize(x.channels * y.stride(), T::default());
        for (index, offset) in offsets.enumerate() {
            let left = Rows {
                values: &self.transposed[grid.margin().strict_add_signed(offset)..],
                stride: grid.cells() + 2 * grid.margin(),
                count: x.channels,
            };
            let stride = y.stride();
            T::multiply(kernels, left, &right, (&mut self.product, stride), false);
            add(index, &self.product, stride);
        }
    }

    /// `[channel][cell]`, with margins.
    fn transpose(&mut self, x: &Cells<T>) {
        let cells = self.grid.cells() + 2 * self.grid.margin();
        self.transposed.resize(x.channels * cells, T::default());
        // By small squares, so that what is written stays in the cache.
        const SIDE: usize = 16;
        for first in (0..cells).step_by(SIDE) {
            for channel in (0..x.channels).step_by(SIDE) {
                for (cell, row) in (first..cells.min(first + SIDE)).zip(x.line(first, SIDE)) {
                    let last = x.channels.min(channel + SIDE);
                    for (c, value) in (channel..last).zip(&row[channel..last]) {
                        self.transposed[c * cells + cell] = *value;
                    }
                }
            }
        }
    }
}
