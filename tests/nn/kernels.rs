//! The CPU's inner loops, each on all instruction sets of this machine, against plain loops in f64.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::cases::cases;
use keima::go::BoardSize;
use keima::nn::cpu::simd::{
    Finish, Isa, Kernels, Layout, Left, Output, PATCH, PLACES, Packed, Pair, Points, ResidualMode,
    Rows, RowsMut, Stack, Term, Tiles, padded,
};
use keima::nn::desc::Activation;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn all() -> impl Iterator<Item = Kernels> {
    Isa::available().map(Kernels::new)
}

fn random(seed: u64, len: usize) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Fails unless both are equal up to a share of `size`.
fn assert_close(found: f32, expected: f64, size: f64, what: &str) {
    let difference = (found as f64 - expected).abs();
    assert!(difference <= size, "{what}: {found}, not {expected}");
}

/// Activations of many kinds, with reference implementations.
fn activated(x: f64, activation: Activation) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Silu => x / (1.0 + (-x).exp()),
    }
}

const ACTIVATIONS: [Activation; 4] = [
    Activation::Identity,
    Activation::Relu,
    Activation::Mish,
    Activation::Silu,
];

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn products_of_floats(
        seed: u64, rows in 0_usize..45, depth in 1_usize..70, columns in 1_usize..150, slack in 0_usize..5, add: bool,
    ) {
        let (a_stride, c_stride) = (depth + slack, padded(columns) + slack);
        let a = random(seed, rows * a_stride);
        let b = random(!seed, depth * columns);
        let before = random(seed ^ 1, rows * c_stride);
        for kernels in all() {
            let packed = Packed::from_values(kernels.shape(), depth, columns, |k, c| b[k * columns + c]);
            let mut c = before.clone();
            let to = RowsMut { values: &mut c, stride: c_stride };
            kernels.gemm(Rows { values: &a, stride: a_stride, count: rows }, &packed, to, add);
            for (row, column) in (0..rows).flat_map(|r| (0..c_stride).map(move |c| (r, c))) {
                let found = c[row * c_stride + column];
                let old = before[row * c_stride + column];
                if column >= padded(columns) {
                    prop_assert_eq!(found, old, "nothing is written beside the matrix");
                    continue;
                }
                let term = |k: usize| a[row * a_stride + k] as f64 * b[k * columns + column] as f64;
                let product: f64 = if column < columns { (0..depth).map(term).sum() } else { 0.0 };
                let expected = product + if add { old as f64 } else { 0.0 };
                assert_close(found, expected, 1e-5, "product");
            }
        }
    }

    #[test]
    fn products_of_integers(
        seed: u64, rows in 1_usize..30, depth in 1_usize..100, columns in 1_usize..100,
    ) {
        let len = padded(depth);
        let mut a = random(seed, rows * len);
        a.chunks_exact_mut(len).for_each(|row| row[depth..].fill(0.0));
        let b = random(!seed, depth * columns);
        let mut first: Option<Vec<f32>> = None;
        for kernels in all() {
            let value = |k: usize, c: usize| b[k * columns + c] as f64;
            let packed = Packed::integers(kernels.shape(), depth, columns, value);
            let (mut integers, mut scales) = (vec![0; rows * len], vec![0.0; rows]);
            let rows_of_a = Rows { values: &a[..], stride: len, count: rows };
            kernels.round_rows(rows_of_a, len, &mut integers, &mut scales);
            let mut c = vec![0.0; rows * padded(columns)];
            let to = RowsMut { values: &mut c, stride: padded(columns) };
            let rounded = Rows { values: &integers[..], stride: len, count: rows };
            kernels.gemm_integers(rounded, &scales, &packed, to);
            for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                let a = &a[row * len..][..depth];
                let expected: f64 = (0..depth).map(|k| a[k] as f64 * value(k, column)).sum();
                let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
                let length = norm(&mut a.iter().map(|&a| a as f64));
                let size = length * norm(&mut (0..depth).map(|k| value(k, column)));
                let at = row * padded(columns) + column;
                assert_close(c[at], expected, 1e-3 * size, "product");
                // A row's length may end in other digits. With it a few operands in the middle between
                // two integers are rounded otherwise, by 1/32700 of the length, times weights up to 1.
                let rounding = 4.0 * length / 32_700.0;
                let others = first.as_ref().map_or(c[at], |first| first[at]);
                assert_close(others, c[at] as f64, rounding, "the same on every machine");
            }
            first.get_or_insert(c);
        }
    }

    /// Products for training: of floats and of pairs, over several runs and across rows.
    #[test]
    fn products_of_runs(
        seed: u64, rows in 0_usize..45, depth in 1_usize..40, columns in 1_usize..150, shift in 0_usize..4, add: bool,
    ) {
        let stride = depth + 3;
        let numbers = random(seed, 2 * (rows + 4) * stride);
        let others = random(!seed, 2 * 2 * depth * columns);
        let pairs = |values: &[f32]| values.chunks_exact(2).map(|p| Pair::of(p[0], p[1])).collect::<Vec<_>>();
        let runs = [shift * stride, 1];
        let before = random(seed ^ 1, rows * padded(columns));
        for kernels in all() {
            let shape = kernels.shape();
            let product = |row: usize, column: usize, term: &dyn Fn(usize, usize) -> f64| -> f64 {
                let steps = runs.iter().enumerate().flat_map(|(run, at)| (0..depth).map(move |k| (run * depth + k, at + k)));
                let old = if add { before[row * padded(columns) + column] as f64 } else { 0.0 };
                old + steps.map(|(k, at)| term(at + row * stride, k * columns + column)).sum::<f64>()
            };
            let check = |found: &[f32], term: &dyn Fn(usize, usize) -> f64| {
                for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                    let expected = product(row, column, term);
                    assert_close(found[row * padded(columns) + column], expected, 3e-5, "product");
                }
            };
            let mut c = before.clone();
            let left = Left { values: &numbers, runs: &runs, stride, rows };
            let packed = Packed::from_values(shape, 2 * depth, columns, |k, c| others[k * columns + c]);
            let to = RowsMut { values: &mut c, stride: padded(columns) };
            kernels.multiply_along(left, &packed, to, add);
            check(&c, &|a, b| numbers[a] as f64 * others[b] as f64);
            let (a, b) = (pairs(&numbers), pairs(&others));
            let mut c = before.clone();
            let left = Left { values: &a, runs: &runs, stride, rows };
            let packed = Packed::from_values(shape, 2 * depth, columns, |k, c| b[k * columns + c]);
            let to = RowsMut { values: &mut c, stride: padded(columns) };
            kernels.multiply_along(left, &packed, to, add);
            check(&c, &|i, j| {
                let ([a0, a1], [b0, b1]) = (a[i].values(), b[j].values());
                a0 as f64 * b0 as f64 + a1 as f64 * b1 as f64
            });
        }
    }

    #[test]
    fn products_across_rows(
        seed: u64, rows in 0_usize..45, depth in prop_oneof![0_usize..40, 200_usize..600], columns in 1_usize..9,
        shifts in prop::collection::vec(0_usize..9, 1..4), first in 0_usize..4,
    ) {
        let (width, stride) = (columns * 16, rows + 3);
        let a = random(seed, first + (depth + 10) * stride);
        let b = random(!seed, (depth + 1) * width);
        let before = random(seed ^ 1, shifts.len() * rows * width);
        let rounded = |values: &[f32]| values.iter().map(|v| Pair::of(*v, -2.0 * v)).collect::<Vec<_>>();
        let (pairs, other_pairs) = (rounded(&a), rounded(&b));
        for kernels in all() {
            let runs: Vec<_> = shifts.iter().map(|shift| first + shift * stride).collect();
            let (mut floats, mut halves) = (before.clone(), before.clone());
            let left = Left { values: &a, runs: &runs, stride, rows };
            let to = RowsMut { values: &mut floats, stride: width };
            kernels.multiply_across(left, depth, (&b, width, width), to);
            let left = Left { values: &pairs, runs: &runs, stride, rows };
            let to = RowsMut { values: &mut halves, stride: width };
            kernels.multiply_across(left, depth, (&other_pairs, width, width), to);
            let results = (0..shifts.len()).flat_map(|run| (0..rows).map(move |row| (run, row)));
            for ((run, row), column) in results.flat_map(|at| (0..width).map(move |column| (at, column))) {
                let index = (run * rows + row) * width + column;
                let places = |k: usize| (runs[run] + k * stride + row, k * width + column);
                let term = |k: usize| { let (i, j) = places(k); a[i] as f64 * b[j] as f64 };
                let expected = (0..depth).map(term).sum::<f64>();
                let size = (depth as f64 / 40.0).max(1.0);
                assert_close(floats[index], expected, 2e-5 * size, "floats");
                let term = |k: usize| {
                    let (i, j) = places(k);
                    let ([a0, a1], [b0, b1]) = (pairs[i].values(), other_pairs[j].values());
                    a0 as f64 * b0 as f64 + a1 as f64 * b1 as f64
                };
                let expected = (0..depth).map(term).sum::<f64>();
                assert_close(halves[index], expected, 5e-5 * size, "pairs");
            }
        }
    }

    #[test]
    fn sums_of_few_rows(seed: u64, columns in 1_usize..13, starts in prop::collection::vec(0_u32..200, 0..20)) {
        let from = random(seed, 200 + 16 * columns);
        let before = random(!seed, 16 * columns);
        let factor = |index: usize| index as f32 - 2.5;
        let terms: Vec<Term> = starts.iter().enumerate().map(|(i, &start)| Term { start, factor: factor(i) }).collect();
        for kernels in all() {
            let mut sums = before.clone();
            kernels.add_terms(&mut sums, &from, &terms);
            for (column, found) in sums.iter().enumerate() {
                let products = terms.iter().map(|t| from[t.start as usize + column] as f64 * t.factor as f64);
                assert_close(*found, before[column] as f64 + products.sum::<f64>(), 1e-4, "sum");
            }
        }
    }

    /// All instruction sets round like [`Pair`].
    #[test]
    fn pairs_are_rounded_alike(seed: u64, steps in 0_usize..5, exponent in -30..30) {
        let values = random(seed, 32 * steps);
        let values: Vec<f32> = values.iter().map(|value| value * 2_f32.powi(exponent)).collect();
        let (first, second) = values.split_at(16 * steps);
        for kernels in all() {
            let mut pairs = vec![Pair::default(); 16 * steps];
            kernels.pairs_along(&values, &mut pairs);
            for (values, pair) in values.chunks_exact(2).zip(&pairs) {
                prop_assert_eq!(*pair, Pair::of(values[0], values[1]));
            }
            kernels.pairs_across(first, second, &mut pairs);
            for ((first, second), pair) in first.iter().zip(second).zip(&pairs) {
                prop_assert_eq!(*pair, Pair::of(*first, *second));
            }
        }
    }

    #[test]
    fn rows_of_transformers(seed: u64, len in 1_usize..130) {
        let mut row = random(seed, padded(len));
        row[len..].fill(0.0);
        for kernels in all() {
            let mut normed = vec![9.0; padded(len)];
            let rows = Rows { values: &row[..], stride: padded(len), count: 1 };
            kernels.rms_norm(rows, len, 0.01, &mut normed);
            let mean = row.iter().map(|&v| v as f64 * v as f64).sum::<f64>() / len as f64;
            for (&found, &value) in normed.iter().zip(&row) {
                assert_close(found, value as f64 / (mean + 0.01).sqrt(), 1e-6, "norm");
            }
            let mut shares: Vec<f32> = row.iter().map(|value| value * 60.0).collect();
            let greatest = shares[..len].iter().copied().fold(f32::MIN, f32::max) as f64;
            let expected: Vec<f64> = shares[..len].iter().map(|&v| (v as f64 - greatest).exp()).collect();
            let sum = kernels.exponentials(&mut shares, len);
            assert_close(sum, expected.iter().sum(), 1e-5, "sum of shares");
            for (&found, expected) in shares.iter().zip(expected) {
                assert_close(found, expected, 1e-5 * expected + 1e-30, "share");
            }
            let mut logits: Vec<f32> = row.iter().map(|value| value * 9.0).collect();
            let each = logits[..len].iter().map(|&v| (v as f64).exp());
            let sum: f64 = each.clone().sum();
            let expected: Vec<f64> = each.map(|share| share / sum).collect();
            let mut integers = vec![9; padded(len)];
            let scale = kernels.shares(&mut logits, len, &mut integers);
            prop_assert!(integers[len..].iter().all(|&padding| padding == 0));
            for (&found, &expected) in integers.iter().zip(&expected) {
                let half = 0.51 * scale as f64;
                assert_close(found as f32 * scale, expected, half + 1e-5 * expected, "rounded share");
            }
            let gate = random(seed ^ 2, padded(len));
            let mut to = vec![0.0; padded(len)];
            kernels.gated(&row, &gate, &mut to);
            for ((&found, &value), &gate) in to.iter().zip(&row).zip(&gate) {
                assert_close(found, activated(value as f64, Activation::Silu) * gate as f64, 1e-6, "gated");
            }
        }
    }

    /// Transforming inputs, multiplying by transformed kernels that copy one tap, and transforming
    /// back gives the input shifted by that tap.
    #[test]
    fn tiles(seed: u64, width in 2_usize..=25, height in 2_usize..=25, tap in 0_usize..9, boards in 1_usize..3) {
        let channels = 32;
        let matrix = matrix_of_kernels();
        let size = BoardSize::new(width, height).expect("a size");
        let tiles_of = |board: usize| Tiles::new((width, height), board, boards);
        let tiles = tiles_of(0);
        let row = tiles.padded_row();
        let points: Vec<Vec<f32>> = (0..boards).map(|b| random(seed ^ b as u64, size.area() * channels)).collect();
        for kernels in all() {
            let mut floats = vec![0.0; tiles.rows() * channels];
            let mut integers = vec![0_i16; floats.len()];
            let mut scales = vec![0.0; tiles.rows()];
            for (board, points) in points.iter().enumerate() {
                let mut cells = vec![0.0; tiles.padded_cells() * channels];
                for (point, values) in points.chunks_exact(channels).enumerate() {
                    let cell = (point / width + 1) * row + point % width + 1;
                    cells[cell * channels..][..channels].copy_from_slice(values);
                }
                kernels.winograd_input(&cells, channels, tiles_of(board), &mut floats);
                let mut tile = vec![0.0; PLACES * channels];
                let to = (&mut integers[..], &mut scales[..]);
                kernels.winograd_input_integers(&cells, channels, tiles_of(board), to, &mut tile);
            }
            for (index, (float, integer)) in floats.iter().zip(&integers).enumerate() {
                let found = *integer as f32 * scales[index / channels];
                assert_close(found, *float as f64, 0.01, "as integers");
            }
            for place in 0..PLACES {
                let (y, x) = (tap / 3, tap % 3);
                let factor = matrix[place / PATCH][y] * matrix[place % PATCH][x];
                let rows = tiles.rows_of(place);
                let products = &mut floats[rows.start * channels..rows.end * channels];
                products.iter_mut().for_each(|value| *value *= factor as f32);
            }
            for (board, points) in points.iter().enumerate() {
                check_output(&kernels, &floats, tiles_of(board), channels, |x, y, c| {
                    let (x, y) = ((x + tap % 3).wrapping_sub(1), (y + tap / 3).wrapping_sub(1));
                    let inside = x < width && y < height;
                    if inside { points[(y * width + x) * channels + c] as f64 } else { 0.0 }
                });
            }
        }
    }
}

