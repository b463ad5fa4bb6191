//! Residual blocks.
//!
//! A block finds its input already normed and activated: whoever writes the stack last does that
//! in the same pass. So [`Blocks::new`] is told what follows the last block, and tells what the
//! first wants.

use super::boards::Frame;
use super::conv::{Arithmetic, Biases, Conv, Sink, Then, frame_for};
use super::memory::{Memory, Slot, Slots, Use};
use super::pool::{Dense, pool_with_max};
use super::simd::padded;
use super::transformer::{Attention, FeedForward};
use crate::nn::desc::{self, NormAct};

/// The blocks of a stack.
#[derive(Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// What they add to.
    pub stack: Slot,
    /// What the first block wants of the stack, or else what follows.
    pub entry: Option<Then>,
}

#[derive(Debug)]
enum Block {
    Residual(Box<Residual>),
    Nested(Box<Nested>),
    Attention(Box<Attention>),
    FeedForward(Box<FeedForward>),
}

impl Blocks {
    /// Plans blocks nested `depth` deep on a stack so wide.
    pub fn new(
        arithmetic: Arithmetic,
        blocks: &[desc::Block],
        (depth, width): (usize, usize),
        after: Option<Then>,
        slots: &mut Slots,
    ) -> Blocks {
        let stack = slots.slot(Use::Stack(depth), Frame::Plain, width);
        let mut entry = after;
        let mut planned = Vec::new();
        for block in blocks.iter().rev() {
            let sink = Sink {
                stack: Some(stack),
                adds: true,
                then: entry,
            };
            entry = entry_of(block, slots);
            planned.push(Block::new(arithmetic, block, depth, sink, slots));
        }
        planned.reverse();
        Blocks {
            blocks: planned,
            stack,
            entry,
        }
    }

    /// Adds what all blocks say to the stack.
    pub fn run(&self, memory: &mut Memory) {
        for block in &self.blocks {
            match block {
                Block::Residual(block) => block.run(memory),
                Block::Nested(block) => block.run(memory),
                Block::Attention(block) => block.run(memory),
                Block::FeedForward(block) => block.run(memory),
            }
        }
    }
}

/// Norm and activation before a block.
fn entry_of(block: &desc::Block, slots: &mut Slots) -> Option<Then> {
    let (pre, conv) = match block {
        desc::Block::Ordinary(block) => (&block.pre, &block.conv_a),
        desc::Block::GlobalPooling(block) => (&block.pre, &block.conv_a),
        desc::Block::NestedBottleneck(block) => (&block.pre, &block.conv_in),
        desc::Block::Attention(_) | desc::Block::FeedForward(_) => return None,
    };
    let slot = slots.slot(Use::Input, frame_for(conv), conv.inputs);
    Some(then(pre, slot))
}

/// A norm and activation into a buffer.
pub fn then(norm_act: &NormAct, slot: Slot) -> Then {
    let (scale, shift) = norm_act.norm.merged();
    Then {
        norm: Some((lengthened(scale), lengthened(shift))),
        activation: norm_act.activation,
        slot,
    }
}

/// With the zeros of padding.
pub fn lengthened(mut values: Vec<f32>) -> Vec<f32> {
    values.resize(padded(values.len()), 0.0);
    values
}

impl Block {
    fn new(
        arithmetic: Arithmetic,
        block: &desc::Block,
        depth: usize,
        sink: Sink,
        slots: &mut Slots,
    ) -> Block {
        let stack = sink.stack.expect("blocks add to a stack");
        match block {
            desc::Block::Ordinary(block) => {
                let halves = (&block.conv_a, &block.mid, &block.conv_b);
                Block::Residual(Residual::new(arithmetic, halves, None, sink, slots).into())
            }
            desc::Block::GlobalPooling(block) => {
                let halves = (&block.conv_a, &block.mid, &block.conv_b);
                let pool = Pool::new(arithmetic, block, slots);
                Block::Residual(Residual::new(arithmetic, halves, Some(pool), sink, slots).into())
            }
            desc::Block::NestedBottleneck(block) => {
                Block::Nested(Nested::new(arithmetic, block, depth, sink, slots).into())
            }
            desc::Block::Attention(block) => {
                Block::Attention(Attention::new(arithmetic, block, stack, sink, slots).into())
            }
            desc::Block::FeedForward(block) => {
                Block::FeedForward(FeedForward::new(arithmetic, block, stack, sink, slots).into())
            }
        }
    }
}

/// [`desc::OrdinaryBlock`] and [`desc::GlobalPoolingBlock`]. The norm between the convolutions is
/// part of the first one's weights and bias.
#[derive(Debug)]
struct Residual {
    input: Slot,
    conv_a: Conv,
    bias: Vec<f32>,
    pool: Option<Pool>,
    mid: Sink,
    inner: Slot,
    conv_b: Conv,
    no_bias: Vec<f32>,
    sink: Sink,
}

