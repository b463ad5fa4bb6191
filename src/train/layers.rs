//! Layers with weights: convolutions, matrices of single vectors, and norms with activations.
//!
//! Each layer knows where its parameters lie in the list of all parameters, and keeps a copy of
//! them in the layout of its kernels, which [`Layer::load`] renews after each step. Gradients are
//! added to a list as long as that of the parameters.

use std::ops::Range;

use crate::nn::cpu::simd::padded;
use crate::nn::desc::Activation;

use super::activation::{slope, value};
use super::cells::{Cells, Workspace};
use super::real::{Compute, Matrices, Real};

/// A layer with parameters.
pub trait Layer<T> {
    /// Copies its parameters from the list of all.
    fn load(&mut self, compute: Compute, parameters: &[T]);
}

/// A convolution, see [`crate::nn::desc::Conv`].
#[derive(Debug)]
pub struct Conv<T: Real> {
    pub height: usize,
    pub width: usize,
    /// Channels read.
    pub inputs: usize,
    /// Channels written.
    pub outputs: usize,
    /// `[ky][kx][in][out]`.
    pub place: Range<usize>,
    /// For each place of the kernel `[in][out]`.
    forward: Option<T::Weights>,
    /// For each place of the kernel `[out][in]`.
    backward: Option<T::Weights>,
}

impl<T: Real> Conv<T> {
    /// `shape` is `[ky, kx, in, out]`; parameters are loaded later.
    pub fn new(shape: [usize; 4], place: Range<usize>) -> Conv<T> {
        let [height, width, inputs, outputs] = shape;
        Conv {
            height,
            width,
            inputs,
            outputs,
            place,
            forward: None,
            backward: None,
        }
    }

    /// Where the places of the kernel lie, in cells from its centre.
    fn offsets(&self, workspace: &Workspace<T>) -> impl Iterator<Item = isize> + use<T> {
        let grid = workspace.grid;
        let (height, width) = (self.height as isize, self.width as isize);
        (0..height).flat_map(move |ky| {
            (0..width).map(move |kx| grid.offset(kx - width / 2, ky - height / 2))
        })
    }

    /// The convolution of `x`, whose empty cells are 0.
    ///
    /// # Panics
    ///
    /// Panics if no parameters have been loaded.
    pub fn forward(&self, x: &Cells<T>, workspace: &mut Workspace<T>) -> Cells<T> {
        let mut y = workspace.take(self.outputs);
        let weights = self.forward.as_ref().expect(LOADED);
        workspace.convolve(x, self.offsets(workspace), weights, &mut y, false);
        y
    }

    /// The convolution, added to a copy of the trunk.
    ///
    /// # Panics
    ///
    /// Panics if no parameters have been loaded.
    pub fn forward_onto(
        &self,
        stack: &Cells<T>,
        x: &Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> Cells<T> {
        let mut sum = workspace.take(self.outputs);
        sum.copy_from(stack);
        let weights = self.forward.as_ref().expect(LOADED);
        workspace.convolve(x, self.offsets(workspace), weights, &mut sum, true);
        sum
    }

    /// The gradient of the inputs, given the gradient `dy` of the results with zeros in the empty
    /// cells; adds the gradient of the weights. Empty cells of the answer are undefined.
    ///
    /// # Panics
    ///
    /// Panics if no parameters have been loaded.
    pub fn backward(
        &self,
        x: &Cells<T>,
        dy: &Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) -> Cells<T> {
        let mut of_x = workspace.take(self.inputs);
        self.backward_onto(x, dy, (&mut of_x, false), gradient, workspace);
        of_x
    }

    /// The same; the gradient of the inputs is added to `of_x`, or replaces it.
    ///
    /// # Panics
    ///
    /// Panics if no parameters have been loaded.
    pub fn backward_onto(
        &self,
        x: &Cells<T>,
        dy: &Cells<T>,
        (of_x, add): (&mut Cells<T>, bool),
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let offsets = self.offsets(workspace);
        workspace.correlate(x, offsets, dy, &mut gradient[self.place.clone()]);
        let weights = self.backward.as_ref().expect(LOADED);
        let offsets = self.offsets(workspace).map(|offset| -offset);
        workspace.convolve(dy, offsets, weights, of_x, add);
    }
}

const LOADED: &str = "parameters are loaded before layers are used";

impl<T: Real> Layer<T> for Conv<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        let weights = |is_transposed| {
            let matrices = Matrices {
                values: &parameters[self.place.clone()],
                kernel: (self.height, self.width),
                inputs: self.inputs,
                outputs: self.outputs,
                is_transposed,
            };
            T::weights(compute, matrices)
        };
        self.forward = Some(weights(false));
        self.backward = Some(weights(true));
    }
}

