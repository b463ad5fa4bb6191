//! Nested bottleneck blocks: residual blocks around narrower blocks.

use anyhow::Result;

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer, NormAct};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use super::{Block, Trace, blocks_of, stack_factor};
use crate::nn::desc;

/// Narrower blocks between two convolutions.
#[derive(Debug)]
pub struct Nested<T: Real> {
    pre: NormAct<T>,
    conv_in: Conv<T>,
    blocks: Vec<Block<T>>,
    post: NormAct<T>,
    conv_out: Conv<T>,
}

/// Intermediate results for the backward pass of [`Nested`].
#[derive(Debug)]
pub struct NestedTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    u: Cells<T>,
    blocks: Vec<Trace<T>>,
    /// The inner trunk after its blocks.
    inner: Cells<T>,
    /// The same, normalised.
    v: Cells<T>,
}

impl<T: Real> NestedTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        let blocks = self.blocks.into_iter();
        blocks.for_each(|block| block.give_back(workspace));
        workspace.give([self.stack, self.u, self.inner, self.v]);
    }
}

impl<T: Real> Nested<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::NestedBottleneckBlock,
        factor: f64,
        register: &mut Register,
    ) -> Result<Nested<T>> {
        let name = |layer: &str| format!("{name}.{layer}");
        Ok(Nested {
            pre: register.norm(&name("pre"), &block.pre, factor),
            conv_in: register.conv(&name("conv_in"), &block.conv_in)?,
            blocks: blocks_of(&name("blocks"), &block.blocks, register)?,
            post: register.norm(&name("post"), &block.post, stack_factor(block.blocks.len())),
            conv_out: register.conv(&name("conv_out"), &block.conv_out)?,
        })
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, NestedTrace<T>) {
        let mut u = workspace.take(self.conv_in.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut inner = self.conv_in.forward(&u, workspace);
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let trace;
            (inner, trace) = block.forward(inner, workspace);
            blocks.push(trace);
        }
        let mut v = workspace.take(self.conv_out.inputs);
        self.post.forward(&inner, &mut v, workspace);
        let sum = self.conv_out.forward_onto(&stack, &v, workspace);
        let trace = NestedTrace {
            stack,
            u,
            blocks,
            inner,
            v,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: NestedTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        self.conv_out
            .add_gradient(&trace.v, stack, gradient, workspace);
        let mut of_inner = workspace.take(self.conv_out.inputs);
        self.conv_out
            .backward(stack, &mut of_inner, false, workspace);
        self.post
            .backward(&trace.inner, &mut of_inner, gradient, workspace);
        for (block, trace) in self.blocks.iter().zip(trace.blocks).rev() {
            block.backward(trace, &mut of_inner, gradient, workspace);
        }
        self.conv_in
            .add_gradient(&trace.u, &of_inner, gradient, workspace);
        let mut of_u = workspace.take(self.conv_in.inputs);
        self.conv_in
            .backward(&of_inner, &mut of_u, false, workspace);
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([trace.stack, trace.u, trace.inner, trace.v, of_inner, of_u]);
    }
}

impl<T: Real> Layer<T> for Nested<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv_in.load(compute, parameters);
        for block in &mut self.blocks {
            block.load(compute, parameters);
        }
        self.post.load(compute, parameters);
        self.conv_out.load(compute, parameters);
    }
}
