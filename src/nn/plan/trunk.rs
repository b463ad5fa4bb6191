//! Lowering of the trunk.

use anyhow::{Result, bail};

use super::builder::{Builder, Sources, Wanted};
use super::{Extent, Inputs, Third, ValueId, Work};
use crate::nn::desc::{
    Activation, Block, GlobalPoolingBlock, MetadataEncoder, NormAct, Tip, Trunk,
};

/// The trunk at some place: as it is, if anything reads that, and normed for the next layer.
#[derive(Clone, Copy)]
struct Stream {
    raw: Option<ValueId>,
    normed: ValueId,
}

/// Whether a block adds to the trunk.
fn is_residual(block: &Block) -> bool {
    !matches!(block, Block::Plain(_))
}

/// The norm and activation that a block begins with.
fn first_norm(block: &Block) -> Result<&NormAct> {
    match block {
        Block::Ordinary(block) => Ok(&block.pre),
        Block::GlobalPooling(block) => Ok(&block.pre),
        Block::NestedBottleneck(block) => Ok(&block.pre),
        Block::Plain(block) => Ok(&block.pre),
        Block::Attention(_) | Block::FeedForward(_) => bail!("transformer blocks"),
        Block::ChainPooling(_) => bail!("chain pooling"),
    }
}

/// What the first of some blocks reads, or what follows them.
fn wanted<'a>(blocks: &'a [Block], after: &'a NormAct) -> Result<Wanted<'a>> {
    Ok(Wanted {
        raw: blocks.first().is_some_and(is_residual),
        norm: Some(blocks.first().map_or(Ok(after), first_norm)?),
    })
}

impl Builder {
    /// The trunk's output, activated.
    pub fn trunk(&mut self, trunk: &Trunk, inputs: &Inputs) -> Result<ValueId> {
        let Tip::Batch(tip) = &trunk.tip else {
            bail!("an RMS norm after the trunk");
        };
        let planes = self.value("planes", Extent::Points, inputs.planes);
        self.push("planes", Work::Planes { to: planes });
        let board_bias = match (&trunk.initial_global, inputs.globals) {
            (Some(matrix), Some(globals)) => {
                let metadata = trunk.metadata_encoder.as_ref().zip(inputs.metadata);
                let plus = metadata.map(|(encoder, values)| self.metadata(encoder, values));
                let linear = (None, Activation::Identity);
                Some(self.dense("initial global", globals, matrix, linear, plus))
            }
            _ => None,
        };
        let sources = Sources {
            board_bias,
            ..Sources::only(planes)
        };
        let wanted = wanted(&trunk.blocks, tip)?;
        let (raw, normed) = self.conv("initial conv", &trunk.initial_conv, sources, wanted)?;
        let stream = Stream {
            raw,
            normed: normed.expect("a norm was wanted"),
        };
        self.blocks("", &trunk.blocks, stream, tip)
    }

    fn metadata(&mut self, encoder: &MetadataEncoder, values: ValueId) -> ValueId {
        let mut values = values;
        for layer in [&encoder.first, &encoder.second] {
            let finish = (Some(&layer.bias.weights[..]), layer.activation);
            values = self.dense("metadata", values, &layer.matmul, finish, None);
        }
        self.product("metadata", values, &encoder.output)
    }

    /// The trunk after some blocks, activated.
    fn blocks(
        &mut self,
        name: &str,
        blocks: &[Block],
        mut stream: Stream,
        after: &NormAct,
    ) -> Result<ValueId> {
        for (index, block) in blocks.iter().enumerate() {
            let name = match name {
                "" => format!("block {index}"),
                name => format!("{name}.{index}"),
            };
            let wanted = wanted(&blocks[index + 1..], after)?;
            stream = self.block(&name, block, stream, wanted)?;
        }
        Ok(stream.normed)
    }

    fn block(
        &mut self,
        name: &str,
        block: &Block,
        stream: Stream,
        wanted: Wanted,
    ) -> Result<Stream> {
        let residual = |input| Sources {
            residual: stream.raw,
            ..Sources::only(input)
        };
        let part = |part: &str| format!("{name}, {part}");
        let from = Sources::only(stream.normed);
        let (raw, normed) = match block {
            Block::Ordinary(block) => {
                let inner = self.normed_conv(&part("conv a"), &block.conv_a, from, &block.mid)?;
                self.conv(&part("conv b"), &block.conv_b, residual(inner), wanted)?
            }
            Block::GlobalPooling(block) => {
                let inner = self.pooling_part(name, block, stream.normed)?;
                self.conv(&part("conv b"), &block.conv_b, residual(inner), wanted)?
            }
            Block::NestedBottleneck(block) => {
                let inside = self::wanted(&block.blocks, &block.post)?;
                let (raw, normed) = self.conv(&part("conv in"), &block.conv_in, from, inside)?;
                let inner = Stream {
                    raw,
                    normed: normed.expect("a norm was wanted"),
                };
                let inner = self.blocks(name, &block.blocks, inner, &block.post)?;
                self.conv(&part("conv out"), &block.conv_out, residual(inner), wanted)?
            }
            Block::Plain(block) => self.conv(&part("conv"), &block.conv, from, wanted)?,
            other => {
                first_norm(other)?;
                bail!("an unknown block");
            }
        };
        Ok(Stream {
            raw,
            normed: normed.expect("a norm was wanted"),
        })
    }

    /// Up to the second norm. The pooled convolution comes first, so that its values are there when
    /// the other one is finished.
    fn pooling_part(
        &mut self,
        name: &str,
        block: &GlobalPoolingBlock,
        input: ValueId,
    ) -> Result<ValueId> {
        let part = |part: &str| format!("{name}, {part}");
        let sources = Sources::only(input);
        let (conv, norm) = (&block.pool_conv, &block.pool_norm);
        let pooled = self.normed_conv(&part("pool conv"), conv, sources, norm)?;
        let pooled = self.pool(&part("pool"), pooled, Third::Maximum);
        let bias = self.product(&part("pool matrix"), pooled, &block.pool_matmul);
        let sources = Sources {
            board_bias: Some(bias),
            ..sources
        };
        self.normed_conv(&part("conv a"), &block.conv_a, sources, &block.mid)
    }
}
