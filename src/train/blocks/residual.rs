//! Residual blocks of two convolutions.

use anyhow::Result;

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer, NormAct};
use super::super::pool::{add_everywhere, sums};
use super::super::pool_branch::{Pool, PoolTrace};
use super::super::real::{Compute, Real};
use super::super::register::Register;
use crate::nn::desc;

/// Two convolutions, with globally pooled values added between them if there is a pool.
#[derive(Debug)]
pub struct Residual<T: Real> {
    pre: NormAct<T>,
    conv_a: Conv<T>,
    pool: Option<Pool<T>>,
    mid: NormAct<T>,
    conv_b: Conv<T>,
}

/// Intermediate results for the backward pass of [`Residual`].
#[derive(Debug)]
pub struct ResidualTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    u: Cells<T>,
    pool: Option<PoolTrace<T>>,
    /// Between the convolutions.
    a: Cells<T>,
    /// The same, normalised.
    v: Cells<T>,
}

impl<T: Real> ResidualTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        if let Some(pool) = self.pool {
            pool.give_back(workspace);
        }
        workspace.give([self.stack, self.u, self.a, self.v]);
    }
}

impl<T: Real> Residual<T> {
    pub(super) fn new(
        name: &str,
        (pre, factor, mid): (&desc::NormAct, f64, &desc::NormAct),
        (conv_a, conv_b): (&desc::Conv, &desc::Conv),
        pool: Option<&desc::GlobalPoolingBlock>,
        register: &mut Register,
    ) -> Result<Residual<T>> {
        let name = |layer: &str| format!("{name}.{layer}");
        Ok(Residual {
            pre: register.norm(&name("pre"), pre, factor),
            conv_a: register.conv(&name("conv_a"), conv_a)?,
            pool: match pool {
                Some(block) => {
                    let layers = (&block.pool_conv, &block.pool_norm, &block.pool_matmul);
                    Some(Pool::new(name, layers, register)?)
                }
                None => None,
            },
            mid: register.norm(&name("mid"), mid, 1.0),
            conv_b: register.conv(&name("conv_b"), conv_b)?,
        })
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, ResidualTrace<T>) {
        let mut u = workspace.take(self.conv_a.inputs);
        self.pre.forward(&stack, &mut u, workspace);
        let mut a = self.conv_a.forward(&u, workspace);
        let pool = self.pool.as_ref().map(|pool| {
            let (biases, trace) = pool.forward(&u, workspace);
            add_everywhere(&mut a, &biases, workspace);
            trace
        });
        let mut v = workspace.take(self.conv_b.inputs);
        self.mid.forward(&a, &mut v, workspace);
        let sum = self.conv_b.forward_onto(&stack, &v, workspace);
        let trace = ResidualTrace {
            stack,
            u,
            pool,
            a,
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
        self.conv_b
            .add_gradient(&trace.v, stack, gradient, workspace);
        let mut of_a = workspace.take(self.conv_b.inputs);
        self.conv_b.backward(stack, &mut of_a, false, workspace);
        self.mid.backward(&trace.a, &mut of_a, gradient, workspace);
        self.conv_a
            .add_gradient(&trace.u, &of_a, gradient, workspace);
        let mut of_u = workspace.take(self.conv_a.inputs);
        self.conv_a.backward(&of_a, &mut of_u, false, workspace);
        if let (Some(pool), Some(of_pool)) = (&self.pool, trace.pool) {
            let biases = sums(&of_a, workspace);
            pool.backward((of_pool, &trace.u), &biases, &mut of_u, gradient, workspace);
        }
        self.pre
            .backward(&trace.stack, &mut of_u, gradient, workspace);
        stack.add(&of_u);
        workspace.give([trace.stack, trace.u, trace.a, trace.v, of_a, of_u]);
    }
}

impl<T: Real> Layer<T> for Residual<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.pre.load(compute, parameters);
        self.conv_a.load(compute, parameters);
        if let Some(pool) = &mut self.pool {
            pool.load(compute, parameters);
        }
        self.mid.load(compute, parameters);
        self.conv_b.load(compute, parameters);
    }
}
