//! The matrix products of operations, as convolutions.

use super::attention::{Columns, projection};
use crate::nn::desc::{self, MatMul};
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Gated, Plan, Work};

/// Columns of a matrix of a gated layer that lie side by side, as in `gated.cuh`.
const PACK: usize = 8;

/// Products whose weights are put together from several matrices, by operation.
#[derive(Debug)]
pub struct Products(Vec<Option<desc::Conv>>);

impl Products {
    /// Of all operations.
    pub fn new(plan: &Plan) -> Products {
        let merged = |work: &Work| match work {
            Work::Attention(attention) => Some(projection(attention)),
            Work::Gated(gated) => Some(alternating(gated)),
            _ => None,
        };
        let operations = plan.operations.iter();
        Products(
            operations
                .map(|operation| merged(&operation.work))
                .collect(),
        )
    }

    /// Of an operation, if it has one on all points.
    pub fn of<'a>(&'a self, plan: &'a Plan, index: usize) -> Option<&'a desc::Conv> {
        match &plan.operations[index].work {
            Work::Conv(conv) => Some(&conv.kernel),
            _ => self.0[index].as_ref(),
        }
    }
}

/// Both matrices of a gated layer, eight columns of each in turn.
fn alternating(gated: &Gated) -> desc::Conv {
    let Gated { inner, gate, .. } = gated;
    let outputs = 2 * padded(inner.outputs);
    let mut weights = vec![0.0; inner.inputs * outputs];
    let mut place = |matrix: &MatMul, first: usize| {
        let rows = matrix.weights.chunks_exact(matrix.outputs);
        for (row, to) in rows.zip(weights.chunks_exact_mut(outputs)) {
            for (pack, to) in row.chunks(PACK).zip(to.chunks_exact_mut(2 * PACK)) {
                to[first..][..pack.len()].copy_from_slice(pack);
            }
        }
    };
    place(inner, 0);
    place(gate, PACK);
    desc::Conv {
        name: inner.name.clone(),
        kernel_height: 1,
        kernel_width: 1,
        inputs: inner.inputs,
        outputs,
        weights,
    }
}

/// Channels of points that an operation keeps between its kernels.
pub fn scratch(work: &Work) -> usize {
    match work {
        Work::Attention(attention) => padded(Columns::of(attention).all),
        Work::Conv(conv) if conv.pools_chains => padded(conv.kernel.inputs),
        _ => 0,
    }
}
