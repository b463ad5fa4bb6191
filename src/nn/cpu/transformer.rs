//! Transformer blocks: attention, gated feed-forward layers.
//!
//! The weights of the norm before a matrix product are part of the matrix, so that only the
//! division by the root mean square is left. Each head's queries and keys are reordered, the first
//! channels of all pairs before the second ones, so that pairs turn as whole rows; products of
//! queries and keys do not change by that.

use super::aligned::Aligned;
use super::blocks::lengthened;
use super::boards::Frame;
use super::builder::Builder;
use super::conv::Conv;
use super::memory::{Memory, Slot, Use};
use super::simd::{Kernels, Packed, Rows, RowsMut, padded};
use super::sink::{Sink, Then};
use super::watch::Stage;
use crate::go::point::MAX_SIZE;
use crate::nn::desc::{self, Activation, MatMul, RmsNorm};

/// Queries that are answered while their shares are in the cache.
const CHUNK: usize = 36;

/// Divides by the root mean square, then multiplies by a matrix.
#[derive(Debug)]
struct Projection {
    stack: Slot,
    channels: usize,
    epsilon: f32,
    normed: Slot,
    conv: Conv,
    sink: Sink,
    results: Slot,
}

impl Projection {
    /// By several matrices side by side, each padded; gives the first column of each besides.
    fn new(
        norm: &RmsNorm,
        matrices: &[&MatMul],
        stack: Slot,
        builder: &mut Builder,
    ) -> (Projection, Vec<usize>) {
        let channels = norm.weights.len();
        let starts = matrices.iter().scan(0, |next, matrix| {
            let start = *next;
            *next += padded(matrix.outputs);
            Some(start)
        });
        let joined = joined(norm, matrices);
        let results = builder.slot(Use::Inner, Frame::Plain, joined.outputs);
        let projection = Projection {
            stack,
            channels,
            epsilon: norm.epsilon,
            normed: builder.slot(Use::Input, Frame::Plain, channels),
            conv: builder.matrix(&joined),
            sink: Sink::into(Then {
                norm: None,
                activation: Activation::Identity,
                slot: results,
            }),
            results,
        };
        (projection, starts.collect())
    }

    fn run(&self, kernels: Kernels, memory: &mut Memory) {
        let boards = memory.boards();
        let stride = padded(self.channels);
        let mut normed = memory.take(self.normed);
        let rows = Rows {
            values: memory.values(self.stack),
            stride,
            count: boards.count * boards.area(),
        };
        kernels.rms_norm(rows, self.channels, self.epsilon, &mut normed);
        memory.put(self.normed, normed);
        memory.work.watch.lap(Stage::Others);
        self.conv.run(self.normed, None, &self.sink, memory);
    }
}

/// Matrices side by side, the rows multiplied by the weights of a norm, columns padded.
fn joined(norm: &RmsNorm, matrices: &[&MatMul]) -> MatMul {
    let mut weights = Vec::new();
    for (row, factor) in norm.weights.iter().enumerate() {
        for matrix in matrices {
            let row = &matrix.weights[row * matrix.outputs..][..matrix.outputs];
            weights.extend(lengthened(
                row.iter().map(|weight| weight * factor).collect(),
            ));
        }
    }
    MatMul {
        name: String::new(),
        inputs: norm.weights.len(),
        outputs: matrices.iter().map(|matrix| padded(matrix.outputs)).sum(),
        weights,
    }
}

/// See [`desc::AttentionBlock`].
#[derive(Debug)]
pub struct Attention {
    kernels: Kernels,
    heads: usize,
    kv_heads: usize,
    key_width: usize,
    value_width: usize,
    projection: Projection,
    /// First columns of queries, keys and values.
    starts: [usize; 3],
    rotation: Option<Rotation>,
    seen: Slot,
    output: Conv,
    sink: Sink,
}

