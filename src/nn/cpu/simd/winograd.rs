//! Winograd's algorithm for 3x3 convolutions: transforms of inputs and products.

mod interpolation;
mod tiles;

use super::finish::{Act, Identity, Mish, RawFinish, Relu, Silu, with_activation};
use super::rows::{self, Rounded};
use super::vector::Simd;
use crate::nn::desc::Activation;
pub use interpolation::{PATCH, transformed};
use interpolation::{RESULTS, of_inputs, of_products};
use tiles::{NARROW, Tile};
pub use tiles::{PLACES, Tiles};

/// Calls a function with the places of a tile's side, down and across, as constants.
macro_rules! of_shape {
    ($tile:expr, $(<$($kind:ty),+>)? $function:ident($($argument:expr),+ $(,)?)) => {
        match ($tile.is_high, $tile.is_wide) {
            (true, true) => $function::<$($($kind,)+)? PATCH, PATCH>($($argument),+),
            (true, false) => $function::<$($($kind,)+)? PATCH, NARROW>($($argument),+),
            (false, true) => $function::<$($($kind,)+)? NARROW, PATCH>($($argument),+),
            (false, false) => $function::<$($($kind,)+)? NARROW, NARROW>($($argument),+),
        }
    };
}

/// Transforms a padded board, `[cell][channel]`, into `[place][tile][channel]`.
///
/// # Safety
///
/// Needs the instruction set, and memory as the tiles say.
#[inline(always)]
pub unsafe fn input_f32<S: Simd>(board: *const f32, channels: usize, tiles: Tiles, to: *mut f32) {
    let place = tiles.stride() * channels;
    for tile in tiles.all() {
        let rows = tile.scaled(channels);
        let from = Patch::new(board, channels, &tiles, &tile);
        of_shape!(tile, <S> input_tile(from, |at, _| to.add(rows.row(at, place))));
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
    for tile in tiles.all() {
        let from = Patch::new(board, channels, &tiles, &tile);
        of_shape!(tile, <S> input_tile(from, |_, index| floats.add(index * channels)));
        let (numbers, count) = of_shape!(tile, numbers(&tile, tiles.stride()));
        let rounded = Rounded {
            integers: to,
            stride: channels,
            scales,
            rows: numbers.as_ptr(),
        };
        rows::round::<S>((floats, channels), count, channels, rounded);
    }
}

/// The rows of a tile's places, with this stride of places, and how many there are.
#[inline(always)]
fn numbers<const DOWN: usize, const ACROSS: usize>(
    tile: &Tile,
    stride: usize,
) -> ([usize; PLACES], usize) {
    let mut numbers = [0; PLACES];
    for y in 0..DOWN {
        for x in 0..ACROSS {
            numbers[y * ACROSS + x] = tile.row((y, x), stride);
        }
    }
    (numbers, DOWN * ACROSS)
}

/// The cells that a tile reads.
#[derive(Clone, Copy)]
struct Patch {
    /// The first cell.
    first: *const f32,
    channels: usize,
    /// Stride of rows, in values.
    row: usize,
}

impl Patch {
    #[inline(always)]
    unsafe fn new(board: *const f32, channels: usize, tiles: &Tiles, tile: &Tile) -> Patch {
        let ((x, y), row) = (tile.corner, tiles.padded_row());
        Patch {
            first: board.add((y * row + x) * channels),
            channels,
            row: row * channels,
        }
    }
}

/// `B^T patch B` of a tile. The destination of each place depends on its row and column and on its index among the
/// tile's places.
#[inline(always)]
unsafe fn input_tile<S: Simd, const DOWN: usize, const ACROSS: usize>(
    from: Patch,
    to: impl Fn((usize, usize), usize) -> *mut f32,
) {
    for c in (0..from.channels).step_by(S::LANES) {
        let patch = from.first.add(c);
        let mut half = [[S::splat(0.0); PATCH]; PATCH];
        for x in 0..ACROSS {
            let inputs = std::array::from_fn(|y| match y < DOWN {
                true => S::load(patch.add(y * from.row + x * from.channels)),
                false => S::splat(0.0),
            });
            for (half, value) in half.iter_mut().zip(of_inputs::<S>(inputs)) {
                half[x] = value;
            }
        }
        for (y, &half) in half.iter().enumerate().take(DOWN) {
            let line = of_inputs::<S>(half);
            for (x, &value) in line.iter().enumerate().take(ACROSS) {
                S::store(to((y, x), y * ACROSS + x).add(c), value);
            }
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
        output_tiles::<S>(products, channels, tiles, finish)
    );
}

/// `A^T products A` of all tiles.
#[inline(always)]
unsafe fn output_tiles<S: Simd, A: Act>(
    products: *const f32,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
) {
    for tile in tiles.all() {
        let rows = tile.scaled(channels);
        of_shape!(tile, <S, A> output_tile(products, channels, &tiles, &rows, finish));
    }
}

#[inline(always)]
unsafe fn output_tile<S: Simd, A: Act, const DOWN: usize, const ACROSS: usize>(
    products: *const f32,
    channels: usize,
    tiles: &Tiles,
    tile: &Tile,
    finish: RawFinish,
) {
    let ((left, top), place) = (tile.corner, tiles.stride() * channels);
    let columns = (ACROSS - 2).min(tiles.width - left);
    let rows = (DOWN - 2).min(tiles.height - top);
    for c in (0..channels).step_by(S::LANES) {
        let mut half = [[S::splat(0.0); PATCH]; RESULTS];
        for x in 0..ACROSS {
            let column = std::array::from_fn(|y| match y < DOWN {
                true => S::load(products.add(tile.row((y, x), place) + c)),
                false => S::splat(0.0),
            });
            for (half, value) in half.iter_mut().zip(of_products::<S>(column)) {
                half[x] = value;
            }
        }
        for (y, &half) in half.iter().enumerate().take(rows) {
            let line = of_products::<S>(half);
            for (x, &value) in line.iter().enumerate().take(columns) {
                finish.one::<S, A>(value, (left + x, top + y, tiles.width), c);
            }
        }
    }
}
