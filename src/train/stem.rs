//! The layers that read the inputs. Most planes are 0 at most points: only the weights of the others
//! are summed. There is no way back to the inputs.

use std::borrow::Cow;
use std::ops::Range;

use crate::nn::cpu::simd::Term;
use crate::nn::desc;
use crate::nn::features::{GLOBALS, seed_planes};

use super::cells::{Cells, Grid, Workspace};
use super::layers::{Dense, Layer};
use super::pool::{add_everywhere, sums};
use super::real::{Compute, Real};
use super::register::Register;

/// From planes and global inputs to the stack. Without a matrix for the global inputs, the planes
/// are those of [`crate::nn::desc::InputVersion::Seed`], which are made here.
#[derive(Debug)]
pub struct Stem<T> {
    planes: usize,
    height: usize,
    width: usize,
    channels: usize,
    place: Range<usize>,
    /// `[ky][kx][plane][channel]`.
    weights: Vec<T>,
    global: Option<Dense<T>>,
}

/// Inputs of the boards of a pass, of version 7 for all nets.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[board][point][plane]`.
    pub spatial: &'a [f32],
    /// `[board][value]`.
    pub global: &'a [f32],
}

impl<T: Real> Stem<T> {
    /// Of a trunk that reads the inputs of version 7 or some of them.
    pub fn new(trunk: &desc::Trunk, register: &mut Register) -> Stem<T> {
        let conv = &trunk.initial_conv;
        let place = register.weights("trunk.initial_conv", &conv.shape());
        let global = trunk.initial_global.as_ref();
        Stem {
            planes: conv.inputs,
            height: conv.kernel_height,
            width: conv.kernel_width,
            channels: conv.outputs,
            place,
            weights: Vec::new(),
            global: global
                .map(|matrix| register.dense("trunk.initial_global", matrix.shape(), None)),
        }
    }

    /// The planes of the net.
    fn planes<'a>(&self, inputs: Inputs<'a>, grid: Grid) -> Cow<'a, [f32]> {
        match self.global {
            Some(_) => Cow::Borrowed(inputs.spatial),
            None => seed_planes(grid.size.area(), inputs.spatial, inputs.global).into(),
        }
    }

    /// The stack before the first block.
    pub fn forward(&self, inputs: Inputs, workspace: &mut Workspace<T>) -> Cells<T> {
        let mut stack = workspace.take(self.channels);
        let (kernels, size) = (workspace.compute.kernels, workspace.grid.size);
        let planes = self.planes(inputs, workspace.grid);
        let known = Known::new((&planes, self.planes), size.width(), self.channels);
        let of_point = self.planes * self.channels;
        let mut terms = Vec::new();
        for (line, (board, first)) in workspace.grid.lines().enumerate() {
            let lines = board * size.height();
            let y = line - lines;
            for x in 0..size.width() {
                terms.clear();
                let xs = reached(x, self.width, size.width());
                for from_y in reached(y, self.height, size.height()) {
                    // Where in the kernel the point (0, from_y) would be.
                    let tap = (from_y + self.height / 2 - y) * self.width + self.width / 2;
                    let start = (tap * of_point) as u32;
                    let start = start.wrapping_sub((x * of_point) as u32);
                    let read = known.of_points((lines + from_y) * size.width(), &xs);
                    terms.extend(read.iter().map(|term| Term {
                        start: term.start.wrapping_add(start),
                        ..*term
                    }));
                }
                let sums = &mut stack.from_mut(first + x)[..self.channels];
                sums.fill(T::default());
                T::add_terms(kernels, sums, &self.weights, &terms);
            }
        }
        if let Some(matrix) = &self.global {
            let everywhere = matrix.forward(&globals(inputs));
            add_everywhere(&mut stack, &everywhere, workspace);
        }
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
        let (kernels, grid) = (workspace.compute.kernels, workspace.grid);
        let own = &mut gradient[self.place.clone()];
        let mut terms = Vec::new();
        let planes = self.planes(inputs, grid);
        let by_plane = points_by_plane((&planes, self.planes), grid);
        for (plane, points) in by_plane.iter().enumerate() {
            for tap in 0..self.height * self.width {
                // From a point to the one that reads it there.
                let right = (self.width / 2).wrapping_sub(tap % self.width);
                let down = (self.height / 2).wrapping_sub(tap / self.width);
                let reader = |point: &Point| {
                    let (x, y) = (point.x.wrapping_add(right), point.y.wrapping_add(down));
                    let is_on_board = x < grid.size.width() && y < grid.size.height();
                    is_on_board.then(|| Term {
                        start: ((point.board + y * grid.line() + x) * stack.stride()) as u32,
                        factor: point.value,
                    })
                };
                terms.clear();
                terms.extend(points.iter().filter_map(reader));
                let sums = &mut own[(tap * self.planes + plane) * self.channels..][..self.channels];
                T::add_terms(kernels, sums, stack.from(0), &terms);
            }
        }
        if let Some(matrix) = &self.global {
            let everywhere = sums(stack, workspace);
            matrix.backward(&globals(inputs), &everywhere, gradient);
        }
    }
}

/// The coordinates on a side of the board that a kernel of this width reads around `at`.
fn reached(at: usize, kernel: usize, side: usize) -> Range<usize> {
    at.saturating_sub(kernel / 2)..(at + kernel / 2 + 1).min(side)
}

/// The inputs that are not 0, point after point.
struct Known {
    /// Each begins where its weights would if all points of a line had their own.
    terms: Vec<Term>,
    /// Where the inputs of each point begin; one more for the end.
    first: Vec<usize>,
}

impl Known {
    /// Of `[point][plane]` with so many planes.
    fn new((spatial, planes): (&[f32], usize), width: usize, channels: usize) -> Known {
        let (mut terms, mut first) = (Vec::new(), vec![0]);
        for (point, values) in spatial.chunks_exact(planes).enumerate() {
            let line = point % width * planes;
            let known = values.iter().enumerate().filter(|(_, v)| **v != 0.0);
            terms.extend(known.map(|(plane, &factor)| Term {
                start: ((line + plane) * channels) as u32,
                factor,
            }));
            first.push(terms.len());
        }
        Known { terms, first }
    }

    /// Those of some points of a line, which begins with the point `line`.
    fn of_points(&self, line: usize, xs: &Range<usize>) -> &[Term] {
        &self.terms[self.first[line + xs.start]..self.first[line + xs.end]]
    }
}

/// A point with an input that is not 0.
struct Point {
    /// The first cell of its board.
    board: usize,
    x: usize,
    y: usize,
    value: f32,
}

/// Of each plane the points that are not 0.
fn points_by_plane((spatial, planes): (&[f32], usize), grid: Grid) -> Vec<Vec<Point>> {
    let mut found: Vec<Vec<Point>> = (0..planes).map(|_| Vec::new()).collect();
    for (point, values) in spatial.chunks_exact(planes).enumerate() {
        let (board, index) = (point / grid.size.area(), point % grid.size.area());
        let known = found.iter_mut().zip(values);
        for (points, &value) in known.filter(|(_, value)| **value != 0.0) {
            points.push(Point {
                board: grid.margin() + board * grid.board(),
                x: index % grid.size.width(),
                y: index / grid.size.width(),
                value,
            });
        }
    }
    found
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
        if let Some(matrix) = &mut self.global {
            matrix.load(compute, parameters);
        }
    }
}
