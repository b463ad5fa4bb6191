//! The value head: forward pass, and a hand-written backward pass.

use crate::nn::desc::{self, Activation};

use super::activation::value;
use super::cells::{Cells, Workspace};
use super::heads::{Points, Prediction, scale_by_slopes};
use super::layers::{Conv, Dense, Layer, NormAct, add};
use super::pool::{Pooled, pool, pool_back};
use super::real::{Compute, Real};
use super::register::{Axis, Register};
use crate::nn::plan::Third;

/// See [`desc::ValueHead`].
#[derive(Debug)]
pub struct ValueHead<T: Real> {
    conv: Conv<T>,
    norm: NormAct<T>,
    hidden: Dense<T>,
    activation: Activation,
    value: Dense<T>,
    score: Dense<T>,
    ownership: Points<T>,
}

/// Intermediate results for the backward pass of [`ValueHead`].
#[derive(Debug)]
pub struct ValueTrace<T> {
    a: Cells<T>,
    /// The same, normalised.
    v: Cells<T>,
    pooled: Pooled<T>,
    /// The hidden layer before its activation.
    z: Vec<T>,
    /// The hidden layer after its activation.
    h: Vec<T>,
}

impl<T: Real> ValueTrace<T> {
    /// Returns all buffers to the workspace.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.a, self.v]);
    }
}

impl<T: Real> ValueHead<T> {
    /// Of a net's head.
    pub fn new(head: &desc::ValueHead, register: &mut Register) -> ValueHead<T> {
        let name = |layer: &str| format!("value_head.{layer}");
        let dense =
            |layer: &str, (matrix, from): (&desc::MatMul, Axis), register: &mut Register| {
                let bias = name(&format!("{layer}_bias"));
                let shape = (matrix.shape(), [from, Axis::Plain]);
                register.dense(&name(layer), shape, Some(&bias))
            };
        ValueHead {
            conv: register.conv(&name("conv"), &head.conv),
            norm: register.norm(&name("norm"), &head.norm, 1.0),
            hidden: dense("hidden", (&head.hidden, Axis::Pooled), register),
            activation: head.hidden_activation,
            value: dense("value", (&head.value, Axis::Plain), register),
            score: dense("score", (&head.score, Axis::Plain), register),
            ownership: Points {
                conv: register.output_conv(&name("ownership"), &head.ownership),
            },
        }
    }

    /// Writes value, score and ownership of each board.
    pub fn forward(
        &self,
        tip: &Cells<T>,
        predictions: &mut [Prediction],
        workspace: &mut Workspace<T>,
    ) -> ValueTrace<T> {
        let a = self.conv.forward(tip, workspace);
        let mut v = workspace.take(self.conv.outputs);
        self.norm.forward(&a, &mut v, workspace);
        let pooled = pool(&v, Third::Square, workspace);
        let z = self.hidden.forward(&pooled.values);
        let h: Vec<T> = z.iter().map(|z| value(self.activation, *z)).collect();
        let values = self.value.forward(&h);
        let scores = self.score.forward(&h);
        let points = self.ownership.forward(&v, workspace);
        let numbers = |values: &[T]| values.iter().map(|value| value.to_f64()).collect();
        for (board, (prediction, mut points)) in predictions.iter_mut().zip(points).enumerate() {
            let [values, scores] = [(&values, &self.value), (&scores, &self.score)]
                .map(|(all, layer)| numbers(&all[board * layer.outputs..][..layer.outputs]));
            prediction.value = values;
            prediction.score = scores;
            prediction.ownership = points.swap_remove(0);
        }
        ValueTrace { a, v, pooled, z, h }
    }

    /// Given the gradients of the outputs; adds to that of the trunk's output.
    pub fn backward(
        &self,
        (trace, tip): (ValueTrace<T>, &Cells<T>),
        predictions: &[Prediction],
        of_tip: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let all = |values: fn(&Prediction) -> &Vec<f64>| -> Vec<T> {
            let values = predictions.iter().flat_map(values);
            values.map(|value| T::of(*value)).collect()
        };
        let values = all(|prediction| &prediction.value);
        let mut of_h = self.value.backward(&trace.h, &values, gradient);
        let scores = all(|prediction| &prediction.score);
        add(&mut of_h, &self.score.backward(&trace.h, &scores, gradient));
        scale_by_slopes(self.activation, &trace.z, &mut of_h);
        let of_pooled = self.hidden.backward(&trace.pooled.values, &of_h, gradient);
        let mut of_a = workspace.take(self.conv.outputs);
        let dy = |board: usize, _| &predictions[board].ownership[..];
        let to = (&mut of_a, false);
        self.ownership
            .backward(&trace.v, dy, to, gradient, workspace);
        pool_back(
            &trace.pooled,
            &of_pooled,
            Third::Square,
            &mut of_a,
            workspace,
        );
        self.norm.backward(&trace.a, &mut of_a, gradient, workspace);
        self.conv
            .backward_onto(tip, &of_a, (of_tip, true), gradient, workspace);
        workspace.give([trace.a, trace.v, of_a]);
    }
}

impl<T: Real> Layer<T> for ValueHead<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.conv.load(compute, parameters);
        self.norm.load(compute, parameters);
        self.hidden.load(compute, parameters);
        self.value.load(compute, parameters);
        self.score.load(compute, parameters);
        self.ownership.conv.load(compute, parameters);
    }
}