pub fn add<T: Real>(sums: &mut [T], values: &[T]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += *value;
    }
}

/// `inputs * weights + bias` of vectors, one for each board.
#[derive(Debug)]
pub struct Dense<T> {
    /// Values read.
    pub inputs: usize,
    /// Values written.
    pub outputs: usize,
    /// `[in][out]`.
    pub place: Range<usize>,
    /// `[out]`, if there is one.
    pub bias_place: Option<Range<usize>>,
    weights: Vec<T>,
    bias: Vec<T>,
}

impl<T: Real> Dense<T> {
    /// `shape` is `[in, out]`; parameters are loaded later.
    pub fn new(
        shape: [usize; 2],
        place: Range<usize>,
        bias_place: Option<Range<usize>>,
    ) -> Dense<T> {
        let [inputs, outputs] = shape;
        Dense {
            inputs,
            outputs,
            place,
            bias_place,
            weights: Vec::new(),
            bias: Vec::new(),
        }
    }

    /// `[board][in]` to `[board][out]`.
    pub fn forward(&self, x: &[T]) -> Vec<T> {
        let mut y = Vec::with_capacity(x.len() / self.inputs * self.outputs);
        for x in x.chunks_exact(self.inputs) {
            let start = y.len();
            y.extend_from_slice(&self.bias);
            for (factor, row) in x.iter().zip(self.weights.chunks_exact(self.outputs)) {
                add_multiple(&mut y[start..], row, *factor);
            }
        }
        y
    }

    /// The gradient of the inputs, given that of the results; adds the gradient of the parameters.
    pub fn backward(&self, x: &[T], dy: &[T], gradient: &mut [T]) -> Vec<T> {
        let boards = x
            .chunks_exact(self.inputs)
            .zip(dy.chunks_exact(self.outputs));
        let mut dx = Vec::with_capacity(x.len());
        for (x, dy) in boards {
            let own = gradient[self.place.clone()].chunks_exact_mut(self.outputs);
            for (factor, row) in x.iter().zip(own) {
                add_multiple(row, dy, *factor);
            }
            if let Some(place) = &self.bias_place {
                add(&mut gradient[place.clone()], dy);
            }
            dx.extend(self.weights.chunks_exact(self.outputs).map(|row| {
                let products = row.iter().zip(dy).map(|(weight, dy)| *weight * *dy);
                products.fold(T::default(), |sum, product| sum + product)
            }));
        }
        dx
    }
}

pub fn add_multiple<T: Real>(sums: &mut [T], values: &[T], factor: T) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += *value * factor;
    }
}

impl<T: Real> Layer<T> for Dense<T> {
    fn load(&mut self, _: Compute, parameters: &[T]) {
        self.weights = parameters[self.place.clone()].to_vec();
        self.bias = match &self.bias_place {
            Some(place) => parameters[place.clone()].to_vec(),
            None => vec![T::default(); self.outputs],
        };
    }
}

/// `activation(x * gain * factor + bias)`, by channel.
///
/// The factor is fixed so that the result has a variance of about 1 while the gain is 1, as after a
/// batch norm but without batch statistics. (KataGo calls it "fixscale".)
#[derive(Debug)]
pub struct NormAct<T> {
    /// The fixed factor.
    pub factor: f64,
    pub activation: Activation,
    pub gain_place: Range<usize>,
    pub bias_place: Range<usize>,
    scale: Vec<T>,
    bias: Vec<T>,
}

