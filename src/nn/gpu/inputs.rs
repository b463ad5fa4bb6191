//! Inputs of a batch as they are uploaded.

use anyhow::Result;
use rayon::prelude::*;

use super::layout::Layout;
use crate::go::BoardSize;
use crate::nn::features::InputBatch;
use crate::nn::plan::Plan;
use crate::nn::regions::Regions;

/// Planes of a point that fit into a word.
const BITS: usize = 32;
/// Marks the first point of a region, as in `chains.cuh`.
const REGION_START: u16 = 1 << 15;
/// Boards from which on several threads work.
pub const MANY_BOARDS: usize = 16;

/// Inputs that have been checked.
pub struct Checked<'a> {
    /// The inputs.
    pub batch: &'a InputBatch,
    /// Number of boards.
    pub boards: usize,
    planes: usize,
}

impl Checked<'_> {
    /// Refuses inputs of another network.
    pub fn new<'a>(plan: &Plan, batch: &'a InputBatch) -> Result<Checked<'a>> {
        let boards = plan.boards(batch)?;
        Ok(Checked {
            batch,
            boards,
            planes: plan.inputs.planes,
        })
    }

    /// Writes inputs of boards from `first` on, `count` of them, and returns the number of bytes to upload:
    /// fewer if planes are only 0 and 1, which are packed.
    pub fn write(
        &self,
        plan: &Plan,
        layout: &Layout,
        (first, count): (usize, usize),
        to: &mut [u8],
    ) -> usize {
        for (id, all) in plan.board_inputs(self.batch) {
            let channels = plan.value(id).channels;
            let part = &all[first * channels..][..count * channels];
            copy(part, &mut to[layout.of(id)..]);
        }
        let of_board = self.batch.size.area() * self.planes;
        let planes = &self.batch.spatial[first * of_board..][..count * of_board];
        let (head, rest) = to.split_at_mut(layout.planes);
        if plan.pools_chains() {
            let bytes = count * self.batch.size.area() * size_of::<u16>();
            let lists = &mut head[layout.regions..][..bytes];
            list_regions(planes, (self.planes, self.batch.size), lists);
        }
        layout.planes + write_planes(planes, self.planes, head, rest)
    }
}

/// Writes planes `[point][plane]`, packed if they are only 0 and 1, and in the first word of `head` whether they
/// are. Returns the number of bytes.
pub fn write_planes(values: &[f32], planes: usize, head: &mut [u8], to: &mut [u8]) -> usize {
    let words = values.len() / planes * size_of::<u32>();
    let is_packed = planes <= BITS && pack(values, planes, &mut to[..words]);
    head[..4].copy_from_slice(&u32::from(is_packed).to_ne_bytes());
    if is_packed {
        return words;
    }
    copy(values, to);
    size_of_val(values)
}

/// The points of each board by region; [`REGION_START`] is added to the first of each region.
pub fn list_regions(planes: &[f32], (count, size): (usize, BoardSize), to: &mut [u8]) {
    let area = size.area();
    let list = |(planes, list): (&[f32], &mut [u8])| {
        let regions = Regions::new(planes, count, size);
        let (words, _) = list.as_chunks_mut::<2>();
        let points = regions.iter().flat_map(|points| {
            let start = |index: usize| if index == 0 { REGION_START } else { 0 };
            let points = points.iter().enumerate();
            points.map(move |(index, &point)| point as u16 + start(index))
        });
        for (word, point) in words.iter_mut().zip(points) {
            *word = point.to_ne_bytes();
        }
    };
    let (of_board, of_list) = (area * count, area * size_of::<u16>());
    if planes.len() < MANY_BOARDS * of_board {
        let boards = planes.chunks(of_board).zip(to.chunks_mut(of_list));
        return boards.for_each(list);
    }
    let boards = planes.par_chunks(of_board);
    boards.zip(to.par_chunks_mut(of_list)).for_each(list);
}

/// The same for a board without stones.
pub fn list_empty_board(to: &mut [[u8; 2]]) {
    for (point, word) in to.iter_mut().enumerate() {
        let start = if point == 0 { REGION_START } else { 0 };
        *word = (point as u16 + start).to_ne_bytes();
    }
}

/// Writes values as bytes.
pub fn copy(values: &[f32], to: &mut [u8]) {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    to[..bytes.len()].copy_from_slice(bytes);
}

/// A word for each point with a bit for each plane; false if a value is neither 0 nor 1.
fn pack(planes: &[f32], count: usize, to: &mut [u8]) -> bool {
    const PART: usize = MANY_BOARDS * 256;
    let pack_part = |(points, words): (&[f32], &mut [u8])| match count {
        22 => pack_points::<22>(points, words),
        13 => pack_points::<13>(points, words),
        _ => pack_any(points, count, words),
    };
    if planes.len() < PART * count {
        return pack_part((planes, to));
    }
    let parts = planes.par_chunks(PART * count);
    parts.zip(to.par_chunks_mut(PART * 4)).all(pack_part)
}

const ONE: u32 = 1.0f32.to_bits();

/// For a number of planes that is known to the compiler.
fn pack_points<const PLANES: usize>(points: &[f32], words: &mut [u8]) -> bool {
    let (points, _) = points.as_chunks::<PLANES>();
    let (words, _) = words.as_chunks_mut::<4>();
    let mut others = 0;
    for (point, word) in points.iter().zip(words) {
        let (mut packed, mut differences) = (0, 0);
        for (plane, value) in point.iter().enumerate() {
            let bits = value.to_bits();
            packed |= if bits == 0 { 0 } else { 1u32 << plane };
            differences |= if bits == 0 { 0 } else { bits ^ ONE };
        }
        others |= differences;
        *word = packed.to_ne_bytes();
    }
    others == 0
}

fn pack_any(points: &[f32], planes: usize, words: &mut [u8]) -> bool {
    let (words, _) = words.as_chunks_mut::<4>();
    let mut others = false;
    for (point, word) in points.chunks_exact(planes).zip(words) {
        let mut packed = 0u32;
        for (plane, value) in point.iter().enumerate() {
            packed |= u32::from(*value != 0.0) << plane;
            others |= value.to_bits() != 0 && *value != 1.0;
        }
        *word = packed.to_ne_bytes();
    }
    !others
}
