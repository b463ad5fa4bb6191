//! Residual blocks: two convolutions, and what there is between them.

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer, NormAct};
use super::super::pool::{add_everywhere, sums};
use super::super::pool_branch::{Pool, PoolTrace};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use super::{Block, Trace, blocks_of, stack_factor};
use crate::nn::desc;

/// See [`desc::ResidualParts`].
#[derive(Debug)]
pub struct Residual<T: Real> {
    pre: NormAct<T>,
    conv_in: Conv<T>,
    pool: Option<Pool<T>>,
    blocks: Vec<Block<T>>,
    post: NormAct<T>,
    conv_out: Conv<T>,
}

/// Intermediate results for the backward pass of [`Residual`].
#[derive(Debug)]
pub struct ResidualTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    u: Cells<T>,
    pool: Option<PoolTrace<T>>,
    blocks: Vec<Trace<T>>,
    /// Before the second convolution.
    inner: Cells<T>,
    /// The same, normalised.
    v: Cells<T>,
}

impl<T: Real> ResidualTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        if let Some(pool) = self.pool {
            pool.give_back(workspace);
        }
        let blocks = self.blocks.into_iter();
        blocks.for_each(|block| block.give_back(workspace));
        workspace.give([self.stack, self.u, self.inner, self.v]);
    }
}

impl<T: Real> Residual<T> {
    pub(super) fn new(
        name: &str,
        parts: desc::ResidualParts,
        factor: f64,
        register: &mut Register,
    ) -> Residual<T> {
        let [conv_in, post, conv_out] = parts.names;
        let name = |layer: &str| format!("{name}.{layer}");
        Residual {
            pre: register.norm(&name("pre"), parts.pre, factor),
            conv_in: register.conv(&name(conv_in), parts.conv_in),
            pool: parts.pool.map(|layers| Pool::new(name, layers, register)),
            blocks: blocks_of(&name("blocks"), parts.blocks, register),
            post: register.norm(&name(post), parts.post, stack_factor(parts.blocks.len())),
            conv_out: register.conv(&name(conv_out), parts.conv_out),
        }
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, ResidualTrace<T>) {
        let mut u = workspace.take(self.conv_in.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut inner = self.conv_in.forward(&u, workspace);
        let pool = self.pool.as_ref().map(|pool| {
            let (biases, trace) = pool.forward(&u, workspace);
            add_everywhere(&mut inner, &biases, workspace);
            trace
        });
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let trace;
            (inner, trace) = block.forward(inner, workspace);
            blocks.push(trace);
        }
        let mut v = workspace.take(self.conv_out.inputs);
        self.post.forward(&inner, &mut v, workspace);
        let sum = self.conv_out.forward_onto(&stack, &v, workspace);
        let trace = ResidualTrace {
            stack,
            u,
            pool,
            blocks,
            inner,
            v,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: ResidualTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let mut of_inner = self.conv_out.backward(&trace.v, stack, gradient, workspace);
        self.post
            .backward(&trace.inner, &mut of_inner, gradient, workspace);
        for (block, trace) in self.blocks.iter().zip(trace.blocks).rev() {
            block.backward(trace, &mut of_inner, gradient, workspace);
        }
        let mut of_u = self
            .conv_in
            .backward(&trace.u, &of_inner, gradient, workspace);
        if let (Some(pool), Some(of_pool)) = (&self.pool, trace.pool) {
            let biases = sums(&of_inner, workspace);
            pool.backward((of_pool, &trace.u), &biases, &mut of_u, gradient, workspace);
        }
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([trace.stack, trace.u, trace.inner, trace.v, of_inner, of_u]);
    }
}

impl<T: Real> Layer<T> for Residual<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv_in.load(compute, parameters);
        if let Some(pool) = &mut self.pool {
            pool.load(compute, parameters);
        }
        for block in &mut self.blocks {
            block.load(compute, parameters);
        }
        self.post.load(compute, parameters);
        self.conv_out.load(compute, parameters);
    }
}