/// The matrix G with the points 0, r, -r, 1/r, -1/r and infinity, r = sqrt(1/2).
fn matrix_of_kernels() -> [[f64; 3]; PATCH] {
    let r = FRAC_1_SQRT_2;
    [
        [1.0, 0.0, 0.0],
        [-2.0 / 3.0, -2.0 / 3.0 * r, -1.0 / 3.0],
        [-2.0 / 3.0, 2.0 / 3.0 * r, -1.0 / 3.0],
        [1.0 / 6.0, r / 3.0, 1.0 / 3.0],
        [1.0 / 6.0, -r / 3.0, 1.0 / 3.0],
        [0.0, 0.0, 1.0],
    ]
}

/// Transforms products back with bias, residual connection, norm and every activation.
fn check_output(
    kernels: &Kernels,
    products: &[f32],
    tiles: Tiles,
    channels: usize,
    expected: impl Fn(usize, usize, usize) -> f64,
) {
    let (width, height) = (tiles.width, tiles.height);
    let bias = random(1, channels);
    let (scale, shift) = (random(2, channels), random(3, channels));
    for (index, activation) in ACTIVATIONS.into_iter().enumerate() {
        let adds = index % 2 == 0;
        let before = random(4, width * height * channels);
        let mut stack = before.clone();
        let layout = Layout {
            origin: 3,
            row: width + index,
        };
        let mut values = vec![7.0; (3 + height * layout.row) * channels];
        let finish = Finish {
            bias: &bias,
            stack: Some(Stack {
                values: &mut stack,
                residual_mode: if adds {
                    ResidualMode::Adds
                } else {
                    ResidualMode::Replaces
                },
            }),
            output: Some(Output {
                norm: Some((&scale, &shift)),
                activation,
                values: &mut values,
                layout,
            }),
        };
        kernels.winograd_output(products, channels, tiles, finish);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            for c in 0..channels {
                let point = (y * width + x) * channels + c;
                let old = if adds { before[point] as f64 } else { 0.0 };
                let sum = expected(x, y, c) + bias[c] as f64 + old;
                assert_close(stack[point], sum, 1e-4, "residual");
                let normed = sum * scale[c] as f64 + shift[c] as f64;
                let cell = layout.origin + y * layout.row + x;
                assert_close(
                    values[cell * channels + c],
                    activated(normed, activation),
                    1e-4,
                    "output",
                );
            }
        }
        let untouched = values
            .chunks_exact(channels)
            .enumerate()
            .filter(|(cell, _)| {
                let place = cell.wrapping_sub(layout.origin);
                *cell < layout.origin || place % layout.row >= width
            });
        for (_, cell) in untouched {
            assert!(
                cell.iter().all(|&value| value == 7.0),
                "nothing is written between rows"
            );
        }
    }
}

