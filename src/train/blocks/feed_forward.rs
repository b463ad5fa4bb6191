//! Gated feed-forward layers, applied to each point.

use super::super::activation::{slope, value};
use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use super::super::rms::RmsNorm;
use crate::nn::desc::{self, Activation};

/// See [`desc::FeedForwardBlock`].
#[derive(Debug)]
pub struct FeedForward<T: Real> {
    norm: RmsNorm<T>,
    inner: Conv<T>,
    gate: Conv<T>,
    output: Conv<T>,
}

/// Intermediate results for the backward pass of [`FeedForward`].
#[derive(Debug)]
pub struct FeedForwardTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    z: Cells<T>,
    /// Before the activation.
    inner: Cells<T>,
    gate: Cells<T>,
    hidden: Cells<T>,
}

impl<T: Real> FeedForwardTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.stack, self.z, self.inner, self.gate, self.hidden]);
    }
}

impl<T: Real> FeedForward<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::FeedForwardBlock,
        register: &mut Register,
    ) -> FeedForward<T> {
        let name = |layer: &str| format!("{name}.{layer}");
        FeedForward {
            norm: register.rms_norm(&name("norm"), &block.norm),
            inner: register.matrix(&name("inner"), &block.inner),
            gate: register.matrix(&name("gate"), &block.gate),
            output: register.matrix(&name("output"), &block.output),
        }
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, FeedForwardTrace<T>) {
        let mut z = workspace.take(stack.channels());
        self.norm.forward(&stack, &mut z, workspace);
        let inner = self.inner.forward(&z, workspace);
        let gate = self.gate.forward(&z, workspace);
        let mut hidden = workspace.take(self.output.inputs);
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        hidden.clear_between(grid);
        for (_, first) in grid.lines() {
            let products = inner.line(first, width).zip(gate.line(first, width));
            for ((inner, gate), hidden) in products.zip(hidden.line_mut(first, width)) {
                for ((inner, gate), hidden) in inner.iter().zip(gate).zip(hidden) {
                    *hidden = value(Activation::Silu, *inner) * *gate;
                }
            }
        }
        let sum = self.output.forward_onto(&stack, &hidden, workspace);
        let trace = FeedForwardTrace {
            stack,
            z,
            inner,
            gate,
            hidden,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: FeedForwardTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        // Gradient of the hidden layer, then of its activated half.
        let mut of_inner = self
            .output
            .backward(&trace.hidden, stack, gradient, workspace);
        let mut of_gate = workspace.take(self.output.inputs);
        let (grid, width) = (workspace.grid, workspace.grid.size.width());
        for (_, first) in grid.lines() {
            let products = trace
                .inner
                .line(first, width)
                .zip(trace.gate.line(first, width));
            let gradients = of_inner
                .line_mut(first, width)
                .zip(of_gate.line_mut(first, width));
            for ((inner, gate), (of_inner, of_gate)) in products.zip(gradients) {
                let products = inner.iter().zip(gate);
                for ((inner, gate), (of_inner, of_gate)) in
                    products.zip(of_inner.iter_mut().zip(of_gate))
                {
                    *of_gate = *of_inner * value(Activation::Silu, *inner);
                    *of_inner = *of_inner * *gate * slope(Activation::Silu, *inner);
                }
            }
        }
        let mut of_z = workspace.take(trace.z.channels());
        let products = [(&self.inner, &mut of_inner), (&self.gate, &mut of_gate)];
        for (index, (matrix, of_product)) in products.into_iter().enumerate() {
            of_product.clear_between(grid);
            let to = (&mut of_z, index > 0);
            matrix.backward_onto(&trace.z, of_product, to, gradient, workspace);
        }
        self.norm
            .backward(&trace.stack, &mut of_z, gradient, workspace);
        stack.add(&of_z);
        workspace.give([of_inner, of_gate, of_z]);
        trace.give_back(workspace);
    }
}

impl<T: Real> Layer<T> for FeedForward<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.norm.load(compute, parameters);
        for matrix in [&mut self.inner, &mut self.gate, &mut self.output] {
            matrix.load(compute, parameters);
        }
    }
}
