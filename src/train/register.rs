//! The parameter list of a net in training, and the layers created with it.
//!
//! Parameters of all layers lie one after another in one list of numbers; gradients, the
//! optimizer's state and averages are lists of the same length. Names are those of the tensors of
//! [`crate::nn::desc::Net`] where it has them.

use std::ops::Range;

use rayon::prelude::*;

use crate::nn::desc;

use super::layers::{Conv, Dense, NormAct, add_multiple};
#[cfg(doc)]
use super::pool::VALUES_PER_CHANNEL;
use super::real::Real;
use super::rms::RmsNorm;

/// What a parameter does in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A weight: multiplies outputs of other layers.
    Weight,
    /// A gain of a channel, 1 at first.
    Gain,
    /// A bias.
    Bias,
}

/// Where in the net a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The stem.
    Stem,
    /// The blocks and the norm after them.
    Trunk,
    /// Policy and value head.
    Head,
}

/// Meaning of an axis of a tensor, for weight sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Inputs or outputs of the net, or values of the whole board: they have no direction.
    Plain,
    /// Channels of boards.
    Channels,
    /// [`VALUES_PER_CHANNEL`] values for each channel: the first of all channels, then the second, and so on.
    Pooled,
}

/// One tensor of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the net's tensor, if there is one.
    pub name: String,
    /// Shape; the last index varies fastest.
    pub shape: Vec<usize>,
    /// Meaning of the last two axes, if there are two; none for layers with directions.
    pub axes: Option<[Axis; 2]>,
    /// Range in the list of all parameters.
    pub place: Range<usize>,
    /// Role in its layer.
    pub role: Role,
    /// Part of the net.
    pub part: Part,
    /// The net's tensor is this many times the parameter.
    pub factor: f64,
}

impl Parameter {
    /// Columns of the tensor as a matrix: of the last axis.
    pub fn columns(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

/// Multiplies each parameter by its factor.
pub fn times_factors(parameters: &[Parameter], values: &mut [f32]) {
    let tensors = split(parameters.iter().map(|own| &own.place), values);
    let tensors = parameters.par_iter().zip(tensors);
    tensors.for_each(|(parameter, values)| {
        let factor = parameter.factor as f32;
        values.iter_mut().for_each(|value| *value *= factor);
    });
}

/// Adds gradients of the net's tensors, times `scale`, to that of the parameters.
pub fn add_gradients(
    parameters: &[Parameter],
    gradient: &mut [f32],
    found: &[Vec<f32>],
    scale: f32,
) {
    let tensors = split(parameters.iter().map(|own| &own.place), gradient);
    let tensors = parameters.par_iter().zip(tensors);
    tensors.for_each(|(parameter, gradient)| {
        let factor = parameter.factor as f32 * scale;
        for found in found {
            add_multiple(gradient, &found[parameter.place.clone()], factor);
        }
    });
}

/// The values of each tensor; places lie one after another from the first value on.
///
/// # Panics
///
/// Panics if there are fewer values than places.
pub(super) fn split<'a, 'b>(
    places: impl Iterator<Item = &'a Range<usize>>,
    mut values: &'b mut [f32],
) -> Vec<&'b mut [f32]> {
    let tensors = places.map(|place| values.split_off_mut(..place.len()));
    let tensors = tensors.map(|own| own.expect("parameters lie one after another"));
    tensors.collect()
}

/// The parameter tensors in order of creation.
#[derive(Clone, Debug, Default)]
pub struct Register {
    parameters: Vec<Parameter>,
    part: Option<Part>,
    /// How many cells beyond a point the widest kernel reads so far.
    reach: usize,
}

impl Register {
    pub fn into_parameters(self) -> Vec<Parameter> {
        self.parameters
    }

    /// How many cells beyond a point the widest kernel between cells reads.
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// Assigns the following parameters to this part.
    pub fn enter(&mut self, part: Part) {
        self.part = Some(part);
    }

