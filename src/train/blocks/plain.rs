//! Blocks of one convolution, without a residual connection.

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer, NormAct};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use crate::nn::desc;

#[derive(Debug)]
pub struct Plain<T: Real> {
    pre: NormAct<T>,
    conv: Conv<T>,
}

/// Intermediate results for the backward pass of [`Plain`].
#[derive(Debug)]
pub struct PlainTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    u: Cells<T>,
}

impl<T: Real> PlainTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.stack, self.u]);
    }
}

impl<T: Real> Plain<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::PlainBlock,
        factor: f64,
        register: &mut Register,
    ) -> Plain<T> {
        Plain {
            pre: register.norm(&format!("{name}.pre"), &block.pre, factor),
            conv: register.conv(&format!("{name}.conv"), &block.conv),
        }
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, PlainTrace<T>) {
        let mut u = workspace.take(self.conv.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let after = self.conv.forward(&u, workspace);
        (after, PlainTrace { stack, u })
    }

    pub(super) fn backward(
        &self,
        trace: PlainTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let mut of_u = self.conv.backward(&trace.u, stack, gradient, workspace);
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        let after = std::mem::replace(stack, of_u);
        workspace.give([trace.stack, trace.u, after]);
    }
}

impl<T: Real> Layer<T> for Plain<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv.load(compute, parameters);
    }
}
