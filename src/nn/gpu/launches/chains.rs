//! Pooling over chains and empty regions, before the product.

use anyhow::Result;

use super::super::Format;
use super::super::arguments::ChainsArguments;
use super::{Binding, Launch, PACK, number};
use crate::nn::plan::Conv;
use crate::nn::plan::memory::padded;
use crate::nn::regions::VALUES;

/// Threads of a block.
const THREADS: usize = 256;
/// Bytes of shared memory for each point: eight values and three pooled ones of each, and two numbers.
const POINT_BYTES: usize = PACK * (1 + VALUES) * size_of::<f32>() + 2 * size_of::<u16>();

impl Binding<'_> {
    /// To the scratch values.
    pub(super) fn chains(&self, conv: &Conv) -> Result<Launch> {
        let channels = self.plan.value(conv.input).channels;
        let arguments = ChainsArguments {
            from: self.address(conv.input),
            points: self.values + self.layout.regions as u64,
            to: self.scratch(),
            boards: number(self.boards)?,
            area: number(self.size.area())?,
            channels: number(channels)?,
            stride: number(self.stride(conv.input))?,
            to_stride: number(padded(conv.kernel.inputs))?,
            reserved: 0,
        };
        Ok(Launch::chains(self.format, arguments))
    }
}

impl Launch {
    /// Of all boards.
    pub fn chains(format: Format, arguments: ChainsArguments) -> Launch {
        let [boards, area, channels] =
            [arguments.boards, arguments.area, arguments.channels].map(|count| count as usize);
        Launch {
            kernel: format.of_kernel("chains"),
            blocks: boards * channels.div_ceil(PACK),
            threads: THREADS,
            shared: area * POINT_BYTES,
            arguments: arguments.into(),
        }
    }
}