/// The sums come as near to overflowing as they can: all products are equal and positive.
#[test]
fn integers_do_not_overflow() {
    for kernels in all() {
        for depth in [16, 96, 384, 1024, 4096] {
            for (a, b) in [(1.0, 1.0), (-3.0, 0.5), (-1.0, -2.0)] {
                let packed = Packed::integers(kernels.shape(), depth, 16, |_, _| b);
                let (mut integers, mut scales) = (vec![0; depth], vec![0.0; 1]);
                let row = vec![a as f32; depth];
                let rows = Rows {
                    values: &row[..],
                    stride: depth,
                    count: 1,
                };
                kernels.round_rows(rows, depth, &mut integers, &mut scales);
                let mut c = vec![0.0; 16];
                let rows = Rows {
                    values: &integers[..],
                    stride: depth,
                    count: 1,
                };
                kernels.gemm_integers(
                    rows,
                    &scales,
                    &packed,
                    RowsMut {
                        values: &mut c,
                        stride: 16,
                    },
                );
                let expected = a * b * depth as f64;
                c.iter()
                    .for_each(|&c| assert_close(c, expected, 2e-3 * expected.abs(), "sum"));
            }
        }
    }
}

/// Points of a board, some at a time, without norm or residual connection.
#[test]
fn points_are_finished_in_parts() {
    let (width, height, channels) = (5, 3, 16);
    let results = random(5, width * height * channels);
    for kernels in all() {
        let mut values = vec![0.0; width * height * channels];
        for (first, count) in [(0, 4), (4, 7), (11, 4)] {
            let layout = Layout {
                origin: 0,
                row: width,
            };
            let output = Output {
                norm: None,
                activation: Activation::Relu,
                values: &mut values,
                layout,
            };
            let finish = Finish {
                bias: &[0.0; 16],
                stack: None,
                output: Some(output),
            };
            let points = Points {
                width,
                first,
                count,
            };
            kernels.finish(
                &results[first * channels..],
                channels,
                points,
                height,
                finish,
            );
        }
        let expected: Vec<f32> = results.iter().map(|value| value.max(0.0)).collect();
        assert_eq!(values, expected);
    }
}

