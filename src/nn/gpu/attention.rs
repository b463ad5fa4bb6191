//! Attention as kernels compute it: one product for queries, keys and values, and the rest in another kernel.

use std::f32::consts::LOG2_E;

use super::tiles::SHARED_LIMIT;
use crate::go::point::MAX_SIZE;
use crate::nn::desc::{self, MatMul};
use crate::nn::plan::Attention;

/// Channels of a head are padded to a multiple of this, so that they are read eight at a time.
const STEP: usize = 8;
/// Most channels of keys and of values of the kernels for f16, as in `kernels.cu`.
const WIDTHS: [(usize, usize); 5] = [(16, 16), (32, 16), (32, 32), (64, 64), (128, 128)];
/// Points that are padded to: queries of a warp.
pub const TILE: usize = 16;
/// Keys in shared memory at a time, where it does not hold all of them.
const CHUNK: usize = 64;
/// Bytes of a value in f16.
const VALUE_BYTES: usize = 2;

/// Where heads lie in the product, in channels.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Of each query and key, padded.
    pub key_stride: usize,
    /// Of each value, padded.
    pub value_stride: usize,
    /// The first key.
    pub first_key: usize,
    /// The first value.
    pub first_value: usize,
    /// All channels, padded so that there are wide tiles.
    pub all: usize,
}

impl Columns {
    /// Of an operation.
    pub fn of(attention: &Attention) -> Columns {
        let key_stride = attention.key_width.next_multiple_of(STEP);
        let value_stride = attention.value_width.next_multiple_of(STEP);
        let first_key = attention.heads * key_stride;
        let first_value = first_key + attention.kv_heads * key_stride;
        Columns {
            key_stride,
            value_stride,
            first_key,
            first_value,
            all: widened(first_value + attention.kv_heads * value_stride),
        }
    }
}

/// A multiple of the columns of some tile.
fn widened(channels: usize) -> usize {
    let columns = if channels <= 32 { [32, 32] } else { [64, 96] };
    let [first, second] = columns.map(|columns| channels.next_multiple_of(columns));
    first.min(second)
}

/// The widths of the narrowest kernel for f16 that is wide enough; none for wider heads.
pub fn widths(attention: &Attention) -> Option<(usize, usize)> {
    let fits = |&(key, value): &_| attention.key_width <= key && attention.value_width <= value;
    WIDTHS.into_iter().find(fits)
}

/// Keys in shared memory at a time for a kernel of these widths, and its bytes.
pub fn chunk((key, value): (usize, usize), area: usize) -> (usize, usize) {
    let bytes = |keys: usize| keys * (key + value) * VALUE_BYTES;
    let all = area.next_multiple_of(TILE);
    let keys = if bytes(all) <= SHARED_LIMIT {
        all
    } else {
        CHUNK
    };
    (keys, bytes(keys))
}

/// The matrix to queries, keys and values as a convolution.
pub fn projection(attention: &Attention) -> desc::Conv {
    let columns = Columns::of(attention);
    let inputs = attention.query.inputs;
    let mut weights = vec![0.0; inputs * columns.all];
    let mut place = |matrix: &MatMul, first: usize, (width, stride): (usize, usize)| {
        let rows = matrix.weights.chunks_exact(matrix.outputs);
        for (row, to) in rows.zip(weights.chunks_exact_mut(columns.all)) {
            let heads = to[first..].chunks_mut(stride);
            for (head, to) in row.chunks_exact(width).zip(heads) {
                to[..width].copy_from_slice(head);
            }
        }
    };
    let keys = (attention.key_width, columns.key_stride);
    let values = (attention.value_width, columns.value_stride);
    place(&scaled(&attention.query), 0, keys);
    place(&attention.key, columns.first_key, keys);
    place(&attention.value, columns.first_value, values);
    desc::Conv {
        name: attention.query.name.clone(),
        kernel_height: 1,
        kernel_width: 1,
        inputs,
        outputs: columns.all,
        weights,
    }
}

/// The matrix to queries, for weights of attention that are powers of two of the products.
pub fn scaled(query: &MatMul) -> MatMul {
    let mut scaled = query.clone();
    scaled
        .weights
        .iter_mut()
        .for_each(|weight| *weight *= LOG2_E);
    scaled
}

/// The cosine and sine of the angles that columns and rows add, `[2: column, row][place][head][pair][2]`, and the
/// number of heads: one if all turn alike.
pub fn turns(attention: &Attention) -> Option<(Vec<f32>, usize)> {
    let rope = attention.rope.as_ref()?;
    let (width, heads) = (attention.key_width, attention.kv_heads);
    let (used, pairs) = (width / 2, Columns::of(attention).key_stride / 2);
    let frequencies = rope.frequencies(heads, width);
    let of_heads: Vec<_> = frequencies.chunks_exact(used.max(1)).collect();
    let alike = of_heads.iter().all(|head| *head == of_heads[0]);
    let heads = if alike { 1 } else { heads };
    let mut turns = Vec::with_capacity(2 * MAX_SIZE * heads * pairs * 2);
    for is_row in [false, true] {
        for place in 0..MAX_SIZE {
            for head in &of_heads[..heads] {
                let of_pair = |pair: usize| match head.get(pair) {
                    Some(&(_, by_row)) if is_row => by_row * place as f64,
                    Some(&(by_column, _)) => by_column * place as f64,
                    None => 0.0,
                };
                let angles = (0..pairs).map(of_pair);
                turns.extend(angles.flat_map(|angle| [angle.cos() as f32, angle.sin() as f32]));
            }
        }
    }
    Some((turns, heads))
}
