//! Optimizers: AdamW (Loshchilov and Hutter 2019, <https://arxiv.org/abs/1711.05101>) for all
//! parameters, or Muon for the matrices of the trunk.

use rayon::prelude::*;

use crate::nn::cpu::simd::Kernels;

use super::muon::orthogonalize;
use super::register::{Parameter, Part, Role, split};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// AdamW for all parameters.
    AdamW,
    /// Muon for the weights of the trunk's blocks, AdamW for the rest.
    Muon,
}

/// Settings of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimizerSettings {
    pub method: Method,
    /// Decay of the mean of gradients.
    pub beta_first: f64,
    /// Decay of the mean of their squares.
    pub beta_second: f64,
    /// Decay of weights towards 0 and gains towards 1 per step, times the learning rate.
    pub weight_decay: f64,
    /// Factor of the learning rate in the heads.
    pub head_rate: f64,
    /// Factor of Muon's learning rate.
    pub muon_rate: f64,
    /// Muon's momentum.
    pub momentum: f64,
    /// Gradients are clipped to this norm.
    pub clip_norm: f64,
}

impl Default for OptimizerSettings {
    fn default() -> OptimizerSettings {
        OptimizerSettings {
            method: Method::AdamW,
            beta_first: 0.9,
            beta_second: 0.98,
            weight_decay: 0.05,
            head_rate: 0.5,
            muon_rate: 2.0,
            momentum: 0.95,
            clip_norm: 1.0,
        }
    }
}

/// Numbers that a task works on.
pub(super) const PART: usize = 1 << 14;
/// Added to the denominator.
const EPSILON: f64 = 1e-8;
/// Scales Muon's steps to the typical size of AdamW's (Liu et al. 2025,
/// <https://arxiv.org/abs/2502.16982>).
const MUON_SCALE: f64 = 0.2;

/// The numbers of one step, those of the trunk and the stem before those of the heads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Share of the way of weights to 0, and of gains to 1.
    pub decay: [f32; 2],
    /// Of AdamW, over the bias of the mean of gradients.
    pub adam: [f32; 2],
    /// Over the bias of the mean of squares.
    pub of_second: f32,
    pub epsilon: f32,
    pub beta_first: f32,
    pub beta_second: f32,
    pub momentum: f32,
    /// Of Muon, times the root of a matrix's longer side.
    pub muon: f64,
}

impl OptimizerSettings {
    /// Of a step at a learning rate, the first being number 1.
    pub(super) fn rates(&self, rate: f64, step: u64) -> Rates {
        let step = step.min(i32::MAX as u64) as i32;
        let of_first = 1.0 / (1.0 - self.beta_first.powi(step));
        let of_second = 1.0 / (1.0 - self.beta_second.powi(step));
        let rates = [rate, rate * self.head_rate];
        Rates {
            decay: rates.map(|rate| (rate * self.weight_decay) as f32),
            adam: rates.map(|rate| (rate * of_first) as f32),
            of_second: of_second as f32,
            epsilon: EPSILON as f32,
            beta_first: self.beta_first as f32,
            beta_second: self.beta_second as f32,
            momentum: self.momentum as f32,
            muon: rate * self.muon_rate * MUON_SCALE,
        }
    }

    /// Whether Muon changes a tensor.
    pub(super) fn is_by_muon(&self, parameter: &Parameter) -> bool {
        self.method == Method::Muon
            && parameter.part == Part::Trunk
            && parameter.role == Role::Weight
    }
}

/// State of an optimizer; to continue training, it must be kept with the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimizer {
    pub settings: OptimizerSettings,
    /// Means of gradients, or Muon's momentum; one for each parameter.
    pub first: Vec<f32>,
    /// Means of squared gradients.
    pub second: Vec<f32>,
    /// Steps made.
    pub steps: u64,
}

impl Optimizer {
    /// For this many parameters.
    pub fn new(settings: OptimizerSettings, len: usize) -> Optimizer {
        Optimizer {
            settings,
            first: vec![0.0; len],
            second: vec![0.0; len],
            steps: 0,
        }
    }

