//! Multi-head self-attention over board points, between its projections and the matrix after it; and the
//! gates of feed-forward layers.
//!
//! Each head's queries and keys are reordered, the first channels of all pairs before the second
//! ones, so that rotation acts on whole rows; products of queries and keys do not depend on the
//! order.

mod head;
mod rotation;

use super::epilogue::lengthened;
use super::memory::Memory;
use super::profiler::Stage;
use super::simd::{Kernels, Rows, padded};
use super::weights::Arithmetic;
use crate::nn::desc::{self, MatMul};
use crate::nn::plan::{self, ValueId};
use head::Head;
use rotation::Rotation;

/// Attention of projected values.
#[derive(Debug)]
pub struct Attend {
    arithmetic: Arithmetic,
    heads: usize,
    kv_heads: usize,
    key_width: usize,
    value_width: usize,
    /// Queries, keys and values of each point. They are rotated there.
    projected: ValueId,
    /// First columns of queries, keys and values.
    starts: [usize; 3],
    rotation: Option<Rotation>,
    attended: ValueId,
}

impl Attend {
    /// Of the results of [`projection`].
    pub fn new(attention: &plan::Attention, arithmetic: Arithmetic, projected: ValueId) -> Attend {
        let keys = padded(attention.query.outputs);
        Attend {
            arithmetic,
            heads: attention.heads,
            kv_heads: attention.kv_heads,
            key_width: attention.key_width,
            value_width: attention.value_width,
            projected,
            starts: [0, keys, keys + padded(attention.key.outputs)],
            rotation: attention.rope.as_ref().map(|rope| {
                let (heads, width) = (attention.kv_heads, attention.key_width);
                Rotation::new(&rope.frequencies(heads, width), width / 2)
            }),
            attended: attention.to,
        }
    }

    /// Channels of the results in memory: the product for the last head writes the padding of its columns
    /// too.
    pub fn outputs(&self) -> usize {
        (self.heads - 1) * self.value_width + padded(self.value_width)
    }

    /// Writes the weighted values of each head.
    pub fn run(&self, memory: &mut Memory) {
        let boards = memory.boards();
        let stride = memory.kind(self.projected).channels;
        let attended_stride = memory.kind(self.attended).channels;
        let mut projected = memory.take(self.projected);
        let mut attended = memory.take(self.attended);
        let of_boards = projected.chunks_exact_mut(stride * boards.area());
        for (projected, attended) in
            of_boards.zip(attended.chunks_exact_mut(attended_stride * boards.area()))
        {
            if let Some(rotation) = &self.rotation {
                self.turn(rotation, projected, stride, boards.size.width());
            }
            // Of no other values there, as they would be rounded with these.
            for row in attended.chunks_exact_mut(attended_stride) {
                row[self.outputs()..].fill(0.0);
            }
            self.attend((projected, stride), (attended, attended_stride), memory);
        }
        memory.put(self.projected, projected);
        memory.put(self.attended, attended);
        memory.work.profiler.lap(Stage::Attention);
    }

    /// Rotates the queries and keys of a board.
    fn turn(&self, rotation: &Rotation, projected: &mut [f32], stride: usize, width: usize) {
        let group = self.heads / self.kv_heads;
        for (point, row) in projected.chunks_exact_mut(stride).enumerate() {
            let (x, y) = (point % width, point / width);
            let (queries, others) = row.split_at_mut(self.starts[1]);
            for (head, query) in queries
                .chunks_exact_mut(self.key_width)
                .take(self.heads)
                .enumerate()
            {
                rotation.turn(query, head / group, x, y);
            }
            let keys = others.chunks_exact_mut(self.key_width).take(self.kv_heads);
            for (head, key) in keys.enumerate() {
                rotation.turn(key, head, x, y);
            }
        }
    }

    /// Writes the attention output of a board, `[point][head][value_width]`.
    fn attend(
        &self,
        (projected, stride): (&[f32], usize),
        (attended, attended_stride): (&mut [f32], usize),
        memory: &mut Memory,
    ) {
        let rows = |first: usize| Rows {
            values: &projected[first..],
            stride,
            count: projected.len() / stride,
        };
        let [queries, keys, values] = self.starts;
        for head in 0..self.heads {
            let kv_head = head * self.kv_heads / self.heads;
            let attended = &mut attended[head * self.value_width..];
            let head = Head {
                queries: rows(queries + head * self.key_width),
                keys: rows(keys + kv_head * self.key_width),
                values: rows(values + kv_head * self.value_width),
                key_width: self.key_width,
                value_width: self.value_width,
            };
            head.attend(self.arithmetic, attended, attended_stride, &mut memory.work);
        }
    }
}

/// The product of a layer that is activated and one that is not.
#[derive(Debug)]
pub struct Gate {
    pub kernels: Kernels,
    /// Both layers' results side by side.
    pub projected: ValueId,
    pub to: ValueId,
}

impl Gate {
    /// Writes the products of all points.
    pub fn run(&self, memory: &mut Memory) {
        let mut products = memory.take(self.to);
        let width = memory.kind(self.to).channels;
        let rows = memory.values(self.projected).chunks_exact(2 * width);
        for (row, products) in rows.zip(products.chunks_exact_mut(width)) {
            let (inner, gate) = row.split_at(width);
            self.kernels.gated(inner, gate, products);
        }
        memory.put(self.to, products);
        memory.work.profiler.lap(Stage::Others);
    }
}

/// The matrix to queries, keys and values.
pub fn projection(attention: &plan::Attention) -> desc::Conv {
    let query = halves_apart(&attention.query, attention.key_width);
    let key = halves_apart(&attention.key, attention.key_width);
    side_by_side(&[&query, &key, &attention.value])
}

/// Matrices side by side as a convolution, columns padded.
pub fn side_by_side(matrices: &[&MatMul]) -> desc::Conv {
    let inputs = matrices[0].inputs;
    let row_of = |matrix: &MatMul, row: usize| {
        lengthened(matrix.weights[row * matrix.outputs..][..matrix.outputs].to_vec())
    };
    let rows = 0..inputs;
    desc::Conv {
        name: String::new(),
        kernel_height: 1,
        kernel_width: 1,
        inputs,
        outputs: matrices.iter().map(|matrix| padded(matrix.outputs)).sum(),
        weights: rows
            .flat_map(|row| matrices.iter().flat_map(move |matrix| row_of(matrix, row)))
            .collect(),
    }
}

/// The columns of each head of `width` channels are reordered: first channels of all pairs, then second
/// channels. Heads of odd width have no pairs, and keep their order.
fn halves_apart(matrix: &MatMul, width: usize) -> MatMul {
    let mut reordered = matrix.clone();
    let heads = matrix
        .weights
        .chunks_exact(width)
        .zip(reordered.weights.chunks_exact_mut(width));
    for (from, to) in heads {
        for (index, to) in to.iter_mut().enumerate() {
            let source = match width.is_multiple_of(2) {
                true => 2 * (index % (width / 2)) + index / (width / 2),
                false => index,
            };
            *to = from[source];
        }
    }
    reordered
}