#[test]
fn halves_round_to_even() {
    let of = |value: f32| Pair::of(value, -value).values();
    // 8 digits: between 256 and 512 only even numbers.
    for (value, expected) in [
        (256.0, 256.0),
        (257.0, 256.0),
        (259.0, 260.0),
        (257.5, 258.0),
        (0.0, 0.0),
        (f32::MAX, f32::INFINITY),
        (f32::INFINITY, f32::INFINITY),
    ] {
        assert_eq!(of(value), [expected, -expected]);
        for kernels in all() {
            let mut pairs = [Pair::default(); 8];
            kernels.pairs_along(&[value; 16], &mut pairs);
            assert_eq!(pairs, [Pair::of(value, value); 8]);
        }
    }
    assert!(of(f32::NAN).iter().all(|value| value.is_nan()));
    let payload = f32::from_bits(0x7f80_0001);
    assert!(of(payload)[0].is_nan(), "no infinity");
    assert_eq!(Pair::of(1.0, 2.0).first().values(), [1.0, 0.0]);
}

#[test]
fn packing_by_rows_and_columns_is_the_same() {
    let (depth, columns) = (13, 37);
    let values = random(6, depth * columns);
    let transposed: Vec<f32> = (0..columns)
        .flat_map(|c| (0..depth).map(move |k| (k, c)))
        .map(|(k, c)| values[k * columns + c])
        .collect();
    for kernels in all() {
        let shape = kernels.shape();
        let packed = Packed::from_values(shape, depth, columns, |k, c| values[k * columns + c]);
        assert_eq!(
            Packed::of_rows(shape, depth, columns, &values, columns).values(),
            packed.values()
        );
        assert_eq!(
            Packed::of_columns(shape, depth, columns, &transposed, depth).values(),
            packed.values()
        );
    }
}

