//! The layers that read the inputs. Most planes are 0 at most points: only the weights of the others
//! are summed. There is no way back to the inputs.

use std::ops::Range;

use smallvec::SmallVec;

use crate::go::BoardSize;
use crate::nn::cpu::simd::Term;
use crate::nn::desc;
use crate::nn::features::{GLOBALS, PLANES};

use super::cells::{Cells, Workspace};
use super::layers::{Dense, Layer};
use super::pool::{add_everywhere, sums};
use super::real::{Compute, Real};
use super::register::Register;

/// From planes and global inputs to the stack.
#[derive(Debug)]
pub struct Stem<T> {
    height: usize,
    width: usize,
    channels: usize,
    place: Range<usize>,
    /// `[ky][kx][plane][channel]`.
    weights: Vec<T>,
    global: Dense<T>,
}

/// Inputs of the boards of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[board][point][plane]`.
    pub spatial: &'a [f32],
    /// `[board][value]`.
    pub global: &'a [f32],
}

impl<T: Real> Stem<T> {
    /// Of a trunk that reads the inputs of version 7.
    pub fn new(trunk: &desc::Trunk, register: &mut Register) -> Stem<T> {
        let conv = &trunk.initial_conv;
        let place = register.weights("trunk.initial_conv", &conv.shape());
        let shape = trunk.initial_global.shape();
        Stem {
            height: conv.kernel_height,
            width: conv.kernel_width,
            channels: conv.outputs,
            place,
            weights: Vec::new(),
            global: register.dense("trunk.initial_global", shape, None),
        }
    }

    /// The stack before the first block.
    pub fn forward(&self, inputs: Inputs, workspace: &mut Workspace<T>) -> Cells<T> {
        let mut stack = workspace.take(self.channels);
        let kernels = workspace.compute.kernels;
        let known = known_by_point(inputs);
        let size = workspace.grid.size;
        let mut terms = Vec::new();
        for (line, (_, first)) in workspace.grid.lines().enumerate() {
            let (points, y) = (line / size.height() * size.area(), line % size.height());
            for x in 0..size.width() {
                terms.clear();
                for (tap, (x, y)) in self.read_by(x, y, size) {
                    for (plane, factor) in &known[points + y * size.width() + x] {
                        let start = ((tap * PLANES + plane) * self.channels) as u32;
                        terms.push(Term {
                            start,
                            factor: *factor,
                        });
                    }
                }
                let sums = &mut stack.from_mut(first + x)[..self.channels];
                sums.fill(T::default());
                T::add_terms(kernels, sums, &self.weights, &terms);
            }
        }
        let everywhere = self.global.forward(&globals(inputs));
        add_everywhere(&mut stack, &everywhere, workspace);
        stack
    }

    /// Adds the gradient of the weights.
    pub fn backward(
        &self,
        inputs: Inputs,
        stack: &Cells<T>,
        gradient: &mut [T],
        workspace: &Workspace<T>,
    ) {
        let (kernels, size) = (workspace.compute.kernels, workspace.grid.size);
        // For each tap and plane, the cells that read an input there.
        let mut terms = vec![Vec::new(); self.height * self.width * PLANES];
        let known = known_by_point(inputs);
        for (line, (_, first)) in workspace.grid.lines().enumerate() {
            let (points, y) = (line / size.height() * size.area(), line % size.height());
            for x in 0..size.width() {
                let start = ((first + x) * stack.stride()) as u32;
                for (tap, (x, y)) in self.read_by(x, y, size) {
                    for &(plane, factor) in &known[points + y * size.width() + x] {
                        terms[tap * PLANES + plane].push(Term { start, factor });
                    }
                }
            }
        }
        let own = gradient[self.place.clone()].chunks_exact_mut(self.channels);
        for (sums, terms) in own.zip(terms) {
            T::add_terms(kernels, sums, stack.from(0), &terms);
        }
        let everywhere = sums(stack, workspace);
        self.global
            .backward(&globals(inputs), &everywhere, gradient);
    }

    /// The points that the point (x, y) reads, each with its place in the kernel.
    fn read_by(
        &self,
        x: usize,
        y: usize,
        size: BoardSize,
    ) -> impl Iterator<Item = (usize, (usize, usize))> + use<T> {
        let (height, width) = (self.height, self.width);
        let row = move |ky: usize| {
            let y = (y + ky).checked_sub(height / 2);
            y.filter(|y| *y < size.height()).map(|y| (ky, y))
        };
        let point = move |(kx, (ky, y)): (usize, (usize, usize))| {
            let x = (x + kx).checked_sub(width / 2)?;
            (x < size.width()).then_some((ky * width + kx, (x, y)))
        };
        let rows = (0..height).filter_map(row);
        rows.flat_map(move |row| (0..width).filter_map(move |kx| point((kx, row))))
    }
}

/// For each point the planes that are not 0, with their values.
fn known_by_point(inputs: Inputs) -> Vec<SmallVec<[(usize, f32); 8]>> {
    let points = inputs.spatial.chunks_exact(PLANES);
    let known = |point: &[f32]| {
        let planes = point.iter().copied().enumerate();
        planes.filter(|(_, value)| *value != 0.0).collect()
    };
    points.map(known).collect()
}

fn globals<T: Real>(inputs: Inputs) -> Vec<T> {
    debug_assert!(inputs.global.len().is_multiple_of(GLOBALS));
    inputs
        .global
        .iter()
        .map(|value| T::of(*value as f64))
        .collect()
}

impl<T: Real> Layer<T> for Stem<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.weights = parameters[self.place.clone()].to_vec();
        self.global.load(compute, parameters);
    }
}
