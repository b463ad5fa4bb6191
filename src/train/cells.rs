//! Memory layout of a batch, and the buffers of a forward and backward pass.
//!
//! All boards of a batch have one size. They lie one after another as rows of channels, each with
//! a border of empty cells on its right and below, which serves its neighbours too; before the
//! first board and after the last there is a margin of empty cells. So a neighbour is always the
//! same number of cells away, and a 3x3 convolution is nine matrix products over the whole batch,
//! each with a shift. Readers of neighbours rely on zeros in the empty cells; other code may leave
//! any values there, except in the margins, which are never written.

use crate::go::BoardSize;
use crate::nn::cpu::simd::padded;
use crate::nn::regions::{Regions, Rows};

use super::matrix::Matrix;
use super::real::{Channels, Compute, Real, Shifted};

/// The boards of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Size of every board.
    pub size: BoardSize,
    /// Number of boards.
    pub boards: usize,
    /// Empty columns on the right of a board, and empty rows below: as far as the widest kernel reaches.
    pub border: usize,
}

impl Grid {
    pub fn line(&self) -> usize {
        self.size.width() + self.border
    }

    pub fn board(&self) -> usize {
        self.line() * (self.size.height() + self.border)
    }

    /// Cells of all boards, without the margins.
    pub fn cells(&self) -> usize {
        self.boards * self.board()
    }

    /// Cells of one margin.
    pub fn margin(&self) -> usize {
        self.border * (self.line() + 1)
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

    /// The cell (counted with the margin) of a point, `board * area + point`.
    pub fn cell(&self, point: usize) -> usize {
        let (area, width) = (self.size.area(), self.size.width());
        let (board, point) = (point / area, point % area);
        self.margin() + board * self.board() + point / width * self.line() + point % width
    }

    /// Distance in cells to the place `x` columns to the right and `y` lines below.
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

    /// Distance in values from one cell to the next.
    pub fn stride(&self) -> usize {
        padded(self.channels)
    }

    /// Values from a cell (counted with the margin) on.
    pub fn from(&self, cell: usize) -> &[T] {
        &self.values[cell * self.stride()..]
    }

    pub fn from_mut(&mut self, cell: usize) -> &mut [T] {
        let stride = self.stride();
        &mut self.values[cell * stride..]
    }

    /// A line of `count` cells, cell by cell, without padding.
    pub fn line(&self, first: usize, count: usize) -> impl Iterator<Item = &[T]> {
        let cells = self.from(first).chunks_exact(self.stride()).take(count);
        cells.map(|cell| &cell[..self.channels])
    }

    pub fn line_mut(&mut self, first: usize, count: usize) -> impl Iterator<Item = &mut [T]> {
        let (stride, channels) = (self.stride(), self.channels);
        let cells = self.from_mut(first).chunks_exact_mut(stride).take(count);
        cells.map(move |cell| &mut cell[..channels])
    }

    pub fn rows(&self) -> Rows<&[T]> {
        Rows {
            values: &self.values,
            stride: self.stride(),
        }
    }

    pub fn rows_mut(&mut self) -> Rows<&mut [T]> {
        let stride = self.stride();
        Rows {
            values: &mut self.values,
            stride,
        }
    }

    fn all(&self) -> Channels<'_, T> {
        self.channels_from(0)
    }

    fn channels_from(&self, cell: usize) -> Channels<'_, T> {
        Channels {
            values: self.from(cell),
            stride: self.stride(),
            channels: self.channels,
        }
    }

    /// Adds all values of another.
    pub fn add(&mut self, other: &Cells<T>) {
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += *value;
        }
    }

    /// Copies another with as many channels.
    pub fn copy_from(&mut self, other: &Cells<T>) {
        self.values.copy_from_slice(&other.values);
    }

    pub fn clear(&mut self) {
        self.values.fill(T::default());
    }

    /// Sets the empty cells between and below the points to 0.
    pub fn clear_between(&mut self, grid: Grid) {
        let (stride, width) = (self.stride(), grid.size.width());
        for (_, first) in grid.lines() {
            self.from_mut(first + width)[..stride * grid.border].fill(T::default());
        }
        let below = grid.border * grid.line();
        for board in 0..grid.boards {
            let end = grid.margin() + (board + 1) * grid.board();
            self.from_mut(end - below)[..stride * below].fill(T::default());
        }
    }
}

/// A thread's workspace: compute settings, and buffers that are reused.
#[derive(Debug)]
pub struct Workspace<T: Real> {
    pub compute: Compute,
    pub grid: Grid,
    /// Chains and empty regions of the boards, for nets that pool over them.
    pub regions: Regions,
    free: Vec<Cells<T>>,
    matrices: Vec<Matrix<T>>,
    first: Vec<usize>,
    scratch: T::Scratch,
}

impl<T: Real> Workspace<T> {
    /// For batches of boards of one size and number.
    pub fn new(compute: Compute, grid: Grid) -> Workspace<T> {
        Workspace {
            compute,
            grid,
            regions: Regions::default(),
            free: Vec::new(),
            matrices: Vec::new(),
            first: Vec::new(),
            scratch: T::Scratch::default(),
        }
    }

    /// A buffer with undefined values in its cells and zeros in the margins.
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

    /// Takes buffers back for reuse.
    pub fn give<const N: usize>(&mut self, cells: [Cells<T>; N]) {
        self.free.extend(cells);
    }

    /// A matrix of undefined size and values.
    pub fn take_matrix(&mut self) -> Matrix<T> {
        self.matrices.pop().unwrap_or_default()
    }

    /// Takes matrices back for reuse.
    pub fn give_matrices(&mut self, matrices: impl IntoIterator<Item = Matrix<T>>) {
        self.matrices.extend(matrices);
    }

    /// `y = sum of x, shifted, * matrix` over all shifts (in cells) and their matrices, or `y +=
    /// ...`. Empty cells of `y` are undefined.
    pub fn convolve(
        &mut self,
        x: &Cells<T>,
        shifts: impl Iterator<Item = isize>,
        weights: &T::Weights,
        y: &mut Cells<T>,
        add: bool,
    ) {
        self.set_first(shifts);
        let x = Shifted {
            all: x.all(),
            first: &self.first,
            count: self.grid.cells(),
            grid: self.grid,
        };
        let stride = y.stride();
        let y = (y.from_mut(self.grid.margin()), stride);
        T::convolve(self.compute, x, weights, y, add, &mut self.scratch);
    }

    /// Adds to `sums`, `[shift][channel of x][channel of y]`, for each shift of `x` (in cells) the
    /// sums over all cells of the products of `x`, shifted, and `y`.
    pub fn correlate(
        &mut self,
        x: &Cells<T>,
        shifts: impl Iterator<Item = isize>,
        y: &Cells<T>,
        sums: &mut [T],
    ) {
        self.set_first(shifts);
        let x = Shifted {
            all: x.all(),
            first: &self.first,
            count: self.grid.cells(),
            grid: self.grid,
        };
        let y = y.channels_from(self.grid.margin());
        T::correlate(self.compute, x, y, sums, &mut self.scratch);
    }

    fn set_first(&mut self, shifts: impl Iterator<Item = isize>) {
        let margin = self.grid.margin();
        self.first.clear();
        self.first
            .extend(shifts.map(|shift| margin.strict_add_signed(shift)));
    }
}
