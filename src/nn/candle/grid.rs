//! Layout of the cells of a batch, in which neighbors are at fixed distances.
//!
//! Each board is followed by `pad` empty rows, each row by `pad` empty columns; a step to the left
//! of a row leads to the empty columns of the previous row.

use anyhow::{Context, Result};
use candle_core::{DType, Tensor};

use super::gradient::with_backward;
use super::place::Place;
use super::region_pooling::RegionLists;
use crate::go::point::BoardSize;
use crate::nn::regions::Regions;

/// Below any activation, for cells outside the boards when taking maxima.
const NEVER: f32 = -1e30;

/// The layout of a batch, with masks.
pub struct Grid {
    size: BoardSize,
    boards: usize,
    pad: usize,
    /// `[cell][1]`: 1 on the boards, 0 between them.
    mask: Tensor,
    /// `[cell][1]`: 0 on the boards, [`NEVER`] between them, in f32.
    penalty: Tensor,
    /// Regions, for networks with chain pooling.
    regions: Option<RegionLists>,
}

impl Grid {
    /// A layout for convolutions with a reach of `pad` cells, with values in the place's format.
    pub fn new(size: BoardSize, boards: usize, pad: usize, place: &Place) -> Result<Grid> {
        let stride = size.width() + pad;
        let on_board = |cell: usize| cell % stride < size.width() && cell / stride < size.height();
        let cells = stride * (size.height() + pad);
        let mask = (0..cells).map(|cell| on_board(cell) as u8 as f32);
        let mask = Tensor::from_iter(mask, &place.device)?.reshape((1, cells, 1))?;
        let mask = mask.broadcast_as((boards, cells, 1))?.contiguous()?;
        let mask = mask.flatten_to(1)?;
        let penalty = mask.affine(-NEVER as f64, NEVER as f64)?;
        let mask = mask.to_dtype(place.dtype)?;
        Ok(Grid {
            size,
            boards,
            pad,
            mask,
            penalty,
            regions: None,
        })
    }

    /// The same with the chains and empty regions of boards with this many planes,
    /// `[board][y][x][plane]`.
    pub fn with_regions(self, spatial: &[f32], planes: usize) -> Result<Grid> {
        let (area, width) = (self.size.area(), self.size.width());
        let cell = |point: usize| {
            let (board, point) = (point / area, point % area);
            board * self.cells() + point / width * self.stride() + point % width
        };
        let regions = Regions::of_many(spatial, planes, self.size).moved(cell);
        let regions = Some(RegionLists::new(regions, self.mask.device())?);
        Ok(Grid { regions, ..self })
    }

    /// Values pooled over the region of each cell, see [`Regions::pool`]; 0 between the boards.
    pub fn pool_regions(&self, cells: &Tensor) -> Result<Tensor> {
        let regions = self.regions.as_ref();
        regions.context("the regions are not known")?.pool(cells)
    }

    /// The same layout with values in f32.
    pub fn exact(self) -> Result<Grid> {
        let mask = self.mask.to_dtype(DType::F32)?;
        Ok(Grid { mask, ..self })
    }

    /// Number of boards.
    pub fn boards(&self) -> usize {
        self.boards
    }

    /// Points of each board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// 1 on the boards and 0 between them, `[cell][1]`.
    pub fn mask(&self) -> &Tensor {
        &self.mask
    }

    fn stride(&self) -> usize {
        self.size.width() + self.pad
    }

    /// Cells of one board with its padding.
    fn cells(&self) -> usize {
        self.stride() * (self.size.height() + self.pad)
    }

    /// Values `[board][y][x][channel]` as `[cell][channel]`, zero between the boards.
    pub fn scatter(&self, values: &[f32], channels: usize) -> Result<Tensor> {
        let shape = (self.boards, self.size.height(), self.size.width(), channels);
        let values = Tensor::from_slice(values, shape, self.mask.device())?;
        let cells = values
            .to_dtype(self.mask.dtype())?
            .pad_with_zeros(1, 0, self.pad)?
            .pad_with_zeros(2, 0, self.pad)?;
        Ok(cells.flatten_to(2)?)
    }

    /// The inverse of [`Grid::scatter`], transposed: `[board][channel * y * x]`.
    pub fn points(&self, cells: &Tensor) -> Result<Tensor> {
        let on_boards = self
            .images(cells)?
            .narrow(2, 0, self.size.height())?
            .narrow(3, 0, self.size.width())?;
        Ok(on_boards.flatten_from(1)?)
    }

    /// Converts `[cell][channel]` of this grid to one with less padding.
    pub fn narrow_to(&self, cells: &Tensor, other: &Grid) -> Result<Tensor> {
        if self.pad == other.pad {
            return Ok(cells.clone());
        }
        let channels = cells.dim(1)?;
        let rows = self.size.height() + self.pad;
        let kept = cells
            .reshape((self.boards, rows, self.stride(), channels))?
            .narrow(1, 0, other.size.height() + other.pad)?
            .narrow(2, 0, other.stride())?;
        Ok(kept.reshape((other.boards * other.cells(), channels))?)
    }

    /// The neighborhood of a kernel.
    pub fn neighborhood(&self, height: usize, width: usize) -> Neighborhood {
        Neighborhood {
            height,
            width,
            stride: self.stride(),
            is_mirrored: false,
        }
    }

    /// Cells as images, `[board][channel][y][x]`, including the cells between boards.
    pub fn images(&self, cells: &Tensor) -> Result<Tensor> {
        let rows = self.size.height() + self.pad;
        let apart = cells.reshape((self.boards, rows, self.stride(), ()))?;
        Ok(apart.permute((0, 3, 1, 2))?)
    }

