//! Self-attention over all points of a board.

mod head;
mod rotation;

use super::super::cells::{Cells, Workspace};
use super::super::layers::{Conv, Layer};
use super::super::matrix::Matrix;
use super::super::real::{Compute, Real};
use super::super::register::Register;
use super::super::rms::RmsNorm;
use crate::nn::desc;
use head::{Board, Head, Products};
use rotation::Rotation;

/// See [`desc::AttentionBlock`]. Learned rotary angles are not trained.
#[derive(Debug)]
pub struct Attention<T: Real> {
    norm: RmsNorm<T>,
    /// Projections to queries, keys and values.
    inner: [Conv<T>; 3],
    output: Conv<T>,
    rotation: Option<Rotation<T>>,
    heads: Vec<Head>,
}

/// Intermediate results for the backward pass of [`Attention`].
#[derive(Debug)]
pub struct AttentionTrace<T> {
    stack: Cells<T>,
    /// The normalised trunk.
    z: Cells<T>,
    products: Products<T>,
    /// Outputs of all heads, concatenated.
    attended: Cells<T>,
    /// Attention weights by board and head.
    weights: Vec<Matrix<T>>,
}

impl<T: Real> AttentionTrace<T> {
    pub(super) fn give_back(self, workspace: &mut Workspace<T>) {
        workspace.give(self.products);
        workspace.give([self.stack, self.z, self.attended]);
        workspace.give_matrices(self.weights);
    }
}

impl<T: Real> Attention<T> {
    pub(super) fn new(
        name: &str,
        block: &desc::AttentionBlock,
        register: &mut Register,
    ) -> Attention<T> {
        let name = |layer: &str| format!("{name}.{layer}");
        let rotation = block.rope.as_ref().map(|rope| {
            let frequencies = rope.frequencies(block.kv_heads, block.key_width);
            Rotation::new(&frequencies, block.key_width / 2)
        });
        Attention {
            norm: register.rms_norm(&name("norm"), &block.norm),
            inner: [
                register.matrix(&name("query"), &block.query),
                register.matrix(&name("key"), &block.key),
                register.matrix(&name("value"), &block.value),
            ],
            output: register.matrix(&name("output"), &block.output),
            rotation,
            heads: Head::all(block),
        }
    }

    fn heads(&self, boards: usize) -> impl Iterator<Item = (Board<'_, T>, &Head)> {
        let rotation = self.rotation.as_ref();
        let boards = (0..boards).map(move |number| Board { number, rotation });
        boards.flat_map(|board| self.heads.iter().map(move |head| (board, head)))
    }

    pub(super) fn forward(
        &self,
        stack: Cells<T>,
        workspace: &mut Workspace<T>,
    ) -> (Cells<T>, AttentionTrace<T>) {
        let mut z = workspace.take(stack.channels());
        self.norm.forward(&stack, &mut z, workspace);
        let products = self
            .inner
            .each_ref()
            .map(|matrix| matrix.forward(&z, workspace));
        let mut attended = workspace.take(self.output.inputs);
        attended.clear();
        let heads = self.heads(workspace.grid.boards);
        let weights = heads
            .map(|(board, head)| head.attend(board, &products, &mut attended, workspace))
            .collect();
        let sum = self.output.forward_onto(&stack, &attended, workspace);
        let trace = AttentionTrace {
            stack,
            z,
            products,
            attended,
            weights,
        };
        (sum, trace)
    }

    pub(super) fn backward(
        &self,
        trace: AttentionTrace<T>,
        stack: &mut Cells<T>,
        gradient: &mut [T],
        workspace: &mut Workspace<T>,
    ) {
        let of_attended = self
            .output
            .backward(&trace.attended, stack, gradient, workspace);
        let mut of_products = self.inner.each_ref().map(|matrix| {
            let mut of_product = workspace.take(matrix.outputs);
            of_product.clear();
            of_product
        });
        let heads = self.heads(workspace.grid.boards);
        for ((board, head), weights) in heads.zip(&trace.weights) {
            let forward = (&trace.products, weights);
            head.attend_backward(board, forward, &of_attended, &mut of_products, workspace);
        }
        let mut of_z = workspace.take(trace.z.channels());
        for (index, (matrix, of_product)) in self.inner.iter().zip(&of_products).enumerate() {
            let to = (&mut of_z, index > 0);
            matrix.backward_onto(&trace.z, of_product, to, gradient, workspace);
        }
        self.norm
            .backward(&trace.stack, &mut of_z, gradient, workspace);
        stack.add(&of_z);
        workspace.give(of_products);
        workspace.give([of_attended, of_z]);
        trace.give_back(workspace);
    }
}

impl<T: Real> Layer<T> for Attention<T> {
    fn load(&mut self, compute: Compute, parameters: &[T]) {
        self.norm.load(compute, parameters);
        for matrix in &mut self.inner {
            matrix.load(compute, parameters);
        }
        self.output.load(compute, parameters);
    }
}
