//! The kernels for GPUs, `kernels.cu`, run by the CPU and held against plain loops. Where there is no
//! C++ compiler they are left out, and said to be.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::compiler::compiled;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number formats with the error that is allowed relative to the largest value, and channels of a pack.
const FORMATS: [(&str, f32, usize); 3] = [("f32", 1e-5, 4), ("f16", 2e-3, 8), ("bf16", 1e-2, 8)];
/// Identity, ReLU, SiLU and Mish, as the kernels number them.
const ACTIVATIONS: [fn(f64) -> f64; 4] = [
    |x| x,
    |x| x.max(0.0),
    |x| x / (1.0 + (-x).exp()),
    |x| x * x.exp().ln_1p().tanh(),
];

/// The kernels as a CPU program, see `cuda_on_cpu.cpp`.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || compiled("cuda_on_cpu", &["-O1"]);
    PROGRAM.get_or_init(compile).as_deref()
}

/// Output of a kernel; None without a compiler.
fn run(arguments: &str, inputs: &[&[f32]]) -> Option<Vec<f32>> {
    let mut program = Command::new(program()?);
    program.args(arguments.split(' '));
    let program = program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = program.spawn().unwrap();
    let bytes: Vec<u8> = inputs
        .concat()
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let mut stdin = running.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).unwrap());
    let output = running.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{arguments}");
    let values = output.stdout.chunks_exact(4);
    Some(
        values
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect(),
    )
}

/// Numbers that all formats know exactly: eighths between -2 and 2.
fn numbers(rng: &mut ChaCha8Rng, count: usize) -> Vec<f32> {
    (0..count)
        .map(|_| rng.random_range(-16..=16) as f32 / 8.0)
        .collect()
}

fn assert_near(found: &[f32], wanted: &[f64], error: f32, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let largest = wanted
        .iter()
        .fold(1.0, |most: f64, value| most.max(value.abs()));
    for (index, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let difference = (f64::from(*found) - wanted).abs();
        assert!(
            difference <= f64::from(error) * largest,
            "{what}, value {index}: {found}, not {wanted}"
        );
    }
}

/// For each format, and for channels that fill packs or do not: the arguments' middle part.
fn for_each_kind(mut check: impl FnMut(&str, usize, f32)) {
    for (format, error, lanes) in FORMATS {
        check(&format!("{format} packed"), 3 * lanes, error);
        check(&format!("{format} single"), 7, error);
    }
}

#[test]
fn patches_are_neighborhoods_of_cells() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for_each_kind(|kind, channels, _| {
        // Two boards of 3x4 with a row and a column between them; kernels of all sizes of nets.
        let (count, stride) = (2 * 4 * 5, 5);
        let cells = numbers(&mut rng, count * channels);
        for (height, width) in [(3, 3), (5, 5), (1, 3)] {
            for mirrored in [0, 1] {
                let arguments = format!(
                    "patches {kind} {count} {channels} {height} {width} {stride} {mirrored}"
                );
                let Some(found) = run(&arguments, &[&cells]) else {
                    return;
                };
                let mut wanted = Vec::new();
                let (up, left) = (height / 2, width / 2);
                for cell in 0..count as i32 {
                    for (y, x) in (-up..=up).flat_map(|y| (-left..=left).map(move |x| (y, x))) {
                        let step = y * stride + x;
                        let seen = if mirrored == 1 {
                            cell - step
                        } else {
                            cell + step
                        };
                        for channel in 0..channels {
                            let index = usize::try_from(seen).ok().map(|seen| seen * channels);
                            let value = index.and_then(|first| cells.get(first + channel));
                            wanted.push(f64::from(*value.unwrap_or(&0.0)));
                        }
                    }
                }
                assert_near(&found, &wanted, 0.0, &arguments);
            }
        }
    });
}

