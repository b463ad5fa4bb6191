//! Inputs of a batch as they are uploaded.

use anyhow::{Context, Result, ensure};
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

/// Inputs that have been checked: of parts with boards of one size, which are not copied together.
pub struct Checked<'a> {
    parts: &'a [&'a InputBatch],
    /// Of all boards.
    pub size: BoardSize,
    /// Number of boards.
    pub boards: usize,
    planes: usize,
}

impl<'a> Checked<'a> {
    /// Of at least one part. Refuses inputs of another network.
    pub fn new(plan: &Plan, parts: &'a [&'a InputBatch]) -> Result<Checked<'a>> {
        let size = parts.first().context("no inputs")?.size;
        ensure!(
            parts.iter().all(|part| part.size == size),
            "boards of several sizes in a batch"
        );
        let boards: Result<Vec<usize>> = parts
            .iter()
            .map(|part| plan.inputs.shape.boards(part))
            .collect();
        Ok(Checked {
            parts,
            size,
            boards: boards?.iter().sum(),
            planes: plan.inputs.shape.planes,
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
        let of_board = self.size.area() * self.planes;
        let all = self.parts.iter().flat_map(|part| {
            let boards = part.spatial.chunks_exact(of_board).enumerate();
            boards.map(move |(board, planes)| (*part, board, planes))
        });
        let mut boards: Vec<&[f32]> = Vec::with_capacity(count);
        for (number, (part, board, planes)) in all.skip(first).take(count).enumerate() {
            for (id, values) in plan.board_inputs(part) {
                let channels = plan.value(id).channels;
                let place = layout.of(id) + number * channels * size_of::<f32>();
                copy(&values[board * channels..][..channels], &mut to[place..]);
            }
            boards.push(planes);
        }
        let (head, rest) = to.split_at_mut(layout.planes);
        if plan.pools_chains() {
            let bytes = count * self.size.area() * size_of::<u16>();
            let lists = &mut head[layout.regions..][..bytes];
            list_regions(&boards, (self.planes, self.size), lists);
        }
        layout.planes + write_planes(&boards, self.planes, head, rest)
    }
}

/// Writes planes `[point][plane]` of each board, packed if they are only 0 and 1, and in the first word of `head`
/// whether they are. Returns the number of bytes.
pub fn write_planes(boards: &[&[f32]], planes: usize, head: &mut [u8], to: &mut [u8]) -> usize {
    let values: usize = boards.iter().map(|values| values.len()).sum();
    let words = values / planes * size_of::<u32>();
    let is_packed = planes <= BITS && pack(boards, planes, &mut to[..words]);
    head[..4].copy_from_slice(&u32::from(is_packed).to_ne_bytes());
    if is_packed {
        return words;
    }
    let mut written = 0;
    for values in boards {
        copy(values, &mut to[written..]);
        written += size_of_val(*values);
    }
    written
}

/// The points of each board by region; [`REGION_START`] is added to the first of each region.
pub fn list_regions(boards: &[&[f32]], (count, size): (usize, BoardSize), to: &mut [u8]) {
    let list = |(planes, list): (&&[f32], &mut [u8])| {
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
    let of_list = size.area() * size_of::<u16>();
    if boards.len() < MANY_BOARDS {
        return boards.iter().zip(to.chunks_mut(of_list)).for_each(list);
    }
    let lists = to.par_chunks_mut(of_list);
    boards.par_iter().zip(lists).for_each(list);
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
fn pack(boards: &[&[f32]], planes: usize, to: &mut [u8]) -> bool {
    let Some(first) = boards.first() else {
        return true;
    };
    let of_board = first.len() / planes * size_of::<u32>();
    let pack_board = |(points, words): (&&[f32], &mut [u8])| match planes {
        22 => pack_points::<22>(points, words),
        13 => pack_points::<13>(points, words),
        _ => pack_any(points, planes, words),
    };
    if boards.len() < MANY_BOARDS {
        return boards.iter().zip(to.chunks_mut(of_board)).all(pack_board);
    }
    let boards = boards.par_iter().with_min_len(MANY_BOARDS);
    boards.zip(to.par_chunks_mut(of_board)).all(pack_board)
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
