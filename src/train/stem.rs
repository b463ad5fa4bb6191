//! The layers that read the inputs. Most planes are 0 at most points, so that each other value adds
//! its weights to the points around it; there is no way back to the inputs.

use std::ops::Range;

use crate::nn::cpu::simd::Kernels;
use crate::nn::desc;
use crate::nn::features::{GLOBALS, PLANES};

use super::cells::{Cells, Workspace};
use super::layers::{Dense, Layer, add_multiple};
use super::pool::{add_everywhere, sums};
use super::real::Real;
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
        stack.clear();
        self.for_each_share(inputs, workspace, |weights, cell, value| {
            let weights = &self.weights[weights..][..self.channels];
            add_multiple(&mut stack.from_mut(cell)[..self.channels], weights, value);
        });
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
        let own = &mut gradient[self.place.clone()];
        self.for_each_share(inputs, workspace, |weights, cell, value| {
            let sums = &mut own[weights..][..self.channels];
            add_multiple(sums, stack.from(cell), value);
        });
        let everywhere = sums(stack, workspace);
        self.global
            .backward(&globals(inputs), &everywhere, gradient);
    }

    /// For each input that is not 0, and each point that it reaches: where its weights begin, the
    /// point's cell, and the input.
    fn for_each_share(
        &self,
        inputs: Inputs,
        workspace: &Workspace<T>,
        mut share: impl FnMut(usize, usize, T),
    ) {
        let size = workspace.grid.size;
        let lines: Vec<usize> = workspace.grid.lines().map(|(_, first)| first).collect();
        let points = inputs.spatial.chunks_exact(PLANES).enumerate();
        for (index, values) in points {
            let (line, x) = (index / size.width(), index % size.width());
            let (board, y) = (line / size.height(), line % size.height());
            let lines = &lines[board * size.height()..][..size.height()];
            // The input at (x, y) is read by the point at (x - kx + width / 2, ...).
            let xs = reached(x, self.width, size.width());
            let ys = reached(y, self.height, size.height());
            for (plane, value) in values
                .iter()
                .enumerate()
                .filter(|(_, value)| **value != 0.0)
            {
                let value = T::of(*value as f64);
                for to_y in ys.clone() {
                    let ky = y + self.height / 2 - to_y;
                    for to_x in xs.clone() {
                        let kx = x + self.width / 2 - to_x;
                        let tap = (ky * self.width + kx) * PLANES + plane;
                        share(tap * self.channels, lines[to_y] + to_x, value);
                    }
                }
            }
        }
    }
}

/// The coordinates on a side of the board at which a kernel of this width reads `at`.
fn reached(at: usize, kernel: usize, side: usize) -> Range<usize> {
    at.saturating_sub(kernel / 2)..(at + kernel / 2 + 1).min(side)
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
    fn load(&mut self, kernels: Kernels, parameters: &[T]) {
        self.weights = parameters[self.place.clone()].to_vec();
        self.global.load(kernels, parameters);
    }
}