impl Residual {
    fn new(
        arithmetic: Arithmetic,
        (conv_a, mid, conv_b): (&desc::Conv, &NormAct, &desc::Conv),
        pool: Option<Pool>,
        sink: Sink,
        slots: &mut Slots,
    ) -> Residual {
        let (scale, shift) = mid.norm.merged();
        let inner = slots.slot(Use::Inner, frame_for(conv_b), conv_b.inputs);
        let then = Then {
            norm: None,
            activation: mid.activation,
            slot: inner,
        };
        Residual {
            input: slots.slot(Use::Input, frame_for(conv_a), conv_a.inputs),
            conv_a: Conv::new(arithmetic, conv_a, Some(&scale)),
            bias: lengthened(shift),
            pool,
            mid: Sink::into(then),
            inner,
            conv_b: Conv::new(arithmetic, conv_b, None),
            no_bias: vec![0.0; padded(conv_b.outputs)],
            sink,
        }
    }

    fn run(&self, memory: &mut Memory) {
        self.conv_a.load(self.input, memory);
        let pooled = self.pool.as_ref().map(|pool| pool.biases(self, memory));
        let bias = match &pooled {
            Some(biases) => Biases::PerBoard(biases),
            None => Biases::Common(&self.bias),
        };
        self.conv_a.multiply(self.input, bias, &self.mid, memory);
        self.conv_b.load(self.inner, memory);
        let none = Biases::Common(&self.no_bias);
        self.conv_b.multiply(self.inner, none, &self.sink, memory);
    }
}

/// The pooled half of [`desc::GlobalPoolingBlock`].
#[derive(Debug)]
struct Pool {
    conv: Conv,
    no_bias: Vec<f32>,
    sink: Sink,
    pooled: Slot,
    /// To the channels of the regular half, scaled as those are.
    matrix: Dense,
}

impl Pool {
    fn new(arithmetic: Arithmetic, block: &desc::GlobalPoolingBlock, slots: &mut Slots) -> Pool {
        let pooled = slots.slot(Use::Pooled, Frame::Plain, block.pool_conv.outputs);
        let (scale, _) = block.mid.norm.merged();
        Pool {
            conv: Conv::new(arithmetic, &block.pool_conv, None),
            no_bias: vec![0.0; padded(block.pool_conv.outputs)],
            sink: Sink::into(then(&block.pool_norm, pooled)),
            pooled,
            matrix: Dense::new(&block.pool_matmul, Some(&scale)),
        }
    }

    /// What the whole board adds to the regular half's bias, `[board][channel]`. Leaves the
    /// operands of the regular half loaded.
    fn biases(&self, block: &Residual, memory: &mut Memory) -> Vec<f32> {
        let shared = self.conv.shares_operands_with(&block.conv_a);
        if !shared {
            self.conv.load(block.input, memory);
        }
        self.conv.multiply(
            block.input,
            Biases::Common(&self.no_bias),
            &self.sink,
            memory,
        );
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
        cells.flat_map(of_board).collect()
    }
}

/// See [`desc::NestedBottleneckBlock`].
#[derive(Debug)]
struct Nested {
    input: Slot,
    conv_in: Conv,
    no_bias_in: Vec<f32>,
    entry: Sink,
    blocks: Blocks,
    post: Slot,
    conv_out: Conv,
    no_bias_out: Vec<f32>,
    sink: Sink,
}

impl Nested {
    fn new(
        arithmetic: Arithmetic,
        block: &desc::NestedBottleneckBlock,
        depth: usize,
        sink: Sink,
        slots: &mut Slots,
    ) -> Nested {
        let (conv_in, conv_out) = (&block.conv_in, &block.conv_out);
        let post = slots.slot(Use::Inner, frame_for(conv_out), conv_out.inputs);
        let level = (depth + 1, conv_in.outputs);
        let after = Some(then(&block.post, post));
        let mut blocks = Blocks::new(arithmetic, &block.blocks, level, after, slots);
        Nested {
            input: slots.slot(Use::Input, frame_for(conv_in), conv_in.inputs),
            conv_in: Conv::new(arithmetic, conv_in, None),
            no_bias_in: vec![0.0; padded(conv_in.outputs)],
            entry: Sink {
                stack: Some(blocks.stack),
                adds: false,
                then: blocks.entry.take(),
            },
            blocks,
            post,
            conv_out: Conv::new(arithmetic, conv_out, None),
            no_bias_out: vec![0.0; padded(conv_out.outputs)],
            sink,
        }
    }

    fn run(&self, memory: &mut Memory) {
        self.conv_in.load(self.input, memory);
        let none = Biases::Common(&self.no_bias_in);
        self.conv_in.multiply(self.input, none, &self.entry, memory);
        self.blocks.run(memory);
        self.conv_out.load(self.post, memory);
        let none = Biases::Common(&self.no_bias_out);
        self.conv_out.multiply(self.post, none, &self.sink, memory);
    }
}
