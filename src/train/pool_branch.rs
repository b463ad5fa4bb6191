//! The branch of a block, and of the policy head, that pools over the whole board.

use crate::nn::desc;

use super::cells::{Cells, Workspace};
use super::layers::{Conv, Dense, Layer, NormAct};
use super::pool::{Pooled, pool, pool_back};
use super::real::{Compute, Real};
use super::register::{Axis, Register};
use crate::nn::plan::Third;

/// The pooled half of [`desc::GlobalPoolingBlock`], which the policy head has too.
#[derive(Debug)]
pub struct Pool<T: Real> {
    conv: Conv<T>,
    norm: NormAct<T>,
    /// From pooled values to the bias that is added at every point.
    matrix: Dense<T>,
}

/// Intermediate results for the backward pass of [`Pool`].
#[derive(Debug)]
pub struct PoolTrace<T> {
    p: Cells<T>,
    /// The pooled values, `[board][3 * channel]`.
    pub pooled: Pooled<T>,
}

impl<T: Real> PoolTrace<T> {
    /// Returns all buffers to the workspace.
    pub fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give([self.p]);
    }
}

impl<T: Real> Pool<T> {
    pub fn new(
        name: impl Fn(&str) -> String,
        (conv, norm, matrix): (&desc::Conv, &desc::NormAct, &desc::MatMul),
        register: &mut Register,
    ) -> Pool<T> {
        let axes = [Axis::Pooled, Axis::Channels];
        Pool {
            conv: register.conv(&name("pool_conv"), conv),
            norm: register.norm(&name("pool_norm"), norm, 1.0),
            matrix: register.dense(&name("pool_matmul"), (matrix.shape(), axes), None),
        }
    }

    /// Values to add at every point, `[board][channel]`.
    pub fn forward(&self, u: &Cells<T>, workspace: &mut Workspace<T>) -> (Vec<T>, PoolTrace<T>) {
        let p = self.conv.forward(u, workspace);
        let mut normed = workspace.take(self.conv.outputs);
        self.norm.forward(&p, &mut normed, workspace);
        let pooled = pool(&normed, Third::Maximum, workspace);
        workspace.give([normed]);
        let biases = self.matrix.forward(&pooled.values);
        (biases, PoolTrace { p, pooled })
    }

    /// Given the gradient of the bias; adds to that of `u`.
    pub fn backward(
        &self,
        (trace, u): (PoolTrace<T>, &Cells<T>),
        biases: &[T],
        of_u: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let of_pooled = self.of_pooled(&trace, biases, gradient);
        self.backward_from((trace, u), &of_pooled, of_u, gradient, workspace);
    }

    /// The gradient of the pooled values, given that of the bias.
    pub fn of_pooled(&self, trace: &PoolTrace<T>, biases: &[T], gradient: &mut [T]) -> Vec<T> {
        self.matrix.backward(&trace.pooled.values, biases, gradient)
    }

    /// Given the gradient of the pooled values; adds to that of `u`.
    pub fn backward_from(
        &self,
        (trace, u): (PoolTrace<T>, &Cells<T>),
        of_pooled: &[T],
        of_u: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let mut of_p = workspace.take(self.conv.outputs);
        of_p.clear();
        pool_back(
            &trace.pooled,
            of_pooled,
            Third::Maximum,
            &mut of_p,
            workspace,
        );
        self.norm.backward(&trace.p, &mut of_p, gradient, workspace);
        self.conv
            .backward_onto(u, &of_p, (of_u, true), gradient, workspace);
        workspace.give([trace.p, of_p]);
    }
}

impl<T: Real> Layer<T> for Pool<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.conv.load(compute, parameters);
        self.norm.load(compute, parameters);
        self.matrix.load(compute, parameters);
    }
}
