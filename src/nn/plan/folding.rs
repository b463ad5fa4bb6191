//! Norms merged into weights.

use super::{Bias, Conv, Dense, Plan, ValueId, Work};
use crate::nn::desc::Activation;

impl Plan {
    /// Merges norms into the convolutions before them: those between the convolutions of a residual
    /// block. (GPUs do without it: there a norm costs nothing, and weights are rounded as they are.)
    pub fn fold_norms(&mut self) {
        for index in 0..self.operations.len() {
            let Work::Conv(conv) = &self.operations[index].work else {
                continue;
            };
            let writer = match conv.bias {
                _ if !self.is_inner(conv) => continue,
                None => None,
                Some(Bias::Constant(_)) => continue,
                Some(Bias::Boards(id)) => match self.product_for(id) {
                    None => continue,
                    writer => writer,
                },
            };
            self.fold(index, writer);
        }
    }

    /// Whether only the last convolution of a residual block reads the results, activated.
    fn is_inner(&self, conv: &Conv) -> bool {
        let Some(normed) = &conv.normed else {
            return false;
        };
        let ends_block = |index: usize| match &self.operations[index].work {
            Work::Conv(reader) => reader.residual.is_some() && !reader.pools_chains,
            _ => false,
        };
        conv.raw.is_none() && conv.residual.is_none() && self.readers(normed.to).all(ends_block)
    }

    /// The operation that computes a value of boards, if that is a product alone which one operation
    /// reads.
    fn product_for(&self, id: ValueId) -> Option<usize> {
        let is_product = |dense: &Dense| {
            let is_linear = dense.activation == Activation::Identity;
            dense.to == id && is_linear && dense.bias.is_none() && dense.plus.is_none()
        };
        let mut operations = self.operations.iter();
        let found = operations.position(
            |operation| matches!(&operation.work, Work::Dense(dense) if is_product(dense)),
        );
        found.filter(|_| self.readers(id).count() == 1)
    }

    /// Merges the norm of a convolution, also into the product that is its bias.
    fn fold(&mut self, index: usize, writer: Option<usize>) {
        let Work::Conv(conv) = &mut self.operations[index].work else {
            return;
        };
        let norm = conv.normed.as_mut().and_then(|normed| normed.norm.take());
        let Some(norm) = norm else {
            return;
        };
        conv.scale = Some(norm.scale.clone());
        let Some(writer) = writer else {
            conv.bias = Some(Bias::Constant(norm.bias));
            return;
        };
        if let Work::Dense(dense) = &mut self.operations[writer].work {
            for row in dense.matrix.weights.chunks_exact_mut(norm.scale.len()) {
                let row = row.iter_mut().zip(&norm.scale);
                row.for_each(|(weight, scale)| *weight *= scale);
            }
            dense.bias = Some(norm.bias);
        }
    }
}
