//! Fully connected heads: forward pass, and a hand-written backward pass.

use crate::nn::desc::{self, Activation};

use super::activation::value;
use super::cells::{Cells, Grid, Workspace};
use super::heads::{EXTRA_POLICIES, Prediction, scale_by_slopes};
use super::layers::{Conv, Dense, Layer, NormAct};
use super::real::{Compute, Real};
use super::register::Register;

/// Logit of no result: its probability vanishes, but not its logarithm.
const NEVER: f64 = -40.0;
/// Raw score outputs, which these nets lack.
const SCORES: usize = 6;

/// See [`desc::FlatHead`].
#[derive(Debug)]
struct FlatHead<T: Real> {
    conv: Conv<T>,
    norm: NormAct<T>,
    layers: Vec<(Dense<T>, Activation)>,
}

/// Intermediate results of a head.
#[derive(Debug)]
struct HeadTrace<T> {
    a: Cells<T>,
    /// Inputs of each layer.
    inputs: Vec<Vec<T>>,
    /// Outputs of each layer before its activation.
    sums: Vec<Vec<T>>,
}

/// See [`desc::FlatHeads`]. Predictions have the net's policy, uniform ones in place of
/// [`EXTRA_POLICIES`], and zeros in place of score and ownership, which are not learned.
#[derive(Debug)]
pub struct FlatHeads<T: Real> {
    policy: FlatHead<T>,
    value: FlatHead<T>,
}

/// Intermediate results for the backward pass of [`FlatHeads`].
#[derive(Debug)]
pub struct FlatTrace<T> {
    policy: HeadTrace<T>,
    value: HeadTrace<T>,
}

impl<T: Real> FlatTrace<T> {
    /// Returns all buffers to the workspace.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.policy.a, self.value.a]);
    }
}

impl<T: Real> FlatHead<T> {
    fn new(name: &str, head: &desc::FlatHead, register: &mut Register) -> FlatHead<T> {
        let conv = register.conv(&format!("{name}.conv"), &head.conv);
        let norm = register.norm(&format!("{name}.norm"), &head.norm, 1.0);
        let layers = head.layers.iter().enumerate().map(|(index, layer)| {
            let name = format!("{name}.layers.{index}");
            let shape = layer.matmul.shape();
            let bias = format!("{name}.bias");
            let dense = register.directed(&format!("{name}.matmul"), shape, &bias);
            (dense, layer.activation)
        });
        let layers = layers.collect();
        FlatHead { conv, norm, layers }
    }

    /// The outputs `[board][output]`.
    fn forward(&self, tip: &Cells<T>, workspace: &mut Workspace<T>) -> (Vec<T>, HeadTrace<T>) {
        let a = self.conv.forward(tip, workspace);
        let mut v = workspace.take(self.conv.outputs);
        self.norm.forward(&a, &mut v, workspace);
        let mut values = flattened(&v, workspace.grid);
        workspace.give([v]);
        let (mut inputs, mut sums) = (Vec::new(), Vec::new());
        for (layer, activation) in &self.layers {
            let z = layer.forward(&values);
            inputs.push(values);
            values = z.iter().map(|z| value(*activation, *z)).collect();
            sums.push(z);
        }
        (values, HeadTrace { a, inputs, sums })
    }

    /// Given the gradient of the outputs; adds to that of the trunk's output.
    fn backward(
        &self,
        (trace, tip): (HeadTrace<T>, &Cells<T>),
        mut dy: Vec<T>,
        of_tip: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let layers = self.layers.iter().zip(&trace.inputs).zip(&trace.sums);
        for (((layer, activation), inputs), sums) in layers.rev() {
            scale_by_slopes(*activation, sums, &mut dy);
            dy = layer.backward(inputs, &dy, gradient);
        }
        let mut of_a = workspace.take(self.conv.outputs);
        of_a.clear();
        unflatten(&dy, &mut of_a, workspace.grid);
        self.norm.backward(&trace.a, &mut of_a, gradient, workspace);
        self.conv
            .backward_onto(tip, &of_a, (of_tip, true), gradient, workspace);
        workspace.give([trace.a, of_a]);
    }

    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.conv.load(compute, parameters);
        self.norm.load(compute, parameters);
        for (layer, _) in &mut self.layers {
            layer.load(compute, parameters);
        }
    }
}