#[test]
fn norms_and_activations_equal_reference() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for_each_kind(|kind, channels, error| {
        // The last run of cells is not whole.
        let (count, rows) = (37, 8);
        let cells = numbers(&mut rng, count * channels);
        let affine = numbers(&mut rng, 2 * channels);
        let mask: Vec<f32> = (0..count)
            .map(|cell| f32::from(u8::from(cell % 5 != 4)))
            .collect();
        let of_out = numbers(&mut rng, count * channels);
        for (number, activation) in ACTIVATIONS.into_iter().enumerate() {
            let slope = |x: f64| (activation(x + 1e-6) - activation(x - 1e-6)) / 2e-6;
            let (mut out, mut of_cells) = (Vec::new(), Vec::new());
            let runs = count.div_ceil(rows);
            let mut of_affine = vec![0.0; runs * 2 * channels];
            for index in 0..count * channels {
                let (cell, channel) = (index / channels, index % channels);
                let (x, scale) = (f64::from(cells[index]), f64::from(affine[channel]));
                let normed = x * scale + f64::from(affine[channels + channel]);
                let mask = f64::from(mask[cell]);
                out.push(activation(normed) * mask);
                // ReLU has no slope at 0; the kernels use 0, as candle does.
                let steep = if number == 1 && normed == 0.0 {
                    0.0
                } else {
                    slope(normed)
                };
                let of_normed = f64::from(of_out[index]) * mask * steep;
                of_cells.push(of_normed * scale);
                let sums = cell / rows * 2 * channels + channel;
                of_affine[sums] += of_normed * x;
                of_affine[sums + channels] += of_normed;
            }
            let forward = format!("norm_act {kind} {count} {channels} {number}");
            let Some(found) = run(&forward, &[&cells, &affine, &mask]) else {
                return;
            };
            assert_near(&found, &out, error, &forward);
            let back = format!("norm_act_back {kind} {count} {channels} {number} {rows}");
            let found = run(&back, &[&cells, &affine, &mask, &of_out]).unwrap();
            let (found_of_cells, found_of_affine) = found.split_at(count * channels);
            assert_near(found_of_cells, &of_cells, error, &back);
            assert_near(found_of_affine, &of_affine, 1e-5, &back);
        }
    });
}

#[test]
fn region_pooling_equals_reference() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let regions: [&[usize]; 4] = [&[0], &[5, 1, 2], &[3, 4, 8, 9, 10], &[7, 6]];
    let count = 11;
    for_each_kind(|kind, channels, error| {
        let cells = numbers(&mut rng, count * channels);
        let of_out = numbers(&mut rng, 3 * count * channels);
        let mut starts = vec![0];
        starts.extend(regions.iter().scan(0, |end, region| {
            *end += region.len();
            Some(*end)
        }));
        let lists = starts.iter().chain(regions.iter().copied().flatten());
        let lists: Vec<String> = lists.map(usize::to_string).collect();
        let lists = format!("{} {}", regions.len(), lists.join(" "));
        let mut out = vec![0.0; 3 * count * channels];
        let mut of_cells = vec![0.0; count * channels];
        for region in regions {
            let (size, factor) = (
                region.len() as f64,
                ((region.len() as f64).sqrt() - 4.0) / 4.0,
            );
            for channel in 0..channels {
                let value = |cell: usize| f64::from(cells[cell * channels + channel]);
                let index = |cell: usize, part: usize| (3 * cell + part) * channels + channel;
                let mean = region.iter().map(|&cell| value(cell)).sum::<f64>() / size;
                let greatest = region.iter().map(|&cell| value(cell)).fold(-9.0, f64::max);
                let sum = |part: usize| -> f64 {
                    let parts = region.iter().map(|&cell| of_out[index(cell, part)]);
                    parts.map(f64::from).sum()
                };
                for &cell in region {
                    out[index(cell, 0)] = mean;
                    out[index(cell, 1)] = mean * factor;
                    out[index(cell, 2)] = greatest;
                    of_cells[cell * channels + channel] = (sum(0) + sum(1) * factor) / size;
                }
                let first = region
                    .iter()
                    .find(|&&cell| value(cell) == greatest)
                    .unwrap();
                of_cells[first * channels + channel] += sum(2);
            }
        }
        let forward = format!("pool_regions {kind} {count} {channels} {lists}");
        let Some(found) = run(&forward, &[&cells]) else {
            return;
        };
        assert_near(&found, &out, error, &forward);
        let back = format!("pool_regions_back {kind} {count} {channels} {lists}");
        let found = run(&back, &[&cells, &of_out]).unwrap();
        assert_near(&found, &of_cells, error, &back);
    });
}
