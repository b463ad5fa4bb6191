//! Winograd's convolution of 3x3 kernels by tiles of 4x4 results, F(4x4, 3x3): transforms of inputs
//! and results. (Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016, with
//! other points of interpolation.)

use super::finish::{Act, Identity, Mish, RawFinish, Relu, Silu, with_activation};
use super::rows::{self, Rounded};
use super::vector::Simd;
use crate::nn::desc::Activation;

/// Side of a tile of results.
pub const TILE: usize = 4;
/// Side of a tile of inputs.
pub const PATCH: usize = TILE + 2;
/// Numbers of a transformed tile.
pub const PLACES: usize = PATCH * PATCH;

/// The points of interpolation besides 0 and infinity are these two, whose product is 1, and their
/// negatives. Rounding does a third of the harm it does with the usual 1 and 2: the numbers of a
/// transformed tile differ less in size.
pub const NEAR: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// See [`NEAR`].
pub const FAR: f64 = std::f64::consts::SQRT_2;

/// The tiles of one board among those of all boards.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// Of the board, in points.
    pub width: usize,
    /// Of the board, in points.
    pub height: usize,
    /// The board's first tile.
    pub first: usize,
    /// Tiles of all boards.
    pub total: usize,
}

impl Tiles {
    /// Tiles side by side.
    pub fn across(&self) -> usize {
        self.width.div_ceil(TILE)
    }

    /// Tiles one above another.
    pub fn down(&self) -> usize {
        self.height.div_ceil(TILE)
    }

    /// Tiles of the board.
    pub fn count(&self) -> usize {
        self.across() * self.down()
    }

    /// Cells from row to row of a board with an empty cell around, and with whole tiles.
    pub fn padded_row(&self) -> usize {
        self.across() * TILE + 2
    }

    /// Cells of such a board.
    pub fn padded_cells(&self) -> usize {
        self.padded_row() * (self.down() * TILE + 2)
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
        let patch = board.add(patch_cell(&tiles, tile) * channels);
        let to = to.add((tiles.first + tile) * channels);
        for c in (0..channels).step_by(S::LANES) {
            let row = tiles.padded_row() * channels;
            input_patch::<S>(
                patch.add(c),
                channels,
                row,
                to.add(c),
                tiles.total * channels,
            );
        }
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
        let patch = board.add(patch_cell(&tiles, tile) * channels);
        for c in (0..channels).step_by(S::LANES) {
            let row = tiles.padded_row() * channels;
            input_patch::<S>(patch.add(c), channels, row, floats.add(c), channels);
        }
        let row = tiles.first + tile;
        let rounded = Rounded {
            integers: to.add(row * channels),
            stride: tiles.total * channels,
            scales: scales.add(row),
            scale_stride: tiles.total,
        };
        rows::round::<S>((floats, channels), PLACES, channels, rounded);
    }
}

/// The first cell of a tile's inputs.
#[inline(always)]
fn patch_cell(tiles: &Tiles, tile: usize) -> usize {
    let (x, y) = (tile % tiles.across(), tile / tiles.across());
    TILE * (y * tiles.padded_row() + x)
}

/// One register of channels of a patch: `to = B^T patch B`.
#[inline(always)]
unsafe fn input_patch<S: Simd>(
    from: *const f32,
    column: usize,
    row: usize,
    to: *mut f32,
    place: usize,
) {
    let mut half = [[S::splat(0.0); PATCH]; PATCH];
    for x in 0..PATCH {
        let inputs = std::array::from_fn(|y| S::load(from.add(y * row + x * column)));
        for (half, value) in half.iter_mut().zip(input_line::<S>(inputs)) {
            half[x] = value;
        }
    }
    for (y, &half) in half.iter().enumerate() {
        for (x, value) in input_line::<S>(half).into_iter().enumerate() {
            S::store(to.add((y * PATCH + x) * place), value);
        }
    }
}

/// The matrix B^T times six numbers.
#[inline(always)]
unsafe fn input_line<S: Simd>(d: [S::F; PATCH]) -> [S::F; PATCH] {
    let factor = |value: f64| S::splat(value as f32);
    let (near, far) = (factor(NEAR), factor(FAR));
    let (near_square, far_square) = (factor(NEAR * NEAR), factor(FAR * FAR));
    let sum = factor(NEAR * NEAR + FAR * FAR);
    // d[low + 2] - square * d[low]
    let at = |square: S::F, low: usize| S::sub(d[low + 2], S::mul(square, d[low]));
    let (near_even, near_odd) = (at(far_square, 2), S::mul(near, at(far_square, 1)));
    let (far_even, far_odd) = (at(near_square, 2), S::mul(far, at(near_square, 1)));
    let outer = |low: usize| S::sub(S::add(d[low], d[low + 4]), S::mul(sum, d[low + 2]));
    [
        outer(0),
        S::add(near_even, near_odd),
        S::sub(near_even, near_odd),
        S::add(far_even, far_odd),
        S::sub(far_even, far_odd),
        outer(1),
    ]
}

/// Transforms `[place][tile][channel]` back into the points of one board and finishes them.
/// `products` is that of the first channel to finish; `stride` is from tile to tile.
///
/// # Safety
///
/// As [`input_f32`], with a finish checked for the board.
#[inline(always)]
pub unsafe fn output<S: Simd>(
    products: *const f32,
    stride: usize,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
    activation: Activation,
) {
    with_activation!(
        activation,
        output_with::<S>(products, stride, channels, tiles, finish)
    );
}

#[inline(always)]
unsafe fn output_with<S: Simd, A: Act>(
    products: *const f32,
    stride: usize,
    channels: usize,
    tiles: Tiles,
    finish: RawFinish,
) {
    let place = tiles.total * stride;
    for tile in 0..tiles.count() {
        let (left, top) = (tile % tiles.across() * TILE, tile / tiles.across() * TILE);
        let (columns, rows) = (TILE.min(tiles.width - left), TILE.min(tiles.height - top));
        let products = products.add((tiles.first + tile) * stride);
        for c in (0..channels).step_by(S::LANES) {
            let mut half = [[S::splat(0.0); PATCH]; TILE];
            for x in 0..PATCH {
                let column =
                    std::array::from_fn(|y| S::load(products.add((y * PATCH + x) * place + c)));
                for (half, value) in half.iter_mut().zip(output_line::<S>(column)) {
                    half[x] = value;
                }
            }
            for (y, &half) in half.iter().enumerate().take(rows) {
                let line = output_line::<S>(half);
                for (x, &value) in line.iter().enumerate().take(columns) {
                    finish.one::<S, A>(value, (left + x, top + y, tiles.width), c);
                }
            }
        }
    }
}

/// The matrix A^T times six numbers.
#[inline(always)]
unsafe fn output_line<S: Simd>(m: [S::F; PATCH]) -> [S::F; TILE] {
    let factor = |value: f64| S::splat(value as f32);
    let (near, near_odd) = (S::add(m[1], m[2]), S::mul(factor(NEAR), S::sub(m[1], m[2])));
    let (far, far_odd) = (S::add(m[3], m[4]), S::mul(factor(FAR), S::sub(m[3], m[4])));
    let (near_square, far_square) = (factor(NEAR * NEAR), factor(FAR * FAR));
    [
        S::add(S::add(m[0], near), far),
        S::add(near_odd, far_odd),
        S::mul_add(far_square, far, S::mul(near_square, near)),
        S::mul_add(far_square, far_odd, S::mul_add(near_square, near_odd, m[5])),
    ]
}