impl<T: Real> NormAct<T> {
    /// Parameters are loaded later.
    pub fn new(
        factor: f64,
        activation: Activation,
        gain_place: Range<usize>,
        bias_place: Range<usize>,
    ) -> NormAct<T> {
        NormAct {
            factor,
            activation,
            gain_place,
            bias_place,
            scale: Vec::new(),
            bias: Vec::new(),
        }
    }

    /// The normalised and activated points of `x`; empty cells of the result are 0.
    pub fn forward(&self, x: &Cells<T>, y: &mut Cells<T>, workspace: &Workspace<T>) {
        match self.activation {
            Activation::Identity => self.map(x, y, workspace, |z| z),
            Activation::Relu => self.map(x, y, workspace, |z| value(Activation::Relu, z)),
            Activation::Mish => self.map(x, y, workspace, |z| value(Activation::Mish, z)),
            Activation::Silu => self.map(x, y, workspace, |z| value(Activation::Silu, z)),
        }
    }

    fn map(
        &self,
        x: &Cells<T>,
        y: &mut Cells<T>,
        workspace: &Workspace<T>,
        value: impl Fn(T) -> T,
    ) {
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        for (_, first) in grid.lines() {
            for (x, y) in x.line(first, width).zip(y.line_mut(first, width)) {
                let norm = self.scale.iter().zip(&self.bias);
                for ((x, y), (scale, bias)) in x.iter().zip(y).zip(norm) {
                    *y = value(*x * *scale + *bias);
                }
            }
        }
        y.clear_between(grid);
    }

    /// Turns the gradient of the results into that of the inputs, with zeros in the empty cells;
    /// adds the gradient of the parameters.
    pub fn backward(
        &self,
        x: &Cells<T>,
        dy: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &Workspace<T>,
    ) {
        let sums = match self.activation {
            Activation::Identity => self.map_back(x, dy, workspace, |_| T::of(1.0)),
            Activation::Relu => self.map_back(x, dy, workspace, |z| slope(Activation::Relu, z)),
            Activation::Mish => self.map_back(x, dy, workspace, |z| slope(Activation::Mish, z)),
            Activation::Silu => self.map_back(x, dy, workspace, |z| slope(Activation::Silu, z)),
        };
        let (of_gain, of_bias) = sums;
        add_multiple(
            &mut gradient[self.gain_place.clone()],
            &of_gain,
            T::of(self.factor),
        );
        add(&mut gradient[self.bias_place.clone()], &of_bias);
    }

    /// The sums over all cells that give the gradients of gain (without the factor) and bias.
    fn map_back(
        &self,
        x: &Cells<T>,
        dy: &mut Cells<T>,
        workspace: &Workspace<T>,
        slope: impl Fn(T) -> T,
    ) -> (Vec<T>, Vec<T>) {
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        let mut of_gain = vec![T::default(); padded(x.channels())];
        let mut of_bias = of_gain.clone();
        for (_, first) in grid.lines() {
            for (x, dy) in x.line(first, width).zip(dy.line_mut(first, width)) {
                let norm = self.scale.iter().zip(&self.bias);
                let sums = of_gain.iter_mut().zip(&mut of_bias);
                for (((x, dy), (scale, bias)), (of_gain, of_bias)) in
                    x.iter().zip(dy).zip(norm).zip(sums)
                {
                    let dz = *dy * slope(*x * *scale + *bias);
                    *of_gain += dz * *x;
                    *of_bias += dz;
                    *dy = dz * *scale;
                }
            }
        }
        dy.clear_between(grid);
        (of_gain, of_bias)
    }
}

impl<T: Real> Layer<T> for NormAct<T> {
    fn load(&mut self, _: Compute, parameters: &[T]) {
        let scale = |gain: &T| *gain * T::of(self.factor);
        self.scale = parameters[self.gain_place.clone()]
            .iter()
            .map(scale)
            .collect();
        self.bias = parameters[self.bias_place.clone()].to_vec();
    }
}
