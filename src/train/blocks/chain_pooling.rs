//! Blocks that pool over chains and empty regions.

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer, NormAct};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use crate::nn::desc;
use crate::nn::regions::{Rows, VALUES};

/// See [`desc::ChainPoolingBlock`].
#[derive(Debug)]
pub struct ChainPooling<T: Real> {
    pre: NormAct<T>,
    conv: Conv<T>,
    norm: NormAct<T>,
    conv_out: Conv<T>,
}

/// Intermediate results for the backward pass of [`ChainPooling`].
#[derive(Debug)]
pub struct ChainPoolingTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    u: Cells<T>,
    /// After the first convolution.
    p: Cells<T>,
    /// The same, normalised.
    q: Cells<T>,
    pooled: Cells<T>,
}

impl<T: Real> ChainPoolingTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.stack, self.u, self.p, self.q, self.pooled]);
    }
}

impl<T: Real> ChainPooling<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::ChainPoolingBlock,
        factor: f64,
        register: &mut Register,
    ) -> ChainPooling<T> {
        let name = |layer: &str| format!("{name}.{layer}");
        ChainPooling {
            pre: register.norm(&name("pre"), &block.pre, factor),
            conv: register.conv(&name("conv"), &block.conv),
            norm: register.norm(&name("norm"), &block.norm, 1.0),
            conv_out: register.pooled_conv(&name("conv_out"), &block.conv_out),
        }
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, ChainPoolingTrace<T>) {
        let channels = self.conv.outputs;
        let mut u = workspace.take(self.conv.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let p = self.conv.forward(&u, workspace);
        let mut q = workspace.take(channels);
        self.norm.forward(&p, &mut q, workspace);
        let mut pooled = workspace.take(VALUES * channels);
        let regions = &workspace.regions;
        regions.pool(q.rows(), channels, pooled.rows_mut());
        pooled.clear_between(workspace.grid);
        let sum = self.conv_out.forward_onto(&stack, &pooled, workspace);
        let trace = ChainPoolingTrace {
            stack,
            u,
            p,
            q,
            pooled,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: ChainPoolingTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let channels = self.conv.outputs;
        let ChainPoolingTrace { p, q, pooled, .. } = &trace;
        let of_pooled = self.conv_out.backward(pooled, stack, gradient, workspace);
        let mut of_q = workspace.take(channels);
        let of_pooled_rows: Rows<&[T]> = of_pooled.rows();
        let regions = &workspace.regions;
        regions.pool_back(q.rows(), channels, of_pooled_rows, of_q.rows_mut());
        self.norm.backward(p, &mut of_q, gradient, workspace);
        let mut of_u = self.conv.backward(&trace.u, &of_q, gradient, workspace);
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([of_pooled, of_q, of_u]);
        trace.give_back(workspace);
    }
}

impl<T: Real> Layer<T> for ChainPooling<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv.load(compute, parameters);
        self.norm.load(compute, parameters);
        self.conv_out.load(compute, parameters);
    }
}
