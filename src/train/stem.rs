//! The stem, which reads the inputs. Most planes are 0 at most points: only the weights of non-zero
//! values are summed. No gradient of the inputs is needed.

use std::borrow::Cow;
use std::ops::Range;

use crate::nn::cpu::simd::Term;
use crate::nn::cpu::sparse_inputs::{KernelShape, SparseInputs};
use crate::nn::desc::{self, InputVersion};
use crate::nn::features::seed_planes;

use super::cells::{Cells, Grid, Workspace};
use super::layers::{Dense, Layer};
use super::pool::{add_everywhere, sums};
use super::real::{Compute, Real};
use super::register::{Axis, Register};

/// From input planes and global inputs to the trunk. The planes of [`InputVersion::Seed`] are derived
/// here.
#[derive(Debug)]
pub struct Stem<T> {
    shape: KernelShape,
    place: Range<usize>,
    /// See [`KernelShape`].
    weights: Vec<T>,
    global: Option<Dense<T>>,
    /// Whether the planes are derived from version 7.
    is_derived: bool,
}

/// Inputs of a batch, in the version of [`InputVersion::in_training`].
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[board][point][plane]`.
    pub spatial: &'a [f32],
    /// `[board][value]`.
    pub global: &'a [f32],
}

impl<T: Real> Stem<T> {
    /// A stem for inputs of this version.
    pub fn new(trunk: &desc::Trunk, inputs: InputVersion, register: &mut Register) -> Stem<T> {
        let conv = &trunk.initial_conv;
        let axes = [Axis::Plain, Axis::Channels];
        let place = register.weights("trunk.initial_conv", &conv.shape(), Some(axes));
        let global = trunk.initial_global.as_ref();
        Stem {
            shape: KernelShape {
                height: conv.kernel_height,
                width: conv.kernel_width,
                planes: conv.inputs,
                channels: conv.outputs,
            },
            place,
            weights: Vec::new(),
            is_derived: inputs == InputVersion::Seed,
            global: global
                .map(|matrix| register.dense("trunk.initial_global", (matrix.shape(), axes), None)),
        }
    }

    /// The planes of the net.
    fn planes<'a>(&self, inputs: Inputs<'a>, grid: Grid) -> Cow<'a, [f32]> {
        match self.is_derived {
            false => Cow::Borrowed(inputs.spatial),
            true => seed_planes(grid.size.area(), inputs.spatial, inputs.global).into(),
        }
    }

    /// The trunk before the first block.
    pub fn forward(&self, inputs: Inputs, workspace: &mut Workspace<T>) -> Cells<T> {
        let mut stack = workspace.take(self.shape.channels);
        let (kernels, size) = (workspace.compute.kernels, workspace.grid.size);
        let planes = self.planes(inputs, workspace.grid);
        let sparse = SparseInputs::new(&planes, &vec![0.0; self.shape.planes], size, self.shape);
        let mut terms = Vec::new();
        for (line, (board, first)) in workspace.grid.lines().enumerate() {
            let y = line - board * size.height();
            for x in 0..size.width() {
                sparse.around(board, (x, y), &mut terms);
                let sums = &mut stack.from_mut(first + x)[..self.shape.channels];
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
        let KernelShape {
            height,
            width,
            planes,
            channels,
        } = self.shape;
        let by_plane = points_by_plane((&self.planes(inputs, grid), planes), grid);
        for (plane, points) in by_plane.iter().enumerate() {
            for tap in 0..height * width {
                // From an input point to the output that reads it with this offset.
                let right = (width / 2).wrapping_sub(tap % width);
                let down = (height / 2).wrapping_sub(tap / width);
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
                let sums = &mut own[(tap * planes + plane) * channels..][..channels];
                T::add_terms(kernels, sums, stack.from(0), &terms);
            }
        }
        if let Some(matrix) = &self.global {
            let everywhere = sums(stack, workspace);
            matrix.backward(&globals(inputs), &everywhere, gradient);
        }
    }
}

/// A point with a non-zero input.
struct Point {
    /// First cell of its board.
    board: usize,
    x: usize,
    y: usize,
    value: f32,
}

/// For each plane the points that are not 0.
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
