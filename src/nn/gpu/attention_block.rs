//! The norm, the projections and the attention of a block of a transformer as one kernel.

use half::f16;

use super::Format;
use super::attention::{TILE, scaled, widths};
use super::feed_forward::{place, place_of_channel, rounded};
use super::groups::is_division;
use super::tiles::SHARED_LIMIT;
use crate::nn::desc::MatMul;
use crate::nn::plan::memory::padded;
use crate::nn::plan::{Attention, Plan, RmsNorm, Work};

/// Most channels of keys that there are kernels for.
const MOST_CHANNELS: usize = 64;
/// Inputs of a product on tensor cores.
const DEPTH: usize = 16;
/// Operations of a block.
pub const OPERATIONS: usize = 2;

/// The operations of a block, up to the matrix back to the trunk.
#[derive(Clone, Copy, Debug)]
pub struct AttentionBlock<'a> {
    /// The first.
    pub norm: &'a RmsNorm,
    /// The second.
    pub attention: &'a Attention,
    /// Padded channels of the trunk.
    pub inputs: usize,
    /// Padded channels of a key and of a value, as in the kernel's name.
    pub widths: (usize, usize),
}

impl<'a> AttentionBlock<'a> {
    /// The block that begins with an operation, if it does and there is a kernel.
    pub fn at(plan: &'a Plan, index: usize, format: Format) -> Option<AttentionBlock<'a>> {
        let Some([norm, attention]) = plan.operations[index..].get(..OPERATIONS) else {
            return None;
        };
        let (Work::RmsNorm(norm), Work::Attention(attention)) = (&norm.work, &attention.work)
        else {
            return None;
        };
        let is_chain = is_division(norm)
            && attention.from == norm.normed.to
            && plan.readers(norm.normed.to).eq([index + 1]);
        let widths = widths(attention)?;
        let is_known = format == Format::F16 && widths.0 <= MOST_CHANNELS;
        (is_known && is_chain).then_some(AttentionBlock {
            norm,
            attention,
            inputs: padded(plan.value(norm.from).channels),
            widths,
        })
    }

    /// Whether shared memory suffices for boards of this area.
    pub fn fits(&self, area: usize) -> bool {
        self.shared(area) <= SHARED_LIMIT
    }

    /// Bytes of shared memory of a block of threads.
    pub fn shared(&self, area: usize) -> usize {
        let (key, value) = self.widths;
        let keys = area.next_multiple_of(TILE) * (key + value);
        (keys + self.inputs * self.columns()) * size_of::<f16>()
    }

    /// Columns of a key head: key, value, and queries of its heads.
    fn columns(&self) -> usize {
        let ((key, value), attention) = (self.widths, self.attention);
        key + value + attention.heads / attention.kv_heads * key
    }

    /// In f16, `[key head][16 inputs][column][input]`; inputs are permuted.
    pub fn weights(&self) -> Vec<f16> {
        let Attention {
            heads,
            kv_heads,
            key_width,
            value_width,
            ..
        } = *self.attention;
        let (columns, (key, value)) = (self.columns(), self.widths);
        let mut weights = vec![f16::ZERO; kv_heads * self.inputs * columns];
        let mut add = |matrix: &MatMul, width: usize, column: &dyn Fn(usize) -> (usize, usize)| {
            for (index, &weight) in matrix.weights.iter().enumerate() {
                let (input, output) = (index / matrix.outputs, index % matrix.outputs);
                let (kv_head, first) = column(output / width);
                let input = place_of_channel(input);
                let chunk = kv_head * self.inputs / DEPTH + input / DEPTH;
                let row = chunk * columns + first + output % width;
                weights[place(row, row - chunk * columns, input % DEPTH)] = rounded(weight);
            }
        };
        let group = heads / kv_heads;
        add(&self.attention.key, key_width, &|head| (head, 0));
        add(&self.attention.value, value_width, &|head| (head, key));
        let of_query = |head: usize| (head / group, key + value + head % group * key);
        add(&scaled(&self.attention.query), key_width, &of_query);
        weights
    }
}
