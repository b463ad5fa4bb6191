//! Lowering of the trunk.

use super::builder::{Builder, Stream, Wanted};
use super::transformer::of_points;
use super::{Bias, Conv, Inputs, Residual, Third, ValueId};
use crate::nn::desc::{
    self, Activation, Block, GlobalPoolingBlock, MatMul, MetadataEncoder, NormAct, Tip, Trunk,
};

/// What the first of some blocks reads, or the norm after them, or without one what follows it. All but
/// plain blocks add to the trunk.
fn wanted<'a>(blocks: &'a [Block], after: Option<&'a NormAct>) -> Wanted<'a> {
    match blocks.first() {
        Some(block) => Wanted {
            raw: !matches!(block, Block::Plain(_)),
            norm: block.first_norm(),
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
        let planes = self.planes(inputs.shape.planes);
        let conv = Conv {
            bias: self.first_bias(trunk, inputs).map(Bias::Boards),
            ..Conv::of(&trunk.initial_conv, planes)
        };
        let after = trunk.tip.batch_norm();
        let wanted = wanted(&trunk.blocks, after);
        let stream = self.conv("initial conv", conv, wanted);
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
        let (last, conv) = match block {
            Block::Ordinary(block) => {
                let conv = Conv::of(&block.conv_a, stream.normed());
                let inner = self.normed_conv(&part(name, "conv a"), conv, &block.mid);
                ("conv b", Conv::of(&block.conv_b, inner))
            }
            Block::GlobalPooling(block) => {
                let inner = self.pooling_part(name, block, stream.normed());
                ("conv b", Conv::of(&block.conv_b, inner))
            }
            Block::NestedBottleneck(block) => {
                let after = Some(&block.post);
                let wanted = self::wanted(&block.blocks, after);
                let conv = Conv::of(&block.conv_in, stream.normed());
                let inner = self.conv(&part(name, "conv in"), conv, wanted);
                let inner = self.blocks(name, &block.blocks, inner, after);
                ("conv out", Conv::of(&block.conv_out, inner.normed()))
            }
            Block::ChainPooling(block) => {
                let conv = Conv::of(&block.conv, stream.normed());
                let inner = self.normed_conv(&part(name, "conv"), conv, &block.norm);
                let conv = Conv {
                    pools_chains: true,
                    ..Conv::of(&block.conv_out, inner)
                };
                ("chain pooling", conv)
            }
            Block::Attention(block) => {
                let inner = self.attention(name, block, stream.raw());
                ("output", Conv::of(&of_points(&block.output), inner))
            }
            Block::FeedForward(block) => {
                let inner = self.feed_forward(name, block, stream.raw());
                ("output", Conv::of(&of_points(&block.output), inner))
            }
            Block::Plain(block) => ("conv", Conv::of(&block.conv, stream.normed())),
        };
        let conv = Conv {
            residual: stream.raw.map(|from| Residual {
                from,
                is_rectified: false,
            }),
            ..conv
        };
        self.conv(&part(name, last), conv, wanted)
    }

    /// Up to the second norm.
    fn pooling_part(&mut self, name: &str, block: &GlobalPoolingBlock, input: ValueId) -> ValueId {
        let pooling = (&block.pool_conv, &block.pool_norm, &block.pool_matmul);
        let (_, bias) = self.pooled_bias(name, pooling, input);
        let conv = Conv {
            bias: Some(bias),
            ..Conv::of(&block.conv_a, input)
        };
        self.normed_conv(&part(name, "conv a"), conv, &block.mid)
    }

    /// What a convolution adds to another by global pooling: the pooled values, and the bias made of them. It
    /// comes first, so that the bias is there when the other one is finished.
    pub fn pooled_bias(
        &mut self,
        name: &str,
        (kernel, norm, matrix): (&desc::Conv, &NormAct, &MatMul),
        input: ValueId,
    ) -> (ValueId, Bias) {
        let conv = Conv::of(kernel, input);
        let pooled = self.normed_conv(&part(name, "pool conv"), conv, norm);
        let pooled = self.pool(&part(name, "pool"), pooled, Third::Maximum);
        let bias = self.product(&part(name, "pool matrix"), pooled, matrix);
        (pooled, Bias::Boards(bias))
    }
}
