//! Multi-head self-attention over board points.
//!
//! Each head's queries and keys are reordered, the first channels of all pairs before the second
//! ones, so that rotation acts on whole rows; products of queries and keys do not depend on the
//! order.

mod head;
mod rotation;

use super::boards::Frame;
use super::builder::Builder;
use super::conv::Conv;
use super::epilogue::Epilogue;
use super::memory::{Memory, Slot, Use};
use super::profiler::Stage;
use super::simd::{Rows, padded};
use super::transformer::Projection;
use super::weights::Arithmetic;
use crate::nn::desc::{self, MatMul};
use head::Head;
use rotation::Rotation;

/// See [`desc::AttentionBlock`].
#[derive(Debug)]
pub struct Attention {
    arithmetic: Arithmetic,
    heads: usize,
    kv_heads: usize,
    key_width: usize,
    value_width: usize,
    projection: Projection,
    /// First columns of queries, keys and values.
    starts: [usize; 3],
    rotation: Option<Rotation>,
    attended: Slot,
    output: Conv,
    epilogue: Epilogue,
}

impl Attention {
    /// For a residual connection with this epilogue.
    pub fn new(
        block: &desc::AttentionBlock,
        stack: Slot,
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> Attention {
        let scale = 1.0 / (block.key_width as f32).sqrt();
        let query = halves_apart(&block.query, block.key_width, scale);
        let key = halves_apart(&block.key, block.key_width, 1.0);
        let matrices = [&query, &key, &block.value];
        let (projection, starts) = Projection::new(&block.norm, &matrices, stack, builder);
        // The product for the last head writes the padding of its columns too.
        let attended = (block.heads - 1) * block.value_width + padded(block.value_width);
        let mut output = block.output.clone();
        output.weights.resize(attended * output.outputs, 0.0);
        output.inputs = attended;
        Attention {
            arithmetic: builder.arithmetic(),
            heads: block.heads,
            kv_heads: block.kv_heads,
            key_width: block.key_width,
            value_width: block.value_width,
            projection,
            starts: [starts[0], starts[1], starts[2]],
            rotation: block.rope.as_ref().map(|rope| {
                let frequencies = rope.frequencies(block.kv_heads, block.key_width);
                Rotation::new(&frequencies, block.key_width / 2)
            }),
            attended: builder.slot(Use::Input, Frame::Plain, attended),
            output: builder.matrix(&output),
            epilogue,
        }
    }

    /// Adds the attention output to the trunk.
    pub fn run(&self, memory: &mut Memory) {
        self.projection.run(self.arithmetic.kernels, memory);
        let boards = memory.boards();
        let mut projected = memory.take(self.projection.results);
        let mut attended = memory.take(self.attended);
        let stride = self.projection.outputs();
        let attended_stride = attended.len() / (boards.count * boards.area());
        let of_boards = projected.chunks_exact_mut(stride * boards.area());
        for (projected, attended) in
            of_boards.zip(attended.chunks_exact_mut(attended_stride * boards.area()))
        {
            if let Some(rotation) = &self.rotation {
                self.turn(rotation, projected, boards.size.width());
            }
            self.attend(projected, attended, boards.area(), memory);
        }
        memory.put(self.projection.results, projected);
        memory.put(self.attended, attended);
        memory.work.profiler.lap(Stage::Attention);
        self.output.run(self.attended, None, &self.epilogue, memory);
    }

    /// Rotates the queries and keys of a board.
    fn turn(&self, rotation: &Rotation, projected: &mut [f32], width: usize) {
        let group = self.heads / self.kv_heads;
        for (point, row) in projected
            .chunks_exact_mut(self.projection.outputs())
            .enumerate()
        {
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
    fn attend(&self, projected: &[f32], attended: &mut [f32], area: usize, memory: &mut Memory) {
        let stride = self.projection.outputs();
        let attended_stride = attended.len() / area;
        let rows = |first: usize| Rows {
            values: &projected[first..],
            stride,
            count: area,
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

/// The columns of a matrix multiplied by `scale`; those of each head of `width` channels are
/// reordered: first channels of all pairs, then second channels. Heads of odd width have no pairs,
/// and keep their order.
fn halves_apart(matrix: &MatMul, width: usize, scale: f32) -> MatMul {
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
            *to = scale * from[source];
        }
    }
    reordered
}
