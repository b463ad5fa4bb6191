//! What passes from the host to the device.

use super::layout::Layout;
use super::tape::Tape;
use crate::data::batch::Batch;
use crate::nn::features::PLANES;
use crate::nn::gpu::inputs::{copy, list_empty_board, list_regions, write_planes};

/// Writes inputs and targets of a batch, and returns the number of bytes. Boards beyond it are empty, since what is
/// computed of them must be numbers.
pub fn write_inputs(
    (tape, layout): (&Tape, &Layout),
    (batch, boards): (&Batch, usize),
    to: &mut [u8],
) -> usize {
    to[..layout.targets.samples].fill(0);
    if let Some(id) = tape.globals {
        copy(&batch.inputs.global, &mut to[layout.of(id)..]);
    }
    let area = batch.size.area();
    let planes = batch.inputs.spatial.chunks_exact(area * tape.planes);
    let planes: Vec<&[f32]> = planes.collect();
    if tape.pools_chains {
        let lists = to[layout.regions..].split_at_mut(batch.len() * area * size_of::<u16>());
        list_regions(&planes, (PLANES, batch.size), lists.0);
        let (words, _) =
            lists.1[..(boards - batch.len()) * area * size_of::<u16>()].as_chunks_mut::<2>();
        words.chunks_mut(area).for_each(list_empty_board);
    }
    layout.targets.write(batch, boards, to);
    let (head, rest) = to.split_at_mut(layout.planes);
    let written = write_planes(&planes, tape.planes, head, rest);
    let all = written / batch.len().max(1) * boards;
    rest[written..all].fill(0);
    layout.planes + all
}