    fn add(
        &mut self,
        name: String,
        (shape, axes): (Vec<usize>, Option<[Axis; 2]>),
        (role, factor): (Role, f64),
    ) -> Range<usize> {
        let start = self.parameters.last().map_or(0, |last| last.place.end);
        let place = start..start + shape.iter().product::<usize>();
        self.parameters.push(Parameter {
            name,
            shape,
            axes,
            place: place.clone(),
            role,
            part: self.part.expect("the part is known"),
            factor,
        });
        place
    }

    pub fn weights(
        &mut self,
        name: &str,
        shape: &[usize],
        axes: Option<[Axis; 2]>,
    ) -> Range<usize> {
        let shape = shape.to_vec();
        self.add(format!("{name}.weight"), (shape, axes), (Role::Weight, 1.0))
    }

    /// A convolution between cells.
    pub fn conv<T: Real>(&mut self, name: &str, conv: &desc::Conv) -> Conv<T> {
        self.conv_to(Axis::Channels, name, conv)
    }

    /// A convolution whose results are outputs of the net.
    pub fn output_conv<T: Real>(&mut self, name: &str, conv: &desc::Conv) -> Conv<T> {
        self.conv_to(Axis::Plain, name, conv)
    }

    fn conv_to<T: Real>(&mut self, to: Axis, name: &str, conv: &desc::Conv) -> Conv<T> {
        let side = conv.kernel_height.max(conv.kernel_width);
        self.reach = self.reach.max(side / 2);
        let place = self.weights(name, &conv.shape(), Some([Axis::Channels, to]));
        Conv::new(conv.shape(), place)
    }

    /// A 1x1 convolution that reads pooled values.
    pub fn pooled_conv<T: Real>(&mut self, name: &str, conv: &desc::Conv) -> Conv<T> {
        let axes = [Axis::Pooled, Axis::Channels];
        Conv::new(conv.shape(), self.weights(name, &conv.shape(), Some(axes)))
    }

    /// A matrix that multiplies each point, as a 1x1 convolution of a transformer.
    pub fn matrix<T: Real>(&mut self, name: &str, matrix: &desc::MatMul) -> Conv<T> {
        let place = self.weights(name, &matrix.shape(), None);
        Conv::new([1, 1, matrix.inputs, matrix.outputs], place)
    }

    /// A matrix of whole-board values, and the name of its bias if it has one.
    pub fn dense<T: Real>(
        &mut self,
        name: &str,
        (shape, axes): ([usize; 2], [Axis; 2]),
        bias: Option<&str>,
    ) -> Dense<T> {
        let place = self.weights(name, &shape, Some(axes));
        let of_bias = (vec![shape[1]], Some(axes));
        let bias = bias.map(|bias| self.add(bias.to_string(), of_bias, (Role::Bias, 1.0)));
        Dense::new(shape, place, bias)
    }

    /// A matrix of values that have places on the board, and its bias.
    pub fn directed<T: Real>(&mut self, name: &str, shape: [usize; 2], bias: &str) -> Dense<T> {
        let place = self.weights(name, &shape, None);
        let of_bias = (vec![shape[1]], None);
        let bias = self.add(bias.to_owned(), of_bias, (Role::Bias, 1.0));
        Dense::new(shape, place, Some(bias))
    }

    /// A norm with a fixed factor.
    pub fn norm<T: Real>(
        &mut self,
        name: &str,
        norm_act: &desc::NormAct,
        factor: f64,
    ) -> NormAct<T> {
        let axes = Some([Axis::Plain, Axis::Channels]);
        let shape = (vec![norm_act.norm.channels()], axes);
        let gain = self.add(format!("{name}.scale"), shape.clone(), (Role::Gain, factor));
        let bias = self.add(format!("{name}.bias"), shape, (Role::Bias, 1.0));
        NormAct::new(factor, norm_act.activation, gain, bias)
    }

    /// An RMS norm.
    pub fn rms_norm<T: Real>(&mut self, name: &str, norm: &desc::RmsNorm) -> RmsNorm<T> {
        let shape = (vec![norm.weights.len()], None);
        let place = self.add(format!("{name}.weight"), shape, (Role::Gain, 1.0));
        RmsNorm::new(norm.epsilon.into(), place)
    }
}
