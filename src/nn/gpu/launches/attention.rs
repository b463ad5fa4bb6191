//! Attention after its projections.

use anyhow::{Context, Result};
use bytemuck::Zeroable;

use super::super::Format;
use super::super::arguments::AttentionArguments;
use super::super::attention::{Columns, TILE, chunk, widths};
use super::{Binding, Launch, number};
use crate::nn::plan::{self, Operation};

/// Threads of a block in f16, and its warps.
pub(super) const THREADS: (usize, usize) = (256, 8);
/// Threads of a block in f32, and its queries.
const PLAIN: (usize, usize) = (128, 8);
/// Blocks that keep a GPU busy: with fewer, several share the queries of a head.
const BUSY: usize = 256;

impl Binding<'_> {
    /// Of the projections in the scratch values.
    pub(super) fn attention(
        &self,
        operation: &Operation,
        attention: &plan::Attention,
        turns: (u64, usize),
    ) -> Result<Launch> {
        match self.format {
            Format::F16 => {
                let widths = widths(attention);
                let widths = widths.with_context(|| format!("{}: wide heads", operation.name))?;
                self.attention_on_tensor_cores(attention, turns, widths)
            }
            Format::F32 => self.attention_in_floats(attention, turns),
        }
    }

    fn attention_on_tensor_cores(
        &self,
        attention: &plan::Attention,
        turns: (u64, usize),
        (key, value): (usize, usize),
    ) -> Result<Launch> {
        let (chunk, shared) = chunk((key, value), self.size.area());
        let (blocks, splits) = self.shares_of_queries(attention);
        let arguments = AttentionArguments {
            chunk: number(chunk)?,
            splits: number(splits)?,
            ..self.attention_arguments(attention, turns)?
        };
        Ok(Launch {
            kernel: format!("attention_{key}x{value}"),
            blocks,
            threads: THREADS.0,
            shared,
            arguments: arguments.into(),
        })
    }

    /// Blocks, and how many of them share the queries of a key head of a board.
    pub(super) fn shares_of_queries(&self, attention: &plan::Attention) -> (usize, usize) {
        let group = attention.heads / attention.kv_heads;
        let shares = (group * self.size.area().div_ceil(TILE)).div_ceil(THREADS.1);
        let heads = self.boards * attention.kv_heads;
        let splits = (BUSY / heads).clamp(1, shares);
        (heads * splits, splits)
    }

    /// The turns of an operation of attention, and their heads.
    pub(super) fn turns(&self, index: usize) -> (u64, usize) {
        let turns = self.places[index].turns;
        turns.map_or((0, 1), |(place, heads)| {
            (self.weights + place as u64, heads)
        })
    }

    fn attention_in_floats(
        &self,
        attention: &plan::Attention,
        turns: (u64, usize),
    ) -> Result<Launch> {
        let (threads, queries) = PLAIN;
        let (area, key_stride) = (self.size.area(), Columns::of(attention).key_stride);
        Ok(Launch {
            kernel: "attention_f32".to_owned(),
            blocks: self.boards * attention.heads * area.div_ceil(queries),
            threads,
            shared: queries * (key_stride + area) * size_of::<f32>(),
            arguments: self.attention_arguments(attention, turns)?.into(),
        })
    }

    pub(super) fn attention_arguments(
        &self,
        attention: &plan::Attention,
        (turns, turn_heads): (u64, usize),
    ) -> Result<AttentionArguments> {
        let columns = Columns::of(attention);
        Ok(AttentionArguments {
            projected: self.scratch(),
            turns,
            to: self.address(attention.to),
            area: number(self.size.area())?,
            width: number(self.size.width())?,
            stride: number(plan::memory::padded(columns.all))?,
            to_stride: number(self.stride(attention.to))?,
            heads: number(attention.heads)?,
            kv_heads: number(attention.kv_heads)?,
            turn_heads: number(turn_heads)?,
            key_stride: number(columns.key_stride)?,
            value_stride: number(columns.value_stride)?,
            value_width: number(attention.value_width)?,
            first_key: number(columns.first_key)?,
            first_value: number(columns.first_value)?,
            chunk: 0,
            splits: 1,
            ..AttentionArguments::zeroed()
        })
    }
}
