//! Residual blocks, and plain ones.
//!
//! A block's input is already normalised and activated: the last layer that writes the trunk does
//! that in the same pass. So [`Blocks::new`] is given the step after the last block, and returns
//! the step before the first.

use super::attention::Attention;
use super::boards::Frame;
use super::builder::Builder;
use super::chain_pooling::ChainPooling;
use super::conv::{Conv, frame_for};
use super::epilogue::{Biases, Epilogue, NormedOutput};
use super::memory::{Memory, Slot, Use};
use super::pool::{Dense, pool_with_max};
use super::profiler::Stage;
use super::simd::{ResidualMode, padded};
use super::transformer::FeedForward;
use crate::nn::desc::leela::NormedConv;
use crate::nn::desc::{self, Activation, NormAct};

/// The blocks of a trunk.
#[derive(Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// Residual buffer of the first block.
    pub stack: Slot,
    /// The step before the first block, or the following step if there are no blocks.
    pub entry: Option<NormedOutput>,
}

#[derive(Debug)]
enum Block {
    Residual(Box<Residual>),
    Nested(Box<Nested>),
    Attention(Box<Attention>),
    FeedForward(Box<FeedForward>),
    Plain(Box<Plain>),
    ChainPooling(Box<ChainPooling>),
}

impl Blocks {
    /// Plans blocks at nesting depth `depth` on a trunk with this width after the last.
    pub fn new(
        blocks: &[desc::Block],
        (depth, mut width): (usize, usize),
        after: Option<NormedOutput>,
        builder: &mut Builder,
    ) -> Blocks {
        let mut stack = builder.slot(Use::Stack(depth), Frame::Plain, width);
        let mut entry = after;
        let mut planned = Vec::new();
        for block in blocks.iter().rev() {
            let epilogue = Epilogue {
                stack: Some(stack),
                residual_mode: match block {
                    desc::Block::Plain(_) => ResidualMode::Replaces,
                    _ => ResidualMode::Adds,
                },
                output: entry,
            };
            entry = entry_of(block, builder);
            planned.push(Block::new(block, depth, epilogue, builder));
            if let desc::Block::Plain(block) = block {
                width = block.conv.inputs;
                stack = builder.slot(Use::Stack(depth), Frame::Plain, width);
            }
        }
        planned.reverse();
        Blocks {
            blocks: planned,
            stack,
            entry,
        }
    }

    /// Adds the outputs of all blocks to the trunk; plain blocks replace it.
    pub fn run(&self, memory: &mut Memory) {
        for block in &self.blocks {
            match block {
                Block::Residual(block) => block.run(memory),
                Block::Nested(block) => block.run(memory),
                Block::Attention(block) => block.run(memory),
                Block::FeedForward(block) => block.run(memory),
                Block::Plain(block) => block.run(memory),
                Block::ChainPooling(block) => block.run(memory),
            }
        }
    }
}

/// Norm and activation before a block.
fn entry_of(block: &desc::Block, builder: &mut Builder) -> Option<NormedOutput> {
    let (pre, frame, conv) = match block {
        desc::Block::Ordinary(block) => (&block.pre, frame_for(&block.conv_a), &block.conv_a),
        desc::Block::GlobalPooling(block) => (&block.pre, frame_for_both(block), &block.conv_a),
        desc::Block::NestedBottleneck(block) => {
            (&block.pre, frame_for(&block.conv_in), &block.conv_in)
        }
        desc::Block::Plain(block) => (&block.pre, frame_for(&block.conv), &block.conv),
        desc::Block::ChainPooling(block) => (&block.pre, Frame::Plain, &block.conv),
        desc::Block::Attention(_) | desc::Block::FeedForward(_) => return None,
    };
    let slot = builder.slot(Use::Input, frame, conv.inputs);
    Some(normed_output(pre, slot))
}

/// A layout that both convolutions can read.
fn frame_for_both(block: &desc::GlobalPoolingBlock) -> Frame {
    match [&block.conv_a, &block.pool_conv].map(frame_for) {
        [Frame::Padded, Frame::Padded] => Frame::Padded,
        _ => Frame::Plain,
    }
}

