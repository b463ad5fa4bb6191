//! Lowering of the trunk.

use super::builder::{Builder, Sources, Stream, Wanted};
use super::{Inputs, Third, ValueId};
use crate::nn::desc::{
    Activation, Block, ChainPoolingBlock, GlobalPoolingBlock, MetadataEncoder,
    NestedBottleneckBlock, NormAct, Tip, Trunk,
};

/// The norm and activation that a block begins with; transformer blocks have norms of their own.
fn first_norm(block: &Block) -> Option<&NormAct> {
    match block {
        Block::Ordinary(block) => Some(&block.pre),
        Block::GlobalPooling(block) => Some(&block.pre),
        Block::NestedBottleneck(block) => Some(&block.pre),
        Block::Plain(block) => Some(&block.pre),
        Block::ChainPooling(block) => Some(&block.pre),
        Block::Attention(_) | Block::FeedForward(_) => None,
    }
}

/// What the first of some blocks reads, or the norm after them, or without one what follows it. All but
/// plain blocks add to the trunk.
fn wanted<'a>(blocks: &'a [Block], after: Option<&'a NormAct>) -> Wanted<'a> {
    match blocks.first() {
        Some(block) => Wanted {
            raw: !matches!(block, Block::Plain(_)),
            norm: first_norm(block),
        },
        None => Wanted {
            raw: after.is_none(),
            norm: after,
        },
    }
}

/// The name of a part of a block.
pub fn part(block: &str, part: &str) -> String {
    format!("{block}, {part}")
}

impl Builder {
    /// The trunk's output, activated.
    pub fn trunk(&mut self, trunk: &Trunk, inputs: &Inputs) -> ValueId {
        let planes = self.planes(inputs.planes);
        let sources = Sources {
            board_bias: self.first_bias(trunk, inputs),
            ..Sources::only(planes)
        };
        let after = match &trunk.tip {
            Tip::Batch(norm) => Some(norm),
            Tip::Rms(_) => None,
        };
        let wanted = wanted(&trunk.blocks, after);
        let stream = self.conv("initial conv", &trunk.initial_conv, sources, wanted);
        let stream = self.blocks("", &trunk.blocks, stream, after);
        match &trunk.tip {
            Tip::Batch(_) => stream.normed(),
            Tip::Rms(tip) => self.rms_tip(tip, stream.raw()),
        }
    }

    /// What global inputs and those about the players add to the first convolution.
    fn first_bias(&mut self, trunk: &Trunk, inputs: &Inputs) -> Option<ValueId> {
        let metadata = trunk.metadata_encoder.as_ref().zip(inputs.metadata);
        let metadata = metadata.map(|(encoder, values)| self.metadata(encoder, values));
        let globals = trunk.initial_global.as_ref().zip(inputs.globals);
        globals.map_or(metadata, |(matrix, globals)| {
            let linear = (None, Activation::Identity);
            Some(self.dense("initial global", globals, matrix, linear, metadata))
        })
    }

    fn metadata(&mut self, encoder: &MetadataEncoder, values: ValueId) -> ValueId {
        let mut values = values;
        for layer in [&encoder.first, &encoder.second] {
            let finish = (Some(&layer.bias.weights[..]), layer.activation);
            values = self.dense("metadata", values, &layer.matmul, finish, None);
        }
        self.product("metadata", values, &encoder.output)
    }

    /// The trunk after some blocks, for the norm after them.
    fn blocks(
        &mut self,
        name: &str,
        blocks: &[Block],
        mut stream: Stream,
        after: Option<&NormAct>,
    ) -> Stream {
        for (index, block) in blocks.iter().enumerate() {
            let name = match name {
                "" => format!("block {index}"),
                name => format!("{name}.{index}"),
            };
            let wanted = wanted(&blocks[index + 1..], after);
            stream = self.block(&name, block, stream, wanted);
        }
        stream
    }

    fn block(&mut self, name: &str, block: &Block, stream: Stream, wanted: Wanted) -> Stream {
        let (inner, last, kernel) = match block {
            Block::Ordinary(block) => {
                let from = Sources::only(stream.normed());
                let inner =
                    self.normed_conv(&part(name, "conv a"), &block.conv_a, from, &block.mid);
                (inner, "conv b", &block.conv_b)
            }
            Block::GlobalPooling(block) => {
                let inner = self.pooling_part(name, block, stream.normed());
                (inner, "conv b", &block.conv_b)
            }
            Block::NestedBottleneck(block) => {
                let inner = self.nested_part(name, block, stream.normed());
                (inner, "conv out", &block.conv_out)
            }
            Block::ChainPooling(block) => return self.chain_pooling(name, block, stream, wanted),
            Block::Attention(block) => return self.attention(name, block, stream, wanted),
            Block::FeedForward(block) => return self.feed_forward(name, block, stream, wanted),
            Block::Plain(block) => {
                let from = Sources::only(stream.normed());
                return self.conv(&part(name, "conv"), &block.conv, from, wanted);
            }
        };
        let sources = Sources {
            residual: stream.raw,
            ..Sources::only(inner)
        };
        self.conv(&part(name, last), kernel, sources, wanted)
    }

    /// Up to the last norm.
    fn nested_part(
        &mut self,
        name: &str,
        block: &NestedBottleneckBlock,
        input: ValueId,
    ) -> ValueId {
        let after = Some(&block.post);
        let wanted = wanted(&block.blocks, after);
        let from = Sources::only(input);
        let stream = self.conv(&part(name, "conv in"), &block.conv_in, from, wanted);
        self.blocks(name, &block.blocks, stream, after).normed()
    }

    /// Up to the second norm. The pooled convolution comes first, so that its values are there when
    /// the other one is finished.
    fn pooling_part(&mut self, name: &str, block: &GlobalPoolingBlock, input: ValueId) -> ValueId {
        let sources = Sources::only(input);
        let (conv, norm) = (&block.pool_conv, &block.pool_norm);
        let pooled = self.normed_conv(&part(name, "pool conv"), conv, sources, norm);
        let pooled = self.pool(&part(name, "pool"), pooled, Third::Maximum);
        let bias = self.product(&part(name, "pool matrix"), pooled, &block.pool_matmul);
        let sources = Sources {
            board_bias: Some(bias),
            ..sources
        };
        self.normed_conv(&part(name, "conv a"), &block.conv_a, sources, &block.mid)
    }

    fn chain_pooling(
        &mut self,
        name: &str,
        block: &ChainPoolingBlock,
        stream: Stream,
        wanted: Wanted,
    ) -> Stream {
        let from = Sources::only(stream.normed());
        let inner = self.normed_conv(&part(name, "conv"), &block.conv, from, &block.norm);
        let sources = Sources {
            residual: stream.raw,
            pools_chains: true,
            ..Sources::only(inner)
        };
        self.conv(
            &part(name, "chain pooling"),
            &block.conv_out,
            sources,
            wanted,
        )
    }
}
