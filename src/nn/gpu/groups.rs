//! Which operations are computed together, by how many kernels, and what these cost.

use std::ops::{Add, Range};

use super::Format;
use super::attention_block::{self, AttentionBlock};
use super::feed_forward::{self, FeedForward};
use super::products::scratch;
use crate::nn::desc::Activation;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Cost, Plan, RmsNorm, Work};

/// Operations that are computed together on boards of this area, one after another.
pub fn groups(plan: &Plan, format: Format, area: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        let attention = AttentionBlock::at(plan, start, format);
        next += if attention.is_some_and(|block| block.fits(area)) {
            attention_block::OPERATIONS
        } else if FeedForward::at(plan, start, format).is_some() {
            feed_forward::OPERATIONS
        } else {
            1
        };
        (start < plan.operations.len()).then_some(start..next)
    })
}

/// Whether a norm only divides the values of a point by their root mean square.
pub fn is_division(norm: &RmsNorm) -> bool {
    let RmsNorm { normed, .. } = norm;
    !norm.is_spatial && normed.norm.is_none() && normed.activation == Activation::Identity
}

/// Number of kernels of a plan on boards of this area.
pub fn launches(plan: &Plan, format: Format, area: usize) -> usize {
    let of_group = |group: Range<usize>| match scratch(&plan.operations[group.start].work) {
        0 => 1,
        _ => 2,
    };
    groups(plan, format, area).map(of_group).sum()
}

/// The cost of each kernel of a group, for a board of this area; values of points have this many bytes.
pub fn costs(plan: &Plan, group: Range<usize>, area: usize, value_bytes: usize) -> Vec<Cost> {
    let operation = &plan.operations[group.start];
    let all = plan.cost(operation, area, value_bytes);
    let of_points = |channels: usize| padded(channels) * area * value_bytes;
    let between = scratch(&operation.work) * area * value_bytes;
    match &operation.work {
        Work::Attention(attention) => {
            let of_pair = attention.heads * (attention.key_width + attention.value_width);
            let attended = Cost {
                multiplications: of_pair * area * area,
                bytes: between + of_points(plan.value(attention.to).channels),
                weights: 0,
            };
            let projected = Cost {
                multiplications: all.multiplications - attended.multiplications,
                bytes: of_points(attention.query.inputs) + between,
                weights: all.weights,
            };
            vec![projected, attended]
        }
        Work::Conv(conv) if conv.pools_chains => {
            let read = of_points(plan.value(conv.input).channels);
            let pooled = Cost {
                bytes: read + between,
                ..Cost::default()
            };
            let multiplied = Cost {
                bytes: all.bytes - read + between,
                ..all
            };
            vec![pooled, multiplied]
        }
        Work::RmsNorm(norm) if group.len() > 1 => {
            let operations = &plan.operations[group];
            let costs = operations.iter();
            let costs = costs.map(|operation| plan.cost(operation, area, value_bytes));
            let written = operations.last().map(|last| last.work.writes());
            let values = [norm.from].into_iter().chain(written.unwrap_or_default());
            vec![Cost {
                bytes: values.map(|id| of_points(plan.value(id).channels)).sum(),
                ..costs.fold(Cost::default(), Cost::add)
            }]
        }
        _ => vec![all],
    }
}