impl Attention {
    /// Adds to a stack, and gives it to a sink.
    pub fn new(
        block: &desc::AttentionBlock,
        stack: Slot,
        sink: Sink,
        builder: &mut Builder,
    ) -> Attention {
        let scale = 1.0 / (block.key_width as f32).sqrt();
        let query = halves_apart(&block.query, block.key_width, scale);
        let key = halves_apart(&block.key, block.key_width, 1.0);
        let matrices = [&query, &key, &block.value];
        let (projection, starts) = Projection::new(&block.norm, &matrices, stack, builder);
        // The product for the last head writes the padding of its columns too.
        let seen = (block.heads - 1) * block.value_width + padded(block.value_width);
        let mut output = block.output.clone();
        output.weights.resize(seen * output.outputs, 0.0);
        output.inputs = seen;
        Attention {
            kernels: builder.kernels(),
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
            seen: builder.slot(Use::Input, Frame::Plain, seen),
            output: builder.matrix(&output),
            sink,
        }
    }

    /// Adds to the stack what each point sees.
    pub fn run(&self, memory: &mut Memory) {
        self.projection.run(self.kernels, memory);
        let boards = memory.boards();
        let mut projected = memory.take(self.projection.results);
        let mut seen = memory.take(self.seen);
        let stride = self.projection.conv.outputs();
        let seen_stride = seen.len() / (boards.count * boards.area());
        let of_boards = projected.chunks_exact_mut(stride * boards.area());
        for (projected, seen) in of_boards.zip(seen.chunks_exact_mut(seen_stride * boards.area())) {
            if let Some(rotation) = &self.rotation {
                self.turn(rotation, projected, boards.size.width());
            }
            self.look(projected, seen, boards.area(), memory);
        }
        memory.put(self.projection.results, projected);
        memory.put(self.seen, seen);
        memory.work.watch.lap(Stage::Attention);
        self.output.run(self.seen, None, &self.sink, memory);
    }

    /// Turns the queries and keys of a board.
    fn turn(&self, rotation: &Rotation, projected: &mut [f32], width: usize) {
        let group = self.heads / self.kv_heads;
        for (point, row) in projected
            .chunks_exact_mut(self.projection.conv.outputs())
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

    /// Writes what each point of a board sees, `[point][head][value_width]`.
    fn look(&self, projected: &[f32], seen: &mut [f32], area: usize, memory: &mut Memory) {
        let (kernels, shape) = (self.kernels, self.kernels.shape());
        let stride = self.projection.conv.outputs();
        let seen_stride = seen.len() / area;
        let [queries, keys, values] = self.starts;
        let shares_stride = padded(area);
        let shares = &mut memory.work.products;
        shares.grow(CHUNK * shares_stride);
        for head in 0..self.heads {
            let kv_head = head * self.kv_heads / self.heads;
            let keys = &projected[keys + kv_head * self.key_width..];
            let keys = Packed::of_columns(shape, self.key_width, area, keys, stride);
            let values = &projected[values + kv_head * self.value_width..];
            let values = Packed::of_rows(shape, area, self.value_width, values, stride);
            for first in (0..area).step_by(CHUNK) {
                let count = CHUNK.min(area - first);
                let queries = Rows {
                    values: &projected[first * stride + queries + head * self.key_width..],
                    stride,
                    count,
                };
                let to = RowsMut {
                    values: shares,
                    stride: shares_stride,
                };
                kernels.gemm(queries, &keys, to, false);
                let mut factors = [0.0; CHUNK];
                let rows = shares.chunks_exact_mut(shares_stride).take(count);
                for (row, factor) in rows.zip(&mut factors) {
                    *factor = 1.0 / kernels.exponentials(row, area);
                }
                let rows = Rows {
                    values: &shares[..],
                    stride: shares_stride,
                    count,
                };
                let seen = &mut seen[first * seen_stride + head * self.value_width..];
                kernels.gemm(
                    rows,
                    &values,
                    RowsMut {
                        values: seen,
                        stride: seen_stride,
                    },
                    false,
                );
                for (row, factor) in seen.chunks_mut(seen_stride).zip(&factors[..count]) {
                    row[..self.value_width]
                        .iter_mut()
                        .for_each(|value| *value *= factor);
                }
            }
        }
    }
}

/// The columns of a matrix multiplied by `scale`; those of each head `width` wide reordered to
/// first of all pairs, then second of all pairs.
fn halves_apart(matrix: &MatMul, width: usize, scale: f32) -> MatMul {
    let mut reordered = matrix.clone();
    let heads = matrix
        .weights
        .chunks_exact(width)
        .zip(reordered.weights.chunks_exact_mut(width));
    for (from, to) in heads {
        for (index, to) in to.iter_mut().enumerate() {
            let (half, pair) = (index / (width / 2), index % (width / 2));
            *to = scale
                * if width.is_multiple_of(2) {
                    from[2 * pair + half]
                } else {
                    from[index]
                };
        }
    }
    reordered
}

/// The angles of [`desc::Rope`] at every point of the largest board.
#[derive(Debug)]
struct Rotation {
    pairs: usize,
    /// `[row][column][head][pair]`
    cos: Vec<f32>,
    sin: Vec<f32>,
    heads: usize,
}

impl Rotation {
    fn new(frequencies: &[(f64, f64)], pairs: usize) -> Rotation {
        let points =
            (0..MAX_SIZE * MAX_SIZE).map(|p| ((p % MAX_SIZE) as f64, (p / MAX_SIZE) as f64));
        let angles: Vec<f64> = points
            .flat_map(|(x, y)| {
                frequencies
                    .iter()
                    .map(move |(by_x, by_y)| x * by_x + y * by_y)
            })
            .collect();
        Rotation {
            pairs,
            cos: angles.iter().map(|angle| angle.cos() as f32).collect(),
            sin: angles.iter().map(|angle| angle.sin() as f32).collect(),
            heads: frequencies.len() / pairs,
        }
    }

