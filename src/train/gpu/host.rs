//! What passes between the host and the device.

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::layout::Layout;
use super::tape::{Extent, Id, Tape};
use crate::data::batch::Batch;
use crate::nn::features::PLANES;
use crate::nn::gpu::inputs::{copy, list_empty_board, list_regions, write_planes};
use crate::train::outputs::Outputs;

/// Gradients that a task writes.
const PART: usize = 1 << 16;

/// Writes the inputs of a batch, and returns the number of bytes. Boards beyond it are empty, since what is
/// computed of them must be numbers.
pub fn write_inputs(
    (tape, layout): (&Tape, &Layout),
    (batch, boards): (&Batch, usize),
    to: &mut [u8],
) -> usize {
    to[..layout.planes].fill(0);
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
    let (head, rest) = to.split_at_mut(layout.planes);
    let written = write_planes(&planes, tape.planes, head, rest);
    let all = written / batch.len().max(1) * boards;
    rest[written..all].fill(0);
    layout.planes + all
}

pub fn read_outputs<'a>(
    tape: &Tape,
    layout: &Layout,
    batch: &Batch,
    bytes: &'a [u8],
) -> Result<Outputs<&'a [f32]>> {
    let area = batch.size.area();
    let of = |index: usize| {
        let id = *tape.outputs.get(index)?;
        let values = values_of_board(tape, id, area) * batch.len();
        let start = layout.of(id) - layout.outputs;
        let bytes = &bytes[start..][..values * size_of::<f32>()];
        bytemuck::try_cast_slice(bytes).ok()
    };
    let mut found = Outputs::<&[f32]>::default();
    for (index, values) in found.iter_mut().enumerate() {
        *values = of(index).context("outputs are not aligned")?;
    }
    Ok(found)
}

/// Writes gradients of outputs, times a factor, and zeros for boards beyond them.
pub fn write_gradients(
    (tape, layout): (&Tape, &Layout),
    (values, factor): (&Outputs<Vec<f32>>, f32),
    to: &mut [u8],
) {
    let mut written = 0;
    for (id, values) in tape.outputs.iter().zip(values) {
        let start = layout.gradient(*id) - layout.of_outputs;
        to[written..start].fill(0);
        let (words, _) = to[start..][..size_of_val(&values[..])].as_chunks_mut::<4>();
        let parts = words.par_chunks_mut(PART).zip(values.par_chunks(PART));
        parts.for_each(|(words, values)| {
            for (word, value) in words.iter_mut().zip(values) {
                *word = (value * factor).to_ne_bytes();
            }
        });
        written = start + size_of_val(&values[..]);
    }
    to[written..].fill(0);
}

/// Numbers of an output for a board.
fn values_of_board(tape: &Tape, id: Id, area: usize) -> usize {
    let value = tape.value(id);
    match value.extent {
        Extent::Maps => value.channels * area,
        _ => value.channels,
    }
}