/// A norm and activation, written to a buffer.
pub fn normed_output(norm_act: &NormAct, slot: Slot) -> NormedOutput {
    let (scale, shift) = norm_act.norm.merged();
    NormedOutput {
        norm: Some((lengthened(scale), lengthened(shift))),
        activation: norm_act.activation,
        slot,
    }
}

/// Padded with zeros.
pub fn lengthened(mut values: Vec<f32>) -> Vec<f32> {
    values.resize(padded(values.len()), 0.0);
    values
}

impl Block {
    fn new(block: &desc::Block, depth: usize, epilogue: Epilogue, builder: &mut Builder) -> Block {
        let stack = epilogue.stack.expect("blocks add to a stack");
        match block {
            desc::Block::Ordinary(block) => {
                let halves = (&block.conv_a, &block.mid, &block.conv_b);
                let frame = frame_for(&block.conv_a);
                Block::Residual(Residual::new(halves, frame, None, epilogue, builder).into())
            }
            desc::Block::GlobalPooling(block) => {
                let halves = (&block.conv_a, &block.mid, &block.conv_b);
                let frame = frame_for_both(block);
                let pool = Pool::new(block, frame, builder);
                let mut residual = Residual::new(halves, frame, None, epilogue, builder);
                residual.pool = Some(pool);
                Block::Residual(residual.into())
            }
            desc::Block::NestedBottleneck(block) => {
                Block::Nested(Nested::new(block, depth, epilogue, builder).into())
            }
            desc::Block::Attention(block) => {
                Block::Attention(Attention::new(block, stack, epilogue, builder).into())
            }
            desc::Block::FeedForward(block) => {
                Block::FeedForward(FeedForward::new(block, stack, epilogue, builder).into())
            }
            desc::Block::Plain(block) => {
                let frame = frame_for(&block.conv);
                let plain = Plain {
                    input: builder.slot(Use::Input, frame, block.conv.inputs),
                    conv: builder.conv(&block.conv, frame, None),
                    epilogue,
                };
                Block::Plain(plain.into())
            }
            desc::Block::ChainPooling(block) => {
                Block::ChainPooling(ChainPooling::new(block, epilogue, builder).into())
            }
        }
    }
}

/// See [`desc::PlainBlock`].
#[derive(Debug)]
struct Plain {
    input: Slot,
    conv: Conv,
    epilogue: Epilogue,
}

impl Plain {
    fn run(&self, memory: &mut Memory) {
        self.conv.run(self.input, None, &self.epilogue, memory);
    }
}

/// [`desc::OrdinaryBlock`], [`desc::GlobalPoolingBlock`] and the blocks of [`super::leela`]. The
/// norm between the convolutions is merged into the first one's weights and bias.
#[derive(Debug)]
pub struct Residual {
    input: Slot,
    conv_a: Conv,
    bias: Vec<f32>,
    pool: Option<Pool>,
    mid: Epilogue,
    inner: Slot,
    conv_b: Conv,
    /// Epilogue of the second convolution.
    end_bias: Option<Vec<f32>>,
    epilogue: Epilogue,
}