#[test]
fn integers_packed_by_rows_and_columns_are_the_same() {
    for (depth, columns) in [(14, 37), (361, 32), (1, 1), (2, 16)] {
        let values = random(8, depth * columns);
        for kernels in all() {
            let shape = kernels.shape();
            let packed =
                Packed::integers(shape, depth, columns, |k, c| values[k * columns + c] as f64);
            let rows = Rows {
                values: &values[..],
                stride: columns,
                count: depth,
            };
            let of_rows = Packed::of_rounded_rows(shape, columns, rows);
            for (a, b) in of_rows.scales().iter().zip(packed.scales()) {
                assert_close(*a, *b as f64, 1e-6 * *b as f64, "scale");
            }
            for (a, b) in of_rows.values().iter().zip(packed.values()) {
                assert!((a - b).abs() <= 1, "{a}, not {b}");
            }
            if depth % 2 == 0 {
                let value = |c: usize, k: usize| (c * 7 + k) as i16;
                let each = (0..columns).flat_map(|c| (0..depth).map(move |k| (c, k)));
                let integers: Vec<i16> = each.map(|(c, k)| value(c, k)).collect();
                let scales: Vec<f32> = (0..columns).map(|c| 1.0 / (1 + c) as f32).collect();
                let (stride, count) = (depth, columns);
                let rows = Rows {
                    values: &integers[..],
                    stride,
                    count,
                };
                let of_columns = Packed::of_integer_columns(shape, depth, rows, &scales);
                // Rows that pick one channel give it back.
                for k in 0..depth {
                    let mut row = vec![0; depth];
                    row[k] = 1;
                    let mut c = vec![0.0; padded(columns)];
                    let row = Rows {
                        values: &row[..],
                        stride,
                        count: 1,
                    };
                    let to = RowsMut {
                        values: &mut c,
                        stride: padded(columns),
                    };
                    kernels.gemm_integers(row, &[1.0], &of_columns, to);
                    for (column, &found) in c[..columns].iter().enumerate() {
                        assert_eq!(found, value(column, k) as f32 * scales[column]);
                    }
                }
            }
        }
    }
}

#[test]
fn tiles_cover_boards_with_few_places() {
    // Six places for four points of a side, five for three.
    let boards = [
        ((2, 2), 5 * 5),
        ((7, 9), 11 * 15),
        ((9, 9), 15 * 15),
        ((13, 13), 21 * 21),
        ((19, 19), 29 * 29),
        ((25, 4), 39 * 6),
    ];
    for (size, places) in boards {
        let tiles = Tiles::new(size, 1, 3);
        assert_eq!(tiles.places(), places, "{size:?}");
        let used = (0..PLACES).map(|place| tiles.rows_of(place).len());
        assert_eq!(used.sum::<usize>(), 3 * places, "{size:?}");
        assert!(tiles.rows_of(PLACES - 1).end <= tiles.rows(), "{size:?}");
    }
}