    /// Clips a gradient. Returns its norm before.
    pub fn clip(&self, gradient: &mut [f32]) -> f64 {
        let square = |part: &[f32]| part.iter().map(|g| *g as f64 * *g as f64).sum::<f64>();
        // Added in order, so that the sum does not depend on the threads.
        let squares: Vec<f64> = gradient.par_chunks(PART).map(square).collect();
        let norm = squares.into_iter().sum::<f64>().sqrt();
        if norm > self.settings.clip_norm {
            let factor = (self.settings.clip_norm / norm) as f32;
            let parts = gradient.par_chunks_mut(PART);
            parts.for_each(|part| part.iter_mut().for_each(|g| *g *= factor));
        }
        norm
    }

    /// Makes a step, in parallel over parameter tensors.
    ///
    /// # Panics
    ///
    /// Panics if a list does not have the length of this optimizer.
    pub fn step(
        &mut self,
        parameters: &[Parameter],
        values: &mut [f32],
        gradient: &[f32],
        rate: f64,
        kernels: Kernels,
    ) {
        assert!(values.len() == self.first.len() && gradient.len() == self.first.len());
        self.steps += 1;
        let settings = self.settings;
        let rates = settings.rates(rate, self.steps);
        let tensors = [values, &mut self.first[..], &mut self.second[..]]
            .map(|all| split(parameters.iter().map(|own| &own.place), all));
        let [values, first, second] = tensors;
        let slots = parameters.par_iter().zip(values).zip(first).zip(second);
        slots.for_each(|(((parameter, values), first), second)| {
            let mut slot = Slot {
                parameter,
                rates,
                values,
                gradient: &gradient[parameter.place.clone()],
                first,
                second,
            };
            slot.decay();
            match settings.is_by_muon(parameter) {
                true => slot.muon(kernels),
                false => slot.adam(),
            }
        });
    }
}

/// All data of one parameter tensor.
struct Slot<'a> {
    parameter: &'a Parameter,
    rates: Rates,
    values: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Slot<'_> {
    fn of_part(&self, rates: [f32; 2]) -> f32 {
        rates[usize::from(self.parameter.part == Part::Head)]
    }

    fn decay(&mut self) {
        let towards = match self.parameter.role {
            Role::Weight => 0.0,
            Role::Gain => 1.0,
            Role::Bias => return,
        };
        let share = self.of_part(self.rates.decay);
        for value in &mut *self.values {
            *value -= (*value - towards) * share;
        }
    }

    fn adam(&mut self) {
        let rate = self.of_part(self.rates.adam);
        let Rates {
            of_second,
            epsilon,
            beta_first,
            beta_second,
            ..
        } = self.rates;
        let moments = self.first.iter_mut().zip(&mut *self.second);
        let pairs = self.values.iter_mut().zip(self.gradient);
        for ((value, g), (first, second)) in pairs.zip(moments) {
            *first += (g - *first) * (1.0 - beta_first);
            *second += (g * g - *second) * (1.0 - beta_second);
            *value -= rate * *first / ((*second * of_second).sqrt() + epsilon);
        }
    }

    fn muon(&mut self, kernels: Kernels) {
        let momentum = self.rates.momentum;
        let columns = self.parameter.columns();
        for (average, g) in self.first.iter_mut().zip(self.gradient) {
            *average += (g - *average) * (1.0 - momentum);
        }
        // Nesterov momentum.
        let ahead = |(average, g): (&f32, &f32)| average * momentum + g * (1.0 - momentum);
        let pairs = self.first.iter().zip(self.gradient);
        let mut direction: Vec<f32> = pairs.map(ahead).collect();
        orthogonalize(&mut direction, columns, kernels);
        let longer = columns.max(direction.len() / columns) as f64;
        let factor = (self.rates.muon * longer.sqrt()) as f32;
        for (value, direction) in self.values.iter_mut().zip(direction) {
            *value -= factor * direction;
        }
    }
}