/// `[board][channel][point]`.
fn flattened<T: Real>(cells: &Cells<T>, grid: Grid) -> Vec<T> {
    let area = grid.size.area();
    let mut values = vec![T::default(); grid.boards * cells.channels() * area];
    let boards = values.chunks_exact_mut(cells.channels() * area);
    for (board, values) in boards.enumerate() {
        for (y, first) in grid.lines_of(board).enumerate() {
            for (x, cell) in cells.line(first, grid.size.width()).enumerate() {
                let point = y * grid.size.width() + x;
                for (channel, value) in cell.iter().enumerate() {
                    values[channel * area + point] = *value;
                }
            }
        }
    }
    values
}

/// The inverse of [`flattened`].
fn unflatten<T: Real>(values: &[T], cells: &mut Cells<T>, grid: Grid) {
    let area = grid.size.area();
    let boards = values.chunks_exact(cells.channels() * area);
    for (board, values) in boards.enumerate() {
        for (y, first) in grid.lines_of(board).enumerate() {
            for (x, cell) in cells.line_mut(first, grid.size.width()).enumerate() {
                let point = y * grid.size.width() + x;
                for (channel, value) in cell.iter_mut().enumerate() {
                    *value = values[channel * area + point];
                }
            }
        }
    }
}

impl<T: Real> FlatHeads<T> {
    /// Of a net's heads.
    pub fn new(heads: &desc::FlatHeads, register: &mut Register) -> FlatHeads<T> {
        FlatHeads {
            policy: FlatHead::new("flat_heads.policy", &heads.policy, register),
            value: FlatHead::new("flat_heads.value", &heads.value, register),
        }
    }

    /// Writes policy and value of each board.
    pub fn forward(
        &self,
        tip: &Cells<T>,
        predictions: &mut [Prediction],
        workspace: &mut Workspace<T>,
    ) -> FlatTrace<T> {
        let area = workspace.grid.size.area();
        let (policies, policy) = self.policy.forward(tip, workspace);
        let (values, value) = self.value.forward(tip, workspace);
        let boards = policies.chunks_exact(area + 1).zip(values);
        for (prediction, (policy, value)) in predictions.iter_mut().zip(boards) {
            let value = value.to_f64();
            let logits = policy.iter().map(|logit| logit.to_f64()).collect();
            *prediction = Prediction {
                policy: vec![vec![0.0; area + 1]; 1 + EXTRA_POLICIES],
                // The win probability is the logistic function of 2v, so that win less loss is tanh v.
                value: vec![value, -value, NEVER],
                score: vec![0.0; SCORES],
                ownership: vec![0.0; area],
            };
            prediction.policy[0] = logits;
        }
        FlatTrace { policy, value }
    }

    /// Given the gradients of the outputs; adds to that of the trunk's output.
    pub fn backward(
        &self,
        (trace, tip): (FlatTrace<T>, &Cells<T>),
        predictions: &[Prediction],
        of_tip: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let policy = predictions.iter().flat_map(|it| &it.policy[0]);
        let policy = policy.map(|slope| T::of(*slope)).collect();
        let value = predictions.iter().map(|it| it.value[0] - it.value[1]);
        let value = value.map(T::of).collect();
        self.policy
            .backward((trace.policy, tip), policy, of_tip, gradient, workspace);
        self.value
            .backward((trace.value, tip), value, of_tip, gradient, workspace);
    }
}

impl<T: Real> Layer<T> for FlatHeads<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.policy.load(compute, parameters);
        self.value.load(compute, parameters);
    }
}
