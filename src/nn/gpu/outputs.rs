//! Outputs of a batch as they are downloaded.

use rayon::prelude::*;

use super::inputs::MANY_BOARDS;
use super::layout::Layout;
use crate::go::BoardSize;
use crate::nn::output::RawOutput;
use crate::nn::plan::{Extent, Plan, ValueId};

/// The first boards of a batch.
pub fn read(
    plan: &Plan,
    layout: &Layout,
    size: BoardSize,
    boards: usize,
    bytes: &[u8],
) -> Vec<RawOutput> {
    let part = |id: ValueId, board: usize| {
        let value = plan.value(id);
        let points = match value.extent {
            Extent::Maps => size.area(),
            _ => 1,
        };
        let len = value.channels * points;
        let start = layout.of(id) - layout.outputs + board * len * size_of::<f32>();
        floats(&bytes[start..][..len * size_of::<f32>()])
    };
    let of_board = |board: usize| plan.outputs.raw(|id| part(id, board));
    if boards < MANY_BOARDS {
        (0..boards).map(of_board).collect()
    } else {
        (0..boards).into_par_iter().map(of_board).collect()
    }
}

/// Numbers as they lie in memory.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let (values, _) = bytes.as_chunks::<4>();
    values
        .iter()
        .map(|&bytes| f32::from_ne_bytes(bytes))
        .collect()
}
