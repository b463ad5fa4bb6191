//! Winograd's algorithm for 3x3 convolutions: transforms of inputs and products.

mod interpolation;

use super::finish::{Act, Identity, Mish, RawFinish, Relu, Silu, with_activation};
use super::rows::{self, Rounded};
use super::vector::Simd;
use crate::nn::desc::Activation;
pub use interpolation::TileSide;
use interpolation::{Four, Lines, Three};

/// The tiles of one board in a batch.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// Width of the board.
    pub width: usize,
    /// Height of the board.
    pub height: usize,
    /// Side of a tile.
    pub side: TileSide,
    /// Index of the board's first tile.
    pub first: usize,
    /// Number of tiles of all boards.
    pub total: usize,
}

impl Tiles {
    /// For one of several boards, with the side that needs the fewest multiplications.
    pub fn new((width, height): (usize, usize), board: usize, boards: usize) -> Tiles {
        let of_side = |side| Tiles {
            width,
            height,
            side,
            first: 0,
            total: 0,
        };
        let all = TileSide::ALL.map(of_side).into_iter();
        let best = all.min_by_key(|tiles| tiles.count() * tiles.side.places());
        let mut tiles = best.expect("there are sides");
        (tiles.first, tiles.total) = (board * tiles.count(), boards * tiles.count());
        tiles
    }

    /// Number of columns of tiles.
    pub fn across(&self) -> usize {
        self.width.div_ceil(self.side.results())
    }

    /// Number of rows of tiles.
    pub fn down(&self) -> usize {
        self.height.div_ceil(self.side.results())
    }

    /// Number of tiles of the board.
    pub fn count(&self) -> usize {
        self.across() * self.down()
    }

    /// Transformed values of all boards, per channel.
    pub fn places(&self) -> usize {
        self.side.places() * self.total
    }

    /// Stride of rows in cells, of a board with a margin and whole tiles.
    pub fn padded_row(&self) -> usize {
        self.across() * self.side.results() + 2
    }

    /// Number of cells of such a board.
    pub fn padded_cells(&self) -> usize {
        self.padded_row() * (self.down() * self.side.results() + 2)
    }

    /// Column and row of a tile's first result, which are also those of the first padded cell it
    /// reads.
    #[inline(always)]
    fn corner(&self, tile: usize) -> (usize, usize) {
        let (x, y) = (tile % self.across(), tile / self.across());
        (x * self.side.results(), y * self.side.results())
    }
}

/// Transforms a padded board, `[cell][channel]`, into `[place][tile][channel]`.
///
/// # Safety
///
/// Needs the instruction set, and memory as the tiles say.
#[inline(always)]
pub unsafe fn input_f32<S: Simd>(board: *const f32, channels: usize, tiles: Tiles, to: *mut f32) {
    for tile in 0..tiles.count() {
        let to = to.add((tiles.first + tile) * channels);
        input_tile::<S>(board, channels, &tiles, tile, to, tiles.total * channels);
    }
}

/// The same, rounded to 16-bit integers with a scale for each `[place][tile]`. `floats` has room
/// for one transformed tile.
///
/// # Safety
///
/// As [`input_f32`].
#[inline(always)]
pub unsafe fn input_i16<S: Simd>(
    board: *const f32,
    channels: usize,
    tiles: Tiles,
    to: *mut i16,
    scales: *mut f32,
    floats: *mut f32,
) {
    for tile in 0..tiles.count() {
        input_tile::<S>(board, channels, &tiles, tile, floats, channels);
        let row = tiles.first + tile;
        let rounded = Rounded {
            integers: to.add(row * channels),
            stride: tiles.total * channels,
            scales: scales.add(row),
            scale_stride: tiles.total,
        };
        rows::round::<S>((floats, channels), tiles.side.places(), channels, rounded);
    }
}

/// `to = B^T patch B` of a tile; places have the stride `place`, in values.
#[inline(always)]
unsafe fn input_tile<S: Simd>(
    board: *const f32,
    channels: usize,
    tiles: &Tiles,
    tile: usize,
    to: *mut f32,
    place: usize,
) {
    let ((x, y), row) = (tiles.corner(tile), tiles.padded_row());
    let patch = board.add((y * row + x) * channels);
    let steps = (channels, row * channels);
    for c in (0..channels).step_by(S::LANES) {
        let (patch, to) = (patch.add(c), to.add(c));
        match tiles.side {
            TileSide::Three => input_patch::<S, Three, 3, 5>(patch, steps, to, place),
            TileSide::Four => input_patch::<S, Four, 4, 6>(patch, steps, to, place),
        }
    }
}

/// One register of channels of a patch, with strides of columns and rows in values.
#[inline(always)]
unsafe fn input_patch<
    S: Simd,
    L: Lines<RESULTS, PATCH>,
    const RESULTS: usize,
    const PATCH: usize,
>(
    from: *const f32,
    (column, row): (usize, usize),
    to: *mut f32,
    place: usize,
) {
    let mut half = [[S::splat(0.0); PATCH]; PATCH];
    for x in 0..PATCH {
        let inputs = std::array::from_fn(|y| S::load(from.add(y * row + x * column)));
        for (half, value) in half.iter_mut().zip(L::of_inputs::<S>(inputs)) {
            half[x] = value;
        }
    }
    for (y, &half) in half.iter().enumerate() {
        for (x, value) in L::of_inputs::<S>(half).into_iter().enumerate() {
            S::store(to.add((y * PATCH + x) * place), value);
        }
    }
}

/// Transforms `[place][tile][channel]` back to the points of one board and applies the epilogue.
///
/// # Safety
///
/// As [`input_f32`], with an epilogue checked for the board.
#[inline(always)]
pub unsafe fn output<S: Simd>(
    products: *const f32,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
    activation: Activation,
) {
    with_activation!(
        activation,
        output_with::<S>(products, channels, tiles, finish)
    );
}

#[inline(always)]
unsafe fn output_with<S: Simd, A: Act>(
    products: *const f32,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
) {
    match tiles.side {
        TileSide::Three => output_tiles::<S, A, Three, 3, 5>(products, channels, tiles, finish),
        TileSide::Four => output_tiles::<S, A, Four, 4, 6>(products, channels, tiles, finish),
    }
}

/// `A^T products A` of all tiles.
#[inline(always)]
unsafe fn output_tiles<
    S: Simd,
    A: Act,
    L: Lines<RESULTS, PATCH>,
    const RESULTS: usize,
    const PATCH: usize,
>(
    products: *const f32,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
) {
    let place = tiles.total * channels;
    for tile in 0..tiles.count() {
        let (left, top) = tiles.corner(tile);
        let (columns, rows) = (
            RESULTS.min(tiles.width - left),
            RESULTS.min(tiles.height - top),
        );
        let products = products.add((tiles.first + tile) * channels);
        for c in (0..channels).step_by(S::LANES) {
            let mut half = [[S::splat(0.0); PATCH]; RESULTS];
            for x in 0..PATCH {
                let column =
                    std::array::from_fn(|y| S::load(products.add((y * PATCH + x) * place + c)));
                for (half, value) in half.iter_mut().zip(L::of_products::<S>(column)) {
                    half[x] = value;
                }
            }
            for (y, &half) in half.iter().enumerate().take(rows) {
                let line = L::of_products::<S>(half);
                for (x, &value) in line.iter().enumerate().take(columns) {
                    finish.one::<S, A>(value, (left + x, top + y, tiles.width), c);
                }
            }
        }
    }
}