impl Residual {
    fn new(
        (conv_a, mid, conv_b): (&desc::Conv, &NormAct, &desc::Conv),
        frame: Frame,
        end_scale: Option<&[f32]>,
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> Residual {
        let (scale, shift) = mid.norm.merged();
        let inner = builder.slot(Use::Inner, frame_for(conv_b), conv_b.inputs);
        let output = NormedOutput {
            norm: None,
            activation: mid.activation,
            slot: inner,
        };
        Residual {
            input: builder.slot(Use::Input, frame, conv_a.inputs),
            conv_a: builder.conv(conv_a, frame, Some(&scale)),
            bias: lengthened(shift),
            pool: None,
            mid: Epilogue::into(output),
            inner,
            conv_b: builder.conv(conv_b, frame_for(conv_b), end_scale),
            end_bias: None,
            epilogue,
        }
    }

    /// Of 3x3 convolutions, each with a norm.
    pub fn normed(
        [first, second]: &[NormedConv; 2],
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> Residual {
        let mid = NormAct {
            norm: first.norm.clone(),
            activation: Activation::Relu,
        };
        let halves = (&first.conv, &mid, &second.conv);
        let (scale, shift) = second.norm.merged();
        let mut residual = Residual::new(halves, Frame::Padded, Some(&scale), epilogue, builder);
        residual.end_bias = Some(lengthened(shift));
        residual
    }

    /// Adds the block's output to the trunk.
    pub fn run(&self, memory: &mut Memory) {
        self.conv_a.load(self.input, memory);
        let pooled = self.pool.as_ref().map(|pool| pool.biases(self, memory));
        let bias = match &pooled {
            Some(biases) => Biases::PerBoard(biases),
            None => Biases::Common(&self.bias),
        };
        self.conv_a
            .multiply(self.input, Some(bias), &self.mid, memory);
        let bias = self.end_bias.as_deref().map(Biases::Common);
        self.conv_b.run(self.inner, bias, &self.epilogue, memory);
    }
}

/// The pooled half of [`desc::GlobalPoolingBlock`].
#[derive(Debug)]
struct Pool {
    conv: Conv,
    epilogue: Epilogue,
    pooled: Slot,
    /// From pooled values to the channels of the regular half, with the same scale.
    matrix: Dense,
}

impl Pool {
    fn new(block: &desc::GlobalPoolingBlock, frame: Frame, builder: &mut Builder) -> Pool {
        let pooled = builder.slot(Use::Pooled, Frame::Plain, block.pool_conv.outputs);
        let (scale, _) = block.mid.norm.merged();
        Pool {
            conv: builder.conv(&block.pool_conv, frame, None),
            epilogue: Epilogue::into(normed_output(&block.pool_norm, pooled)),
            pooled,
            matrix: Dense::new(&block.pool_matmul, Some(&scale)),
        }
    }

    /// The bias of the regular half by global pooling, `[board][channel]`. Leaves the operands of
    /// the regular half loaded.
    fn biases(&self, block: &Residual, memory: &mut Memory) -> Vec<f32> {
        let shared = self.conv.shares_operands_with(&block.conv_a);
        if !shared {
            self.conv.load(block.input, memory);
        }
        self.conv
            .multiply(block.input, None, &self.epilogue, memory);
        if !shared {
            block.conv_a.load(block.input, memory);
        }
        let boards = memory.boards();
        let cells = memory
            .values(self.pooled)
            .chunks_exact(boards.area() * self.conv.outputs());
        let of_board = |cells: &[f32]| {
            let mut bias = block.bias.clone();
            let pooled =
                pool_with_max(cells, self.conv.outputs(), self.matrix.inputs() / 3, boards);
            self.matrix.add_product(&pooled, &mut bias);
            bias
        };
        let biases = cells.flat_map(of_board).collect();
        memory.work.profiler.lap(Stage::Others);
        biases
    }
}

/// See [`desc::NestedBottleneckBlock`].
#[derive(Debug)]
struct Nested {
    input: Slot,
    conv_in: Conv,
    entry: Epilogue,
    blocks: Blocks,
    post: Slot,
    conv_out: Conv,
    epilogue: Epilogue,
}

impl Nested {
    fn new(
        block: &desc::NestedBottleneckBlock,
        depth: usize,
        epilogue: Epilogue,
        builder: &mut Builder,
    ) -> Nested {
        let (conv_in, conv_out) = (&block.conv_in, &block.conv_out);
        let post = builder.slot(Use::Inner, frame_for(conv_out), conv_out.inputs);
        let level = (depth + 1, conv_in.outputs);
        let after = Some(normed_output(&block.post, post));
        let mut blocks = Blocks::new(&block.blocks, level, after, builder);
        Nested {
            input: builder.slot(Use::Input, frame_for(conv_in), conv_in.inputs),
            conv_in: builder.conv(conv_in, frame_for(conv_in), None),
            entry: Epilogue {
                stack: Some(blocks.stack),
                residual_mode: ResidualMode::Replaces,
                output: blocks.entry.take(),
            },
            blocks,
            post,
            conv_out: builder.conv(conv_out, frame_for(conv_out), None),
            epilogue,
        }
    }

    fn run(&self, memory: &mut Memory) {
        self.conv_in.run(self.input, None, &self.entry, memory);
        self.blocks.run(memory);
        self.conv_out.run(self.post, None, &self.epilogue, memory);
    }
}