    /// The inverse of [`Grid::images`].
    pub fn cells_of(images: &Tensor) -> Result<Tensor> {
        Ok(images.permute((0, 2, 3, 1))?.flatten(0, 2)?)
    }

    /// Adds f32 values `[board][channel]` to every cell of the board.
    pub fn add_per_board(&self, cells: &Tensor, values: &Tensor) -> Result<Tensor> {
        let added = values.detach().to_dtype(cells.dtype())?.unsqueeze(1)?;
        let sum = self.split(&cells.detach())?.broadcast_add(&added)?;
        let (boards, in_board) = (self.boards, self.cells());
        let back = move |of_sum: &Tensor| {
            let ones = Tensor::ones((boards, 1, in_board), of_sum.dtype(), of_sum.device())?;
            let of_boards = ones.matmul(&of_sum.reshape((boards, in_board, ()))?)?;
            let of_values = of_boards.squeeze(1)?.to_dtype(DType::F32)?;
            Ok((of_sum.clone(), of_values))
        };
        Ok(with_backward(sum.flatten_to(1)?, (cells, values), back)?)
    }

    /// Multiplies every cell of the board by f32 values `[board][1]`.
    pub fn scale_per_board(&self, cells: &Tensor, values: &Tensor) -> Result<Tensor> {
        let values = values.to_dtype(cells.dtype())?;
        let scaled = self.split(cells)?.broadcast_mul(&values.unsqueeze(1)?)?;
        Ok(scaled.flatten_to(1)?)
    }

    /// Multiplies by a table `[row][column][channel]` of boards at least as large, whose format the
    /// result has.
    pub fn multiply_by_place(&self, cells: &Tensor, table: &Tensor) -> Result<Tensor> {
        let table = table
            .narrow(0, 0, self.size.height())?
            .narrow(1, 0, self.size.width())?
            .pad_with_zeros(0, 0, self.pad)?
            .pad_with_zeros(1, 0, self.pad)?
            .reshape((self.cells(), ()))?;
        let cells = self.split(&cells.to_dtype(table.dtype())?)?;
        Ok(cells.broadcast_mul(&table)?.flatten_to(1)?)
    }

    /// `[1][1][cell of a board]`, f32: 0 on the boards, [`NEVER`] between them, if there are any.
    pub fn penalty_of_cells(&self) -> Result<Option<Tensor>> {
        let first = || Ok(self.penalty.narrow(0, 0, self.cells())?);
        let has_padding = self.pad > 0;
        has_padding
            .then(|| first().and_then(|cells| Ok(cells.reshape((1, 1, ()))?)))
            .transpose()
    }

    /// `[board][channel]`, f32: means over the points, for masked cells.
    pub fn mean(&self, cells: &Tensor) -> Result<Tensor> {
        let cells = &cells.to_dtype(DType::F32)?;
        Ok((self.split(cells)?.sum(1)? / self.size.area() as f64)?)
    }

    /// `[board][channel]`, f32: maxima over the points.
    pub fn max(&self, cells: &Tensor) -> Result<Tensor> {
        let cells = &cells.to_dtype(DType::F32)?;
        Ok(self.split(&cells.broadcast_add(&self.penalty)?)?.max(1)?)
    }

    fn split(&self, cells: &Tensor) -> Result<Tensor> {
        Ok(cells.reshape((self.boards, self.cells(), ()))?)
    }
}

/// The cells that a kernel reads at each cell.
#[derive(Clone, Copy, Debug)]
pub struct Neighborhood {
    height: usize,
    width: usize,
    /// Distance between rows in cells.
    stride: usize,
    is_mirrored: bool,
}

impl Neighborhood {
    /// Reflected at the center of the kernel.
    pub fn mirrored(self) -> Neighborhood {
        Neighborhood {
            is_mirrored: !self.is_mirrored,
            ..self
        }
    }

    /// Number of cells.
    pub fn len(self) -> usize {
        self.height * self.width
    }

    /// Number of rows and columns.
    #[cfg(feature = "cuda")]
    pub fn size(self) -> (usize, usize) {
        (self.height, self.width)
    }

    /// Distance between rows in cells.
    #[cfg(feature = "cuda")]
    pub fn stride(self) -> usize {
        self.stride
    }

    /// See [`Neighborhood::mirrored`].
    #[cfg(feature = "cuda")]
    pub fn is_mirrored(self) -> bool {
        self.is_mirrored
    }

    /// `[cell][channel]` as `[cell][ky][kx][channel]`, the last three as one index; 0 outside of
    /// the range of cells.
    pub fn patches(self, cells: &Tensor) -> candle_core::Result<Tensor> {
        let (height, width) = (self.height, self.width);
        if self.len() == 1 {
            return Ok(cells.clone());
        }
        #[cfg(feature = "cuda")]
        if cells.device().is_cuda() {
            return super::fused::patches(cells, self);
        }
        let margin = height / 2 * self.stride + width / 2;
        let padded = cells.pad_with_zeros(0, margin, margin)?;
        let places = (0..height).flat_map(|ky| (0..width).map(move |kx| (ky, kx)));
        let first = |(ky, kx): (usize, usize)| match self.is_mirrored {
            false => ky * self.stride + kx,
            true => (height - 1 - ky) * self.stride + (width - 1 - kx),
        };
        let shifted = places
            .map(|place| padded.narrow(0, first(place), cells.dim(0)?))
            .collect::<candle_core::Result<Vec<_>>>()?;
        Tensor::cat(&shifted, 1)
    }
}
