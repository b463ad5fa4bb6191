//! Nets that answer the same however the board is turned: parameters that a symmetry of the board
//! would exchange are equal, always.
//!
//! Channels come in fields (Cohen and Welling 2016, <https://arxiv.org/abs/1602.07576>). Each channel
//! of a field looks in a direction of its own, and a symmetry that turns the board exchanges them as
//! it turns the directions. What looks nowhere stays, as inputs and outputs of the net do.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;

use crate::go::Symmetry;

use super::pool::FIGURES;
use super::register::{Axis, Parameter};

/// A direction: rows down and columns to the right.
type Offset = (isize, isize);

/// All that symmetries make of a knight's move: of eight channels each looks another way.
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
/// The same of a step along a line, and of one across.
const NEIGHBORS: &[Offset] = &[(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONALS: &[Offset] = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
/// One channel by itself.
const ALONE: &[Offset] = &[(0, 0)];

/// The fields of 64 channels, which repeat, so that a wider net begins like a narrower one. There are
/// 48 channels alone; `docs/training.md`, "Experiments", compares some mixtures.
const FIELDS: [&[Offset]; 51] = {
    let mut fields = [ALONE; 51];
    // Fields of four lie after 12 and 28 channels, one of eight after 56.
    fields[12] = NEIGHBORS;
    fields[25] = DIAGONALS;
    fields[50] = KNIGHTS;
    fields
};

/// For each symmetry, where it takes each place of a list: a field and a direction in it.
fn permutations(places: &[(usize, Offset)]) -> Vec<Vec<usize>> {
    let index: HashMap<_, _> = places.iter().zip(0..).collect();
    let all = Symmetry::all().map(|symmetry| {
        let to = |&(field, offset)| index[&(field, symmetry.step(offset))];
        places.iter().map(to).collect()
    });
    all.collect()
}

/// For each symmetry, where it takes the indices of an axis.
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
            let channels = len / FIGURES;
            let of_figures = |moves: Vec<usize>| {
                let figure = |figure| moves.iter().map(move |to| figure * channels + to);
                (0..FIGURES).flat_map(figure).collect()
            };
            let moves = moves(Axis::Channels, channels).into_iter();
            moves.map(of_figures).collect()
        }
    }
}

/// For each symmetry, where it takes the points of a kernel.
fn kernel_moves(height: usize, width: usize) -> Vec<Vec<usize>> {
    let offset = |index: usize, side: usize| index as isize - side as isize / 2;
    let row = |y| (0..width).map(move |x| (0, (offset(y, height), offset(x, width))));
    permutations(&(0..height).flat_map(row).collect::<Vec<_>>())
}

/// Which parameters of a net are equal.
#[derive(Clone, Debug)]
pub struct WeightSharing {
    /// For each parameter the first one that equals it.
    first: Vec<usize>,
    /// For the first ones, how many equal them, themselves included.
    count: Vec<u32>,
    /// Where each tensor's parameters lie; none equals one of another tensor.
    tensors: Vec<Range<usize>>,
    /// How many of them are in the same sum as each.
    together: Vec<u32>,
}

impl WeightSharing {
    /// Of all parameters of a net. It is an error if it has layers that know directions, such as
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

    /// How many values may be chosen.
    pub fn free(&self) -> usize {
        self.count.iter().filter(|&&count| count > 0).count()
    }

    /// Whether what is tied is equal.
    pub fn hold(&self, values: &[f32]) -> bool {
        let mut pairs = values.iter().zip(&self.first);
        pairs.all(|(value, &first)| *value == values[first])
    }

    /// Gives all the value of the first one that shall equal them, for a net whose weights are random.
    /// Those that are summed together become smaller, since what they multiply is often alike: sums of
    /// inputs that are all the same vary as they did before.
    pub fn draw(&self, values: &mut [f32]) {
        for (index, &first) in self.first.iter().enumerate() {
            let scale = match index == first {
                true => (self.together[index] as f32).sqrt().recip(),
                false => 1.0,
            };
            values[index] = values[first] * scale;
        }
    }

    /// Gives all the mean of those that shall be equal.
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
        let mut rest = values;
        let of_tensor = |place: &Range<usize>| {
            let own = rest
                .split_off_mut(..place.len())
                .expect("tensors lie one after another");
            (own, place.clone())
        };
        let tensors: Vec<_> = self.tensors.iter().map(of_tensor).collect();
        tensors.into_par_iter().for_each(|(values, place)| {
            let start = place.start;
            let (first, count) = (&self.first[place.clone()], &self.count[place]);
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

/// For each number of a tensor the first one that a symmetry exchanges it with, and how many of these
/// are summed for the same output as it.
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
