//! Blocks that pool over chains and empty regions.

use super::blocks::then;
use super::boards::Frame;
use super::builder::Builder;
use super::conv::Conv;
use super::memory::{Memory, Slot, Use};
use super::sink::Sink;
use super::watch::Stage;
use crate::nn::desc;
use crate::nn::regions::{Rows, VALUES};

/// See [`desc::ChainPoolingBlock`].
#[derive(Debug)]
pub struct ChainPooling {
    input: Slot,
    conv: Conv,
    norm: Sink,
    /// Channels that are pooled.
    channels: usize,
    normed: Slot,
    pooled: Slot,
    conv_out: Conv,
    sink: Sink,
}

impl ChainPooling {
    /// Adds to a stack, and gives it to a sink.
    pub fn new(block: &desc::ChainPoolingBlock, sink: Sink, builder: &mut Builder) -> ChainPooling {
        let channels = block.conv.outputs;
        let normed = builder.slot(Use::Pooled, Frame::Plain, channels);
        ChainPooling {
            input: builder.slot(Use::Input, Frame::Plain, block.conv.inputs),
            conv: builder.conv(&block.conv, Frame::Plain, None),
            norm: Sink::into(then(&block.norm, normed)),
            channels,
            normed,
            pooled: builder.slot(Use::Inner, Frame::Plain, VALUES * channels),
            conv_out: builder.conv(&block.conv_out, Frame::Plain, None),
            sink,
        }
    }

    /// Adds to the stack.
    pub fn run(&self, memory: &mut Memory) {
        self.conv.run(self.input, None, &self.norm, memory);
        let mut pooled = memory.take(self.pooled);
        let (values, work) = memory.with_work(self.normed);
        let from = Rows {
            values,
            stride: self.conv.outputs(),
        };
        let to = Rows {
            values: &mut pooled[..],
            stride: self.conv_out.inputs(),
        };
        work.regions.pool(from, self.channels, to);
        work.watch.lap(Stage::Others);
        memory.put(self.pooled, pooled);
        self.conv_out.run(self.pooled, None, &self.sink, memory);
    }
}
