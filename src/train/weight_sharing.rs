//! Nets that are equivariant under the symmetries of the board: parameters that a symmetry
//! exchanges share one value.
//!
//! Channels come in fields (Cohen and Welling 2016, <https://arxiv.org/abs/1602.07576>). Each
//! channel of a field belongs to a direction, and a symmetry permutes the channels as it permutes
//! the directions. Channels without a direction stay, as do inputs and outputs of the net.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;

use crate::go::Symmetry;

use super::pool::VALUES_PER_CHANNEL;
use super::register::{Axis, Parameter, split};

/// A direction: rows down and columns to the right.
type Offset = (isize, isize);

/// The images of a knight's move under all symmetries: the directions of a field of eight channels.
const KNIGHTS: &[Offset] = &[
    (1, 2),
    (1, -2),
    (-1, 2),
    (-1, -2),
    (2, 1),
    (2, -1),
    (-2, 1),
    (-2, -1),
];
/// The directions of fields of four: along a line, and diagonal.
const NEIGHBORS: &[Offset] = &[(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONALS: &[Offset] = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
/// A single channel without a direction.
const ALONE: &[Offset] = &[(0, 0)];

/// The fields of each 64 channels, in an order that lets a wider net begin with the fields of a
/// narrower one. 48 channels are single; `docs/experiments.md` compares some mixtures.
const FIELDS: [&[Offset]; 51] = {
    let mut fields = [ALONE; 51];
    // Fields of four lie after 12 and 28 channels, one of eight after 56.
    fields[12] = NEIGHBORS;
    fields[25] = DIAGONALS;
    fields[50] = KNIGHTS;
    fields
};

/// For each symmetry, the image of each channel of a list of fields and directions.
fn permutations(places: &[(usize, Offset)]) -> Vec<Vec<usize>> {
    let index: HashMap<_, _> = places.iter().zip(0..).collect();
    let all = Symmetry::all().map(|symmetry| {
        let to = |&(field, offset)| index[&(field, symmetry.step(offset))];
        places.iter().map(to).collect()
    });
    all.collect()
}

/// For each symmetry, the image of each index of an axis.
fn moves(axis: Axis, len: usize) -> Vec<Vec<usize>> {
    match axis {
        Axis::Plain => Symmetry::all().map(|_| (0..len).collect()).collect(),
        Axis::Channels => {
            let mut places = Vec::with_capacity(len);
            for (field, offsets) in FIELDS.into_iter().cycle().enumerate() {
                let fits = match len - places.len() {
                    0 => break,
                    left if offsets.len() <= left => offsets,
                    _ => ALONE,
                };
                places.extend(fits.iter().map(|&offset| (field, offset)));
            }
            permutations(&places)
        }
        Axis::Pooled => {
            let channels = len / VALUES_PER_CHANNEL;
            let of_pooled = |moves: Vec<usize>| {
                let part = |part| moves.iter().map(move |to| part * channels + to);
                (0..VALUES_PER_CHANNEL).flat_map(part).collect()
            };
            let moves = moves(Axis::Channels, channels).into_iter();
            moves.map(of_pooled).collect()
        }
    }
}

/// For each symmetry, the image of each point of a kernel.
fn kernel_moves(height: usize, width: usize) -> Vec<Vec<usize>> {
    let offset = |index: usize, side: usize| index as isize - side as isize / 2;
    let row = |y| (0..width).map(move |x| (0, (offset(y, height), offset(x, width))));
    permutations(&(0..height).flat_map(row).collect::<Vec<_>>())
}

/// Which parameters of a net share a value.
#[derive(Clone, Debug)]
pub struct WeightSharing {
    /// For each parameter the first of its orbit, the one whose value it shares.
    first: Vec<usize>,
    /// For the first of an orbit, the size of the orbit.
    count: Vec<u32>,
    /// Range of each tensor; orbits lie within one tensor.
    tensors: Vec<Range<usize>>,
    /// For each parameter, how many of its orbit are in the same sum.
    together: Vec<u32>,
}

impl WeightSharing {
    /// From the parameters of a net. It is an error if it has layers with directions, such as
    /// attention.
    pub fn new(parameters: &[Parameter]) -> Result<WeightSharing> {
        let (mut first, mut together) = (Vec::new(), Vec::new());
        for parameter in parameters {
            for (index, count) in orbits(parameter)? {
                first.push(parameter.place.start + index);
                together.push(count);
            }
        }
        let mut count = vec![0; first.len()];
        first.iter().for_each(|&index| count[index] += 1);
        Ok(WeightSharing {
            first,
            count,
            tensors: parameters.iter().map(|p| p.place.clone()).collect(),
            together,
        })
    }

    /// Number of orbits: of values that can be chosen independently.
    pub fn free(&self) -> usize {
        self.count.iter().filter(|&&count| count > 0).count()
    }

    /// Whether values within each orbit are equal.
    pub fn hold(&self, values: &[f32]) -> bool {
        let mut pairs = values.iter().zip(&self.first);
        pairs.all(|(value, &first)| *value == values[first])
    }

    /// Sets all parameters to the value of the first of their orbit, for a net with random weights.
    /// Those in one sum are scaled down: they often multiply similar inputs, and this keeps the
    /// variance of the sum for equal inputs.
    pub fn draw(&self, values: &mut [f32]) {
        for (index, &first) in self.first.iter().enumerate() {
            let scale = match index == first {
                true => (self.together[index] as f32).sqrt().recip(),
                false => 1.0,
            };
            values[index] = values[first] * scale;
        }
    }

    /// The orbits as lists: where each begins, with the end of the last, and the numbers of all their parameters,
    /// each orbit's in order.
    pub fn orbits(&self) -> (Vec<i32>, Vec<i32>) {
        let mut ends = vec![0_i32; self.first.len()];
        let mut starts = vec![0];
        let mut end = 0;
        for (slot, &count) in ends.iter_mut().zip(&self.count) {
            *slot = end;
            if count > 0 {
                end += count as i32;
                starts.push(end);
            }
        }
        let mut members = vec![0; self.first.len()];
        for (number, &first) in self.first.iter().enumerate() {
            members[ends[first] as usize] = number as i32;
            ends[first] += 1;
        }
        (starts, members)
    }

    /// Sets all parameters to the mean of their orbit.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many values as parameters.
    pub fn average(&self, values: &mut [f32]) {
        assert_eq!(
            values.len(),
            self.first.len(),
            "as many values as parameters"
        );
        let tensors = split(self.tensors.iter(), values);
        let tensors = self.tensors.par_iter().zip(tensors);
        tensors.for_each(|(place, values)| {
            let start = place.start;
            let (first, count) = (&self.first[place.clone()], &self.count[place.clone()]);
            let mut sums = vec![0.0; values.len()];
            for (value, &first) in values.iter().zip(first) {
                sums[first - start] += value;
            }
            for (value, &first) in values.iter_mut().zip(first) {
                *value = sums[first - start] / count[first - start] as f32;
            }
        });
    }
}

/// For each number of a tensor the first of its orbit, and how many of the orbit are in the same
/// sum.
fn orbits(parameter: &Parameter) -> Result<Vec<(usize, u32)>> {
    let Parameter { name, shape, .. } = parameter;
    let known = || format!("{name} knows directions and cannot be symmetric");
    let [from, to] = parameter.axes.with_context(known)?;
    let (kernel, (from, inputs), outputs) = match shape[..] {
        [height, width, inputs, outputs] => ((height, width), (from, inputs), outputs),
        [inputs, outputs] => ((1, 1), (from, inputs), outputs),
        [outputs] => ((1, 1), (Axis::Plain, 1), outputs),
        _ => anyhow::bail!("{name} has {} axes", shape.len()),
    };
    ensure!(
        kernel.0 == kernel.1,
        "{name} has a kernel that is no square"
    );
    let of_kernel = kernel_moves(kernel.0, kernel.1);
    let of_inputs = moves(from, inputs);
    let of_outputs = moves(to, outputs);
    let numbers = 0..parameter.place.len();
    let orbit = |number: usize| {
        let (row, output) = (number / outputs, number % outputs);
        let (point, input) = (row / inputs, row % inputs);
        let images = Symmetry::all().map(Symmetry::number).map(|symmetry| {
            let row = of_kernel[symmetry][point] * inputs + of_inputs[symmetry][input];
            row * outputs + of_outputs[symmetry][output]
        });
        let images: BTreeSet<usize> = images.collect();
        let together = images.iter().filter(|image| *image % outputs == output);
        let first = images.first().expect("there are symmetries");
        (*first, together.count() as u32)
    };
    Ok(numbers.map(orbit).collect())
}