    /// Turns one head's pairs at a point.
    fn turn(&self, head: &mut [f32], index: usize, x: usize, y: usize) {
        let start = ((y * MAX_SIZE + x) * self.heads + index) * self.pairs;
        let cos = &self.cos[start..][..self.pairs];
        let sin = &self.sin[start..][..self.pairs];
        let (first, second) = head.split_at_mut(self.pairs);
        for ((a, b), (cos, sin)) in first.iter_mut().zip(second).zip(cos.iter().zip(sin)) {
            (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
        }
    }
}

/// See [`desc::FeedForwardBlock`].
#[derive(Debug)]
pub struct FeedForward {
    kernels: Kernels,
    projection: Projection,
    /// First column of the gate.
    gate: usize,
    hidden: Slot,
    output: Conv,
    sink: Sink,
}

impl FeedForward {
    /// Adds to a stack, and gives it to a sink.
    pub fn new(
        block: &desc::FeedForwardBlock,
        stack: Slot,
        sink: Sink,
        builder: &mut Builder,
    ) -> FeedForward {
        let matrices = [&block.inner, &block.gate];
        let (projection, starts) = Projection::new(&block.norm, &matrices, stack, builder);
        FeedForward {
            kernels: builder.kernels(),
            projection,
            gate: starts[1],
            hidden: builder.slot(Use::Input, Frame::Plain, block.output.inputs),
            output: builder.matrix(&block.output),
            sink,
        }
    }

    /// Adds to the stack what is made of each point.
    pub fn run(&self, memory: &mut Memory) {
        self.projection.run(self.kernels, memory);
        let mut hidden: Aligned<f32> = memory.take(self.hidden);
        let rows = memory
            .values(self.projection.results)
            .chunks_exact(2 * self.gate);
        for (row, hidden) in rows.zip(hidden.chunks_exact_mut(self.gate)) {
            let (inner, gate) = row.split_at(self.gate);
            self.kernels.gated(inner, gate, hidden);
        }
        memory.put(self.hidden, hidden);
        memory.work.watch.lap(Stage::Others);
        self.output.run(self.hidden, None, &self.sink, memory);
    }
}
